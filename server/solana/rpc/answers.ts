import {
  type ConfirmedSignatureInfo,
  type Connection,
  type Finality,
  type PublicKey,
  type SignatureStatus,
  SolanaJSONRPCError,
} from "@solana/web3.js"
import { addressOf } from "../addresses.ts"

// Calls that are made many times a second. web3.js copies each answer field by field to check it, which takes more time
// than everything else in the call. Here, only the fields in use are checked, in place.

type Fields = { [name: string]: unknown }

/** Calls through web3.js's own transport, which is internal. A test checks that it exists. */
async function ask(connection: Connection, method: string, args: unknown[]): Promise<unknown> {
  const { _rpcRequest: request } = connection as unknown as {
    _rpcRequest(method: string, args: unknown[]): Promise<{ result?: unknown; error?: never }>
  }
  const answer = await request(method, args)
  if (answer.error !== undefined) throw new SolanaJSONRPCError(answer.error, `failed to ask ${method}`)
  return answer.result
}

/** What a node knows about signatures. Throws for any other answer. */
export async function askStatuses(
  connection: Connection,
  signatures: readonly string[],
  options: { searchTransactionHistory: boolean },
): Promise<{ context: { slot: number }; value: (SignatureStatus | null)[] }> {
  const result = await ask(connection, "getSignatureStatuses", [signatures, options])
  const { context, value } = (result ?? {}) as Fields
  if (!isFields(context) || typeof context.slot !== "number" || !Array.isArray(value) || !value.every(isStatus))
    throw new Error("it answers something else than statuses")
  return { context: { slot: context.slot }, value }
}

/** A page of an address's history. Throws for any other answer. */
export async function askSignatures(
  connection: Connection,
  address: PublicKey,
  options: { limit: number; before?: string; until?: string; minContextSlot?: number; commitment: Finality },
): Promise<ConfirmedSignatureInfo[]> {
  const result = await ask(connection, "getSignaturesForAddress", [addressOf(address), options])
  if (!Array.isArray(result) || !result.every(isListed)) throw new Error("it answers something else than a history")
  return result
}

const CONFIRMATIONS = new Set<unknown>([undefined, "processed", "confirmed", "finalized"])

/** A transaction's error is an object or a text. */
const isError = (value: unknown): boolean => typeof value === "object" || typeof value === "string"

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const isStatus = (value: unknown): value is SignatureStatus | null =>
  value === null ||
  (isFields(value) &&
    typeof value.slot === "number" &&
    isError(value.err) &&
    (value.confirmations === null || typeof value.confirmations === "number") &&
    CONFIRMATIONS.has(value.confirmationStatus))

const isListed = (value: unknown): value is ConfirmedSignatureInfo =>
  isFields(value) &&
  typeof value.signature === "string" &&
  typeof value.slot === "number" &&
  isError(value.err) &&
  (value.memo === null || typeof value.memo === "string") &&
  (value.blockTime === undefined || value.blockTime === null || typeof value.blockTime === "number")
