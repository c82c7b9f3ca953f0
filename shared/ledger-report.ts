import type { Address } from "./address.ts"
import type { Mode } from "./mode.ts"

/** How a worker's ledger of one mode is doing. Ages and differences are in seconds. */
export type LedgerReport = {
  mode: Mode
  /** The highest slot that a node has answered for, and how long ago that was news; null before the first answer. */
  slot: number | null
  slot_age_seconds: number | null
  /** By how much the chain's clock is ahead of the database's; null before it was read. */
  clock_difference_seconds: number | null
  oldest_operation_seconds: number | null
  oldest_transaction_seconds: number | null
  in_doubt: number
  /** Of the workspace that was compared longest ago; null before the first reconciliation. */
  audit_age_seconds: number | null
  audit_differences: number
  /** What the nodes can do, in the order in which they are asked; null of one that has not told. */
  nodes: ({ version: string | null; keeps_history: boolean; first_slot: number } | null)[]
  /** Calls that failed since the worker began, by method. */
  rpc_errors: Record<string, number>
}

/** A fee payer that people have to send SOL: it has little, or what it has will be gone within hours. */
export type LowPayer = {
  mode: Mode
  address: Address
  /** What it has, in SOL. */
  sol: number
  /** How long that lasts at the rate of the last hour; null where nothing tells. */
  hours_left: number | null
}
