/** An operation as the ledger moves it. `payload` belongs to its kind. */
export type Operation = {
  workspace_id: string
  id: string
  seq: bigint
  kind: string
  payload: Record<string, string>
  writes: string[]
  reads: string[]
  attempts: number
  alone: boolean
}

/** What is left of an operation that ended without its effect. */
export type Refusal = { code: string; detail: string }

/** Where an operation that waits in line stands. */
export type Unfinished = Operation & { status: "queued" | "submitted"; not_before: Date | null }
