import { counter, histogram } from "#server/lib/metrics.ts"
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

export function noteTransaction(mode: Mode, outcome: "confirmed" | "failed" | "expired"): void {
  transactions.of(mode, outcome).add()
}

export function noteConfirmation(mode: Mode, seconds: number): void {
  noteTransaction(mode, "confirmed")
  confirmations.of(mode).note(seconds)
}

/** `seconds` is set only if a transaction confirmed it. */
export function noteOperation(kind: string, outcome: "confirmed" | "failed", seconds?: number): void {
  operations.of(kind, outcome).add()
  if (seconds !== undefined) durations.of(kind).note(seconds)
}
