import { counter, histogram } from "#server/lib/metrics.ts"
import { tracer } from "#server/lib/trace.ts"
import { type Mode, modes } from "#shared/mode.ts"

const transactions = counter({
  name: "vouch_transactions_total",
  help: "Transactions that this process settled, by mode and how they ended: confirmed, failed or expired",
  labels: ["mode", "outcome"],
})
const confirmations = histogram({
  name: "vouch_transaction_confirmation_seconds",
  help: "Time from saving a signed transaction to the commit that settles it as confirmed",
  labels: ["mode"],
  bounds: [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 60, 120, 300],
})
const operations = counter({
  name: "vouch_operations_total",
  help: "Operations that this process ended, by kind and how: confirmed or failed",
  labels: ["kind", "outcome"],
})
const durations = histogram({
  name: "vouch_operation_duration_seconds",
  help: "Time from queueing an operation to its confirmation on chain",
  labels: ["kind"],
  bounds: [0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 60, 120, 300, 1800],
})

// Set from the start, so that Prometheus sees the first of each as an increase.
for (const mode of modes) for (const outcome of ["confirmed", "failed", "expired"]) transactions.of(mode, outcome)

/** `seconds` is set only for a confirmed one. */
export function noteTransaction(mode: Mode, outcome: "confirmed" | "failed" | "expired", seconds?: number): void {
  transactions.of(mode, outcome).add()
  if (seconds !== undefined) confirmations.of(mode).note(seconds)
}

/** `seconds` is set only if a transaction confirmed it. */
export function noteOperation(kind: string, outcome: "confirmed" | "failed", seconds?: number): void {
  operations.of(kind, outcome).add()
  if (seconds !== undefined) durations.of(kind).note(seconds)
}

type Landed = { signature: string; slot: number; mode: Mode; created_at: Date }
type Carried = { id: string; kind: string; signature: string; traceparent: string | null; created_at: Date }

/**
 * Adds the outcome of operations to the traces of their requests. It is written afterwards, from the times in the rows,
 * so it is complete even if several processes did the work.
 */
export function traceConfirmed(landed: readonly Landed[], carried: readonly Carried[], now: Date): void {
  if (tracer === null) return
  for (const { id, kind, signature, traceparent, created_at } of carried) {
    if (traceparent === null) continue
    const transaction = landed.find((one) => one.signature === signature)!
    const { mode, slot, created_at: savedAt } = transaction
    const operation = tracer.below(traceparent, `operation ${kind}`, {
      kind: "consumer",
      from: created_at,
      attributes: { "vouch.operation": id, "vouch.mode": mode },
    })
    operation?.child("queue and sign", { from: created_at })?.end({ at: savedAt })
    const attributes = { "solana.signature": signature, "solana.slot": slot }
    operation?.child("transaction", { kind: "client", from: savedAt, attributes })?.end({ at: now })
    operation?.end({ at: now })
  }
}
