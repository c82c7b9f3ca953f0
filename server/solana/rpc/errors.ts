import { SolanaJSONRPCError } from "@solana/web3.js"

/** No node of a chain could answer. Nothing is known and nothing has changed. */
export class RpcUnavailable extends Error {}

/** No node has the complete history since a slot. */
export class HistoryMissing extends Error {}

/** The chain is not the one that this deployment's records refer to. Nothing is read from it or signed for it. */
export class WrongChain extends Error {}

// Error codes of agave (rpc-client-api/src/custom_error.rs) and of JSON-RPC.
const NODE_UNHEALTHY = -32005
const NO_HISTORY = -32011
/** A block that the node has dropped, that was skipped, or that is missing in its long-term storage. */
const NO_BLOCK = new Set([-32001, -32007, -32009, NO_HISTORY])
const UNSUPPORTED_VERSION = -32015
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016

/** The request itself is wrong: invalid parameters, or a transaction that no node accepts or reads. */
const REQUEST_ERRORS = new Set([-32700, -32600, -32602, -32002, -32003, -32013, UNSUPPORTED_VERSION])

const codeOf = (error: unknown): number | null => (error instanceof SolanaJSONRPCError ? Number(error.code) : null)

/** Whether another node may answer: this one was not reached, is busy, lags, lacks history, or has its own code. */
export function isOfTheNode(error: unknown): boolean {
  const code = codeOf(error)
  return code === null || !REQUEST_ERRORS.has(code)
}

/** Whether a node understood the request and refused it. */
export const isRefusal = (error: unknown): boolean => codeOf(error) !== null

/** Whether a node has not yet reached the requested slot. It will in a moment. */
export function isBehind(error: unknown): boolean {
  const code = codeOf(error)
  return code === MIN_CONTEXT_SLOT_NOT_REACHED || code === NODE_UNHEALTHY
}

/** Whether a node keeps no history of transactions. */
export const hasNoHistory = (error: unknown): boolean => codeOf(error) === NO_HISTORY

/** Whether a node has no block for a slot that it has reached. */
export const hasNoBlock = (error: unknown): boolean => NO_BLOCK.has(codeOf(error)!)

/** Whether a node's history does not reach back far enough, or it keeps none. */
export const isWithoutHistory = (error: unknown): boolean => error instanceof HistoryMissing || hasNoHistory(error)

/** Whether the node or web3.js cannot read this version of transactions. */
export const isUnreadable = (error: unknown): boolean => codeOf(error) === UNSUPPORTED_VERSION

/** Whether the nodes caused an error, and not the chain, the database or Vouch. */
export const isOfTheNodes = (error: unknown): error is Error =>
  error instanceof RpcUnavailable || error instanceof HistoryMissing || error instanceof SolanaJSONRPCError
