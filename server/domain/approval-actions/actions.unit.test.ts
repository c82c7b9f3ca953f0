import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { ApprovalAction } from "#shared/approvals.ts"

const domain = new URL("../", import.meta.url)

/** The test that requests each action under a policy. */
const tests = {
  mint: "approvals/approvals.test.ts",
  transfer: "approvals/approvals.test.ts",
  burn: "approvals/approvals.test.ts",
  force_transfer: "approvals/approvals.test.ts",
  hold_execute: "tokens/holds/approved.test.ts",
  hold_release: "tokens/holds/approved.test.ts",
  while_paused: "tokens/while-paused.test.ts",
  lot_backdate: "tokens/lots/lots.test.ts",
  recovery: "recoveries/approved.test.ts",
  distribution: "distributions/approved.test.ts",
  unpause: "tokens/approved-changes.test.ts",
  unfreeze: "tokens/approved-changes.test.ts",
  config_change: "tokens/approved-changes.test.ts",
  policy_change: "approvals/policies.test.ts",
  review_decision: "review-decisions/approved.test.ts",
  key_create: "accounts/approved-keys.test.ts",
  session_cancel: "attestations/approved-revocation.test.ts",
  attestation_revoke: "attestations/approved-revocation.test.ts",
  attestation_revoke_bulk: "attestations/approved-revocation.test.ts",
  erase: "privacy/approved-erasure.test.ts",
} satisfies Record<ApprovalAction, string>

test("each action of a policy is checked somewhere", () => {
  const text = (path: string) => readFileSync(new URL(path, domain), "utf8")
  const untried = Object.entries(tests).filter(([action, path]) => !text(path).match(`"${action}"|${action}:`))
  expect(untried).toEqual([])
})
