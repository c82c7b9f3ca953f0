import type { Finality } from "./finality.ts"
import type { Comparison } from "./restore/comparison.ts"
import type { Tracker } from "./track.ts"

type Parts = {
  tracker: Pick<Tracker, "failing" | "inDoubt" | "overdue" | "isUnanswered">
  comparison: Pick<Comparison, "quarantined">
  finality: Pick<Finality, "late">
}

/** The problems with transactions that were sent, in a few words; null if there are none. */
export function troubleOfSent({ tracker, comparison, finality }: Parts): string | null {
  if (tracker.failing > 0) return "transactions have landed that cannot be settled; the log says which"
  const { inDoubt, overdue } = tracker
  if (inDoubt > 0) return `${transactions(inDoubt)} may have landed or not; the log says why`
  if (overdue > 0) return `${transactions(overdue)} can no longer land, and no node has proven it yet`
  if (tracker.isUnanswered) return "no node reports the outcome of transactions; the log says why"
  const { quarantined } = comparison
  if (quarantined > 0)
    return `${quarantined} ${quarantined === 1 ? "workspace is" : "workspaces are"} in quarantine: \`vouch ledger reconcile\` says why`
  const { late } = finality
  return late > 0
    ? `${late} ${late === 1 ? "transaction is" : "transactions are"} not final long after confirmation`
    : null
}

const transactions = (count: number): string => `${count} ${count === 1 ? "transaction" : "transactions"}`
