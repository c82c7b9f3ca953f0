/** An operation as the ledger moves it. `payload` belongs to its kind. */
export type Operation = {
  workspace_id: string
  id: string
  seq: bigint
  kind: string
  payload: Record<string, string>
  writes: string[]
  reads: string[]
  /** Of a token's operation: its configuration, the wallet that it is for, and the one that it takes from. */
  mint_config: string | null
  wallet: string | null
  from_wallet: string | null
  attempts: number
  alone: boolean
}

/** What is left of an operation that ended without its effect. */
export type Refusal = { code: string; detail: string }

/** Where an operation that waits in line stands. */
export type Unfinished = Operation & { status: "queued" | "submitted"; not_before: Date | null }
