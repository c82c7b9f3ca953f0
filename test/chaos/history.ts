import { type Connection, PublicKey, type VersionedTransactionResponse } from "@solana/web3.js"
import { assert } from "./assert.ts"

export type Landed = { signature: string; transaction: VersionedTransactionResponse }

/** All successful transactions that an authority signed, read from the chain by plain web3.js. */
export async function historyOf(connection: Connection, authority: string): Promise<Landed[]> {
  const history: Landed[] = []
  for (const signature of await landedSignatures(connection, authority)) {
    const transaction = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    assert(transaction !== null, () => `${signature} is in the history but was not found`)
    if (isSignedBy(transaction, authority)) history.push({ signature, transaction })
  }
  return history
}

/** Signatures by id, for ids with this prefix. A memo starts with `vouch:1:<id>`. */
export function carriersOf(history: readonly Landed[], prefix: string): Map<string, string[]> {
  const carriers = new Map<string, string[]>()
  for (const { signature, transaction } of history) {
    for (const id of memoIdsIn(transaction)) {
      if (!id.startsWith(prefix)) continue
      carriers.set(id, [...(carriers.get(id) ?? []), signature])
    }
  }
  return carriers
}

async function landedSignatures(connection: Connection, address: string): Promise<string[]> {
  const signatures: string[] = []
  let before: string | undefined
  for (;;) {
    const page = await connection.getSignaturesForAddress(new PublicKey(address), {
      limit: 1000,
      ...(before ? { before } : {}),
    })
    signatures.push(...page.filter((one) => one.err === null).map((one) => one.signature))
    if (page.length < 1000) return signatures
    before = page.at(-1)!.signature
  }
}

function isSignedBy({ transaction: { message } }: VersionedTransactionResponse, authority: string): boolean {
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures)
  return signers.some((signer) => signer.toBase58() === authority)
}

/** Several movements of one operation have the same id. */
const memoIdsIn = (transaction: VersionedTransactionResponse): Set<string> =>
  new Set(carriedIn(transaction).map(({ id }) => id))

/** The ids in a transaction's memos, each with the first byte of the next instruction, which is what it did. */
export function carriedIn({ transaction: { message } }: VersionedTransactionResponse) {
  const { compiledInstructions: all, staticAccountKeys: keys } = message
  return all.flatMap(({ programIdIndex, data }, i) =>
    keys[programIdIndex]!.toBase58().startsWith("Memo")
      ? [{ id: Buffer.from(data).toString("utf8").split(":")[2]!, did: all[i + 1]?.data[0] }]
      : [],
  )
}
