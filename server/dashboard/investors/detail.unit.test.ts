import { expect, test } from "vitest"
import type { Address } from "#shared/address.ts"
import { investorTimeline, type LifeRow } from "./detail.ts"

const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 0, day, hour))

const row = (id: string, wallet: string, more: Partial<LifeRow>): LifeRow => ({
  id,
  seq: 1n,
  wallet: wallet as Address,
  schema_id: "kyc_individual_v1",
  status: "pending",
  created_at: at(1),
  consented_at: null,
  event_at: null,
  event_decision: null,
  review_id: null,
  reviewed_at: null,
  open_until: at(30),
  issued_at: null,
  expires_at: null,
  verified_at: null,
  revoked_at: null,
  ended_at: null,
  reason: null,
  ...more,
})

const told = (rows: LifeRow[], now = at(20)) =>
  investorTimeline(rows, { firstSeenAt: at(1), erasedAt: null, now }).map(({ event, attestation_id }) =>
    `${event} ${attestation_id ?? ""}`.trim(),
  )

test("a revocation and a rejection name their reason, and other entries name none", () => {
  const reasonsOf = (more: Partial<LifeRow>) =>
    investorTimeline([row("a", "w", more)], { firstSeenAt: null, erasedAt: null, now: at(20) }).flatMap(
      ({ event, reason }) => (reason === null ? [] : [`${event}: ${reason}`]),
    )
  expect(reasonsOf({ ...approved(1), status: "rejected", revoked_at: at(9), reason: "Moved" })).toEqual([
    "revoked: Moved",
  ])
  expect(reasonsOf({ status: "rejected", event_at: at(6), event_decision: "rejected", reason: "Blurred" })).toEqual([
    "rejected: Blurred",
  ])
  expect(reasonsOf({ ...approved(1), status: "expired", ended_at: at(9), reason: "superseded" })).toEqual([])
})

const approved = (day: number): Partial<LifeRow> => ({
  status: "verified",
  consented_at: at(day, 2),
  event_at: at(day, 2),
  event_decision: "approved",
  // Precise only to the second, and so slightly before the consent.
  issued_at: at(day, 1),
  verified_at: at(day, 3),
  expires_at: at(400),
  open_until: null,
})

test("a wallet is shown from start to credential, newest first, with the approval never before the consent", () => {
  expect(told([row("a", "w", approved(1))])).toEqual([
    "verified a",
    "approved a",
    "consented a",
    "started a",
    "first_seen",
  ])
})

test("another wallet is added by its first verification only", () => {
  const rows = [
    row("c", "w2", { created_at: at(7) }),
    row("b", "w2", { created_at: at(5), status: "rejected", event_at: at(6), event_decision: "rejected" }),
    row("a", "w1", {}),
  ]
  expect(told(rows)).toEqual(["started c", "rejected b", "started b", "wallet_added b", "started a", "first_seen"])
})

test.each<[string, Partial<LifeRow>, string]>([
  ["revoked", { ...approved(1), status: "rejected", revoked_at: at(9), ended_at: at(9) }, "revoked a"],
  [
    "replaced by a renewal",
    { ...approved(1), status: "expired", ended_at: at(9), reason: "superseded" },
    "superseded a",
  ],
  ["over, and not swept yet", { ...approved(1), expires_at: at(10) }, "expired a"],
  ["a session that closed", { open_until: at(2) }, "expired a"],
  ["ended by the provider before its time", { status: "expired", ended_at: at(2) }, "expired a"],
  [
    "taken back by the provider",
    { ...approved(1), status: "rejected", event_at: at(8), event_decision: "rejected", ended_at: at(9) },
    "rejected a",
  ],
])("the end is the last entry: %s", (_what, more, last) => {
  expect(told([row("a", "w", more)])[0]).toBe(last)
})

test("an erasure is shown with its time, and the first entry is left out if older attestations are", () => {
  const events = investorTimeline([row("a", "w", {})], {
    firstSeenAt: null,
    erasedAt: at(15),
    now: at(20),
  })
  expect(events.map(({ event, at }) => [event, at])).toEqual([
    ["erased", "2026-01-15T00:00:00Z"],
    ["started", "2026-01-01T00:00:00Z"],
  ])
})

test("what happened to the wallets is among the verifications, newest first", () => {
  const activity = [
    {
      event: "frozen",
      at: at(4),
      user_pubkey: "w" as Address,
      reason: "Order 9",
      symbol: null,
      operation: null,
      recovery_id: null,
    },
    {
      event: "unfrozen",
      at: at(1, 4),
      user_pubkey: "w" as Address,
      reason: null,
      symbol: "FND",
      operation: null,
      recovery_id: null,
    },
  ] as const
  const events = investorTimeline([row("a", "w", approved(1))], {
    firstSeenAt: null,
    erasedAt: null,
    activity,
    now: at(20),
  })
  expect(events.map(({ event, reason, symbol }) => [event, reason, symbol])).toEqual([
    ["frozen", "Order 9", null],
    ["unfrozen", null, "FND"],
    ["verified", null, null],
    ["approved", null, null],
    ["consented", null, null],
    ["started", null, null],
  ])
})
