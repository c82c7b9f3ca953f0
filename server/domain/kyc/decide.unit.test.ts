import { describe, expect, test } from "vitest"
import { type Decision, decisions } from "#shared/statuses.ts"
import { type EventEffect, effectOf, rankOf, type VerificationState } from "./decide.ts"

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

describe("the effect of each decision in each state of the attestation", () => {
  const pending = { status: "pending", approved: false } as const
  const approved = { status: "pending", approved: true } as const
  const verified = { status: "verified", approved: true } as const
  const rejected = { status: "rejected", approved: false } as const
  const rejectedByVendor = { status: "rejected", approved: false, rejectedByVendor: true } as const
  const expired = { status: "expired", approved: false } as const
  test.each<[Omit<VerificationState, "last">, Decision, EventEffect]>([
    [pending, "approved", "approve"],
    [pending, "rejected", "reject"],
    [pending, "expired", "expire"],
    [pending, "resubmission_requested", "keep"],
    [pending, "in_review", "keep"],
    [approved, "approved", "ignore"],
    [approved, "rejected", "reject"],
    [approved, "expired", "ignore"],
    [approved, "resubmission_requested", "ignore"],
    [approved, "in_review", "ignore"],
    [verified, "approved", "ignore"],
    [verified, "rejected", "revoke"],
    [verified, "expired", "ignore"],
    [verified, "resubmission_requested", "ignore"],
    [verified, "in_review", "ignore"],
    [rejectedByVendor, "approved", "review"],
    [rejectedByVendor, "rejected", "reject_again"],
    [rejectedByVendor, "in_review", "ignore"],
    [rejectedByVendor, "resubmission_requested", "ignore"],
    [rejectedByVendor, "expired", "ignore"],
    ...decisions.map((decision): [typeof rejected, Decision, EventEffect] => [rejected, decision, "ignore"]),
    ...decisions.map((decision): [typeof expired, Decision, EventEffect] => [expired, decision, "ignore"]),
  ])("%o, %s: %s", (state, decision, effect) => {
    expect(effectOf({ ...state, last: null }, { decision, occurredAt: at(0) })).toBe(effect)
    const last = { at: at(0), rank: rankOf("in_review") }
    expect(effectOf({ ...state, last }, { decision, occurredAt: at(1) })).toBe(effect)
  })
})

test("decisions of the same instant rank rejected > approved > expired > resubmission_requested > in_review", () => {
  const ranked: Decision[] = ["rejected", "approved", "expired", "resubmission_requested", "in_review"]
  for (const [i, heavier] of ranked.entries()) {
    for (const [j, lighter] of ranked.entries()) {
      const state: VerificationState = {
        status: "pending",
        approved: false,
        last: { at: at(5), rank: rankOf(lighter) },
      }
      const effect = effectOf(state, { decision: heavier, occurredAt: at(5) })
      expect(effect === "ignore", `${heavier} after ${lighter}`).toBe(i >= j)
    }
  }
})

test.each(decisions)("%s that is older than the last applied event is ignored, whatever its rank", (decision) => {
  for (const last of decisions) {
    for (const status of ["pending", "verified"] as const) {
      const state: VerificationState = {
        status,
        approved: status === "verified",
        last: { at: at(5), rank: rankOf(last) },
      }
      expect(effectOf(state, { decision, occurredAt: at(4) })).toBe("ignore")
    }
  }
})
