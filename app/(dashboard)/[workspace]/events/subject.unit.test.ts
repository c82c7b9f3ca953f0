import { expect, test } from "vitest"
import { type Event, subjectOf } from "./subject.ts"

const names = {
  people: [
    { user_pubkey: "W", investor_id: "inv_1", external_id: "noah" },
    { user_pubkey: "V", investor_id: "inv_2", external_id: "emma" },
  ] as never[],
  tokens: [{ id: "fund", name: "Income Fund", symbol: "INC" }],
  approvals: [
    { id: "apr_2", action: "mint" as const, request: { amount: "180000", mint_config: "fund", user_pubkey: "W" } },
  ],
}
const about = (type: string, data: object) =>
  subjectOf({ id: "evt_1", sequence: 1, occurred_at: "2026-01-01T00:00:00Z", type, data } as Event, names)

test.each([
  [
    "attestation.verified",
    { attestation_id: "att_1", user_pubkey: "W", investor_id: "inv_1" },
    "attestations/att_1",
    "noah",
  ],
  ["review.opened", { review_id: "rev_1", attestation_id: "att_1", user_pubkey: null }, "reviews/rev_1", "rev_1"],
  [
    "approval.decided",
    { approval_id: "apr_1", operation_id: "op_1", mint_config: "fund" },
    "approvals/apr_1",
    "Income Fund",
  ],
  [
    "approval.requested",
    { approval_id: "apr_2", action: "mint", mint_config: "fund" },
    "approvals/apr_2",
    "Mint 180,000 INC to noah",
  ],
  ["token.paused", { mint_config: "m", symbol: "M" }, "tokens/m", "m"],
  ["token.paused", { mint_config: "fund", symbol: "INC" }, "tokens/fund", "Income Fund"],
  [
    "hold.executed",
    { hold_id: "hold_1", user_pubkey: "W", mint_config: "fund", operation_id: "op_1", amount: "1200" },
    "tokens/fund",
    "1,200 INC of noah",
  ],
  ["snapshot.ready", { snapshot_id: "snap_1", mint_config: "fund" }, "tokens/fund", "Income Fund"],
  ["distribution.updated", { distribution_id: "dist_1", mint_config: "fund" }, "distributions/dist_1", "Income Fund"],
  ["wallet.frozen", { user_pubkey: "W", mint_config: "fund", investor_id: null }, "tokens/fund", "noah"],
  ["wallet.unfrozen", { user_pubkey: "W", mint_config: null, investor_id: "inv_1" }, "investors/inv_1", "noah"],
  ["recovery.updated", { recovery_id: "rec_1", user_pubkey: "W", investor_id: "inv_1" }, "recoveries/rec_1", "noah"],
  ["investor.frozen", { user_pubkey: "W", investor_id: "inv_1" }, "investors/inv_1", "noah"],
  ["quota.threshold", { used: 401, included: 500, percent: 80 }, "overview", "401 of 500, 80% used"],
])("%s leads to what it is about", (type, data, path, words) => {
  const subject = about(type, data)
  expect([subject.parts?.join("/"), subject.words]).toEqual([path, words])
})

test.each([
  ["operation.confirmed", { kind: "mint" }, "Minted 2,750 INC to noah"],
  ["operation.confirmed", { kind: "burn" }, "Redeemed 2,750 INC of noah"],
  ["operation.confirmed", { kind: "transfer", from_pubkey: "V" }, "Moved 2,750 INC from emma to noah"],
  [
    "operation.failed",
    { kind: "force_transfer", from_pubkey: "V" },
    "Could not forcibly move 2,750 INC from emma to noah",
  ],
])("%s of %o says what moved", (type, data, words) => {
  const operation = { operation_id: "op_1", mint_config: "fund", user_pubkey: "W", from_pubkey: null, amount: "2750" }
  expect(about(type, { ...operation, ...data })).toEqual({
    words,
    id: "op_1",
    parts: ["tokens", "fund", "operations", "op_1"],
  })
})

test("a wallet without an investor has no page", () => {
  expect(about("investor.frozen", { user_pubkey: "X", investor_id: null })).toEqual({
    words: "X",
    id: null,
    parts: null,
  })
})
