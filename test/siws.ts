import {
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  type VersionedTransactionResponse,
} from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "#server/solana/addresses.ts"
import type { TestApp } from "./app.ts"
import type { SigningWallet } from "./wallet.ts"

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
export type PageAnswer = { status: number; data: any; error: any }

/** A procedure of the hosted page, as the page calls it. */
export async function callPage(app: TestApp, name: string, input: object): Promise<PageAnswer> {
  const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  })
  const json = await response.json()
  return { status: response.status, data: json.result?.data, error: json.error?.data }
}

/** What the wallet of a session does on the hosted page. */
export function walletOn(app: TestApp, sessionId: string) {
  const call = (name: string, input: object = {}) => callPage(app, name, { sessionId, ...input })
  const prove = (message: string | Uint8Array, signature: Uint8Array) =>
    call("proveWallet", {
      message: Buffer.from(message as Uint8Array).toString("base64"),
      signature: Buffer.from(signature).toString("base64"),
    })
  return {
    call,
    prove,
    /** What is to be signed. */
    ask: async (): Promise<string> => (await call("askForProof")).data.text,
    view: async () => (await call("view")).data,
    /** Asks, signs and sends, as a wallet whose owner agrees. */
    async sign(wallet: SigningWallet): Promise<PageAnswer> {
      const text = (await call("askForProof")).data.text
      return prove(text, wallet.sign(Buffer.from(text)))
    },
  }
}

/** Squads, version 4 (https://github.com/Squads-Protocol/v4). */
export const MULTISIG = new PublicKey("SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf")

/**
 * What a node answers of a transaction in which a member has a multisig execute what its members approved: the memo is an
 * inner instruction, and the vault signs it without being a signer of the transaction. `stackHeight`: 2 if the multisig calls
 * the memo program, more if a program that it calls does.
 */
export function vaultExecutes(
  vault: PublicKey,
  text: string,
  { stackHeight = 2 } = {},
): VersionedTransactionResponse {
  const [member, multisig] = [PublicKey.unique(), PublicKey.unique()]
  const keys = [
    { pubkey: multisig, isSigner: false, isWritable: true },
    { pubkey: member, isSigner: true, isWritable: false },
    { pubkey: vault, isSigner: false, isWritable: true },
    { pubkey: MEMO_PROGRAM_ID, isSigner: false, isWritable: false },
  ]
  const message = new TransactionMessage({
    payerKey: member,
    recentBlockhash: PublicKey.unique().toBase58(),
    instructions: [new TransactionInstruction({ programId: MULTISIG, keys, data: Buffer.alloc(8) })],
  }).compileToV0Message()
  const indexOf = (key: PublicKey) => message.staticAccountKeys.findIndex((one) => one.equals(key))
  const inner = {
    programIdIndex: indexOf(MEMO_PROGRAM_ID),
    accounts: [indexOf(vault)],
    data: bs58.encode(Buffer.from(text)),
    stackHeight,
  }
  return {
    slot: 1,
    transaction: { message, signatures: [bs58.encode(Buffer.alloc(64, 1))] },
    meta: {
      ...{ err: null, fee: 5000, preBalances: [], postBalances: [], logMessages: [] },
      innerInstructions: [{ index: 0, instructions: [inner] }],
    },
  }
}
