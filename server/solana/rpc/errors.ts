import { SolanaJSONRPCError } from "@solana/web3.js"

/** No node of a chain could answer: nothing is known, and nothing has changed. */
export class RpcUnavailable extends Error {}

/** No node can tell all that happened since a slot. */
export class HistoryMissing extends Error {}

/** The chain is not the one that this deployment's records belong to. Nothing is read from it or signed for it. */
export class WrongChain extends Error {}

// Codes of agave (rpc-client-api/src/custom_error.rs), and JSON-RPC's own.
const NODE_UNHEALTHY = -32005
const NO_HISTORY = -32011
const UNSUPPORTED_VERSION = -32015
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016

/** What is wrong with the question itself: invalid requests and parameters, transactions that nobody takes or reads. */
const OF_THE_QUESTION = new Set([-32700, -32600, -32602, -32002, -32003, -32013, UNSUPPORTED_VERSION])

const codeOf = (error: unknown): number | null =>
  error instanceof SolanaJSONRPCError ? Number(error.code) : null

/**
 * Whether another node may answer what this one could not: it was not reached, is busy, lags, has no history, or refuses
 * with a code of its own.
 */
export function isOfTheNode(error: unknown): boolean {
  const code = codeOf(error)
  return code === null || !OF_THE_QUESTION.has(code)
}

/** Whether a node was reached, understood what it was asked, and answers that it will not tell. */
export const isRefusal = (error: unknown): boolean => codeOf(error) !== null

/** Whether a node has not come as far as it was asked to be. It will in a moment. */
export function isBehind(error: unknown): boolean {
  const code = codeOf(error)
  return code === MIN_CONTEXT_SLOT_NOT_REACHED || code === NODE_UNHEALTHY
}

/** Whether a node keeps no history of transactions. */
export const hasNoHistory = (error: unknown): boolean => codeOf(error) === NO_HISTORY

/** Whether a node's history does not reach as far back as was asked, or it keeps none. */
export const isWithoutHistory = (error: unknown): boolean =>
  error instanceof HistoryMissing || hasNoHistory(error)

/** Whether a transaction is of a version that the node, or web3.js, does not read. */
export const isUnreadable = (error: unknown): boolean => codeOf(error) === UNSUPPORTED_VERSION

/** Whether it is the nodes' trouble, and not the chain's, the database's or our own. */
export const isOfTheNodes = (error: unknown): error is Error =>
  error instanceof RpcUnavailable || error instanceof HistoryMissing || error instanceof SolanaJSONRPCError
