import { expect, test } from "vitest"
import { type Event, subjectOf } from "./subject.ts"

const about = (type: string, data: object) =>
  subjectOf({ id: "evt_1", sequence: 1, occurred_at: "2026-01-01T00:00:00Z", type, data } as Event)

test.each([
  [
    "attestation.verified",
    { attestation_id: "att_1", user_pubkey: "W", investor_id: "inv_1" },
    "attestations/att_1",
    "W",
  ],
  ["review.opened", { review_id: "rev_1", attestation_id: "att_1", user_pubkey: null }, "reviews/rev_1", null],
  ["operation.failed", { operation_id: "op_1", mint_config: "m", user_pubkey: "W" }, "tokens/m/operations/op_1", "W"],
  ["approval.decided", { approval_id: "apr_1", operation_id: "op_1", mint_config: "fund" }, "approvals/apr_1", "fund"],
  ["token.paused", { mint_config: "m", symbol: "M" }, "tokens/m", "M"],
  [
    "hold.executed",
    { hold_id: "hold_1", user_pubkey: "W", mint_config: "fund", operation_id: "op_1" },
    "tokens/fund",
    "W",
  ],
  ["distribution.updated", { distribution_id: "dist_1", mint_config: "fund" }, "distributions/dist_1", "fund"],
  ["wallet.frozen", { user_pubkey: "W", mint_config: "fund", investor_id: null }, "tokens/fund", "W"],
  ["wallet.unfrozen", { user_pubkey: "W", mint_config: null, investor_id: "inv_1" }, "investors/inv_1", "W"],
  ["recovery.updated", { recovery_id: "rec_1", user_pubkey: "W", investor_id: "inv_1" }, "recoveries/rec_1", "W"],
  ["investor.frozen", { user_pubkey: "W", investor_id: "inv_1" }, "investors/inv_1", "W"],
  ["quota.threshold", { used: 401, included: 500, percent: 80 }, "overview", "80 % used"],
])("%s leads to what it is about", (type, data, path, more) => {
  const subject = about(type, data)
  expect([subject.parts?.join("/"), subject.more]).toEqual([path, more])
})

test("a wallet without an investor has no page", () => {
  expect(about("investor.frozen", { user_pubkey: "W", investor_id: null })).toEqual({
    name: "W",
    parts: null,
    more: null,
  })
})
