import { expect, test } from "vitest"
import { type StandingRow, standingAt } from "./standing.ts"

const day = (n: number) => new Date(Date.UTC(2026, 0, n))

const session: StandingRow = {
  ...{ status: "pending", created_at: day(1), open_until: day(5), issued_at: null, expires_at: null },
  ...{ verified_at: null, revoked_at: null, ended_at: null, event_at: null, event_decision: null },
}
const approved = { open_until: null, issued_at: day(3), expires_at: day(20), verified_at: day(3) }
const statusOn = (n: number, row: Partial<StandingRow>) => standingAt({ ...session, ...row }, day(n))

test("a verification holds from the day it was verified until it expires, whatever its status is now", () => {
  const row = { ...approved, status: "expired", ended_at: day(20) } as const
  expect(statusOn(2, row)).toEqual({ status: "pending", at: null })
  expect(statusOn(3, row)).toEqual({ status: "verified", at: day(20) })
  expect(statusOn(19, row)).toEqual({ status: "verified", at: day(20) })
  expect(statusOn(20, row)).toEqual({ status: "expired", at: day(20) })
})

test("a revoked verification was in force until it was revoked", () => {
  const row = { ...approved, status: "rejected", ended_at: day(10), revoked_at: day(10) } as const
  expect(statusOn(9, row).status).toBe("verified")
  expect(statusOn(10, row)).toEqual({ status: "revoked", at: day(10) })
})

test("a verification that a renewal replaced ended with the renewal", () => {
  expect(statusOn(12, { ...approved, status: "expired", ended_at: day(11) })).toEqual({
    status: "expired",
    at: day(11),
  })
})

test("a session that no one completed has expired without a verification", () => {
  expect(statusOn(4, {}).status).toBe("pending")
  expect(statusOn(6, {})).toEqual({ status: "session_expired", at: day(5) })
  expect(statusOn(6, { status: "expired", ended_at: day(6) })).toEqual({ status: "session_expired", at: day(5) })
})

test("a rejected session was pending before, and is under review from the vendor's report on", () => {
  const row = { status: "rejected", ended_at: day(4) } as const
  expect(statusOn(3, row).status).toBe("pending")
  expect(statusOn(4, row)).toEqual({ status: "rejected", at: day(4) })
  const reported = { event_at: day(2), event_decision: "in_review" } as const
  expect(statusOn(1, reported).status).toBe("pending")
  expect(statusOn(2, reported).status).toBe("in_review")
})
