import { fail } from "#shared/errors.ts"
import { seal, unseal } from "./sealed.ts"

// A member's act on all rows that match a filter must be about the rows that they counted: others may match since. The
// count returns them as one text, which the act sends back. They are sealed, because a row's number would reveal how many
// rows all workspaces have. Ten thousand rows take about 40 kB.

/** Rows by their numbers, which ascend. `owner` is the workspace and what the rows are. */
export const sealRows = (owner: string, rows: readonly { seq: bigint }[]): string =>
  seal(ownerOf(owner), rows.map(({ seq }, n) => (seq - (rows[n - 1]?.seq ?? 0n)).toString(36)).join(".")).toString(
    "base64url",
  )

/** The numbers of the rows that `sealRows` sealed. Errors: validation_failed. */
export function openRows(owner: string, rows: string): Set<bigint> {
  try {
    let last = 0n
    const steps = unseal(ownerOf(owner), Buffer.from(rows, "base64url")).split(".")
    return new Set(steps.filter(Boolean).map((step) => (last += BigInt(Number.parseInt(step, 36)))))
  } catch {
    return fail("validation_failed", "rows: send what the count returned.")
  }
}

const ownerOf = (owner: string): string => `counted rows of ${owner}`
