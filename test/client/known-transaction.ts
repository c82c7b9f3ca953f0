import { PublicKey } from "@solana/web3.js"
import type { Web3Connection } from "#client/index.ts"

export type Instruction = { program: string; accounts: string[]; data: Uint8Array }

/** A node that knows one transaction, whatever its signature. */
export function nodeWith(instructions: Instruction[], signers: string[], err: unknown = null): Web3Connection {
  const used = instructions.flatMap(({ program, accounts }) => [program, ...accounts])
  const keys = [...new Set([...signers, ...used])]
  const found = {
    meta: { err },
    transaction: {
      message: {
        header: { numRequiredSignatures: signers.length },
        staticAccountKeys: keys.map((one) => new PublicKey(one)),
        compiledInstructions: instructions.map(({ program, accounts, data }) => ({
          ...{
            programIdIndex: keys.indexOf(program),
            accountKeyIndexes: accounts.map((one) => keys.indexOf(one)),
            data,
          },
        })),
      },
    },
  }
  return { rpcEndpoint: "", getTransaction: async () => found } as unknown as Web3Connection
}
