import type { Address } from "./address.ts"
import type { Mode } from "./mode.ts"

/** The state of a worker's ledger in one mode. Ages and differences are in seconds. */
export type LedgerReport = {
  mode: Mode
  /** The highest slot that a node reported, and how long ago it first did. Null before the first answer. */
  slot: number | null
  slot_age_seconds: number | null
  /** How far the chain's clock is ahead of the database's. Null before it was read. */
  clock_difference_seconds: number | null
  oldest_operation_seconds: number | null
  oldest_transaction_seconds: number | null
  in_doubt: number
  /** The age of the oldest reconciliation of a workspace. Null before the first one. */
  audit_age_seconds: number | null
  audit_differences: number
  /** Tokens whose history no node has had for some minutes, and those for which it is lost. Absent from version 0.1.0. */
  missing_histories?: number
  lost_histories?: number
  /** The capabilities of the nodes, in the order in which they are asked. Null for one that has not answered. */
  nodes: ({
    version: string | null
    keeps_history: boolean
    first_slot: number
    permissioned_burn: boolean | null
  } | null)[]
  /** Failed calls since the worker started, by method. */
  rpc_errors: Record<string, number>
}

/** A fee payer that needs SOL: its balance is low, or will be used up within hours. */
export type LowPayer = {
  mode: Mode
  address: Address
  /** Its balance in SOL. */
  sol: number
  /** How long the balance lasts at the rate of the last hour. Null if unknown. */
  hours_left: number | null
}
