import { expect, test } from "vitest"
import { firstViolation } from "#shared/rules/check.ts"
import { bob, mint } from "#test/fixtures/rules.ts"
import { refusalWords } from "./words.ts"

const schemas = [{ id: "kyc_individual_v1", name: "Individual identity" }]
const words = (more: Parameters<typeof bob>[0]) =>
  refusalWords({ user_pubkey: "bob", detail: firstViolation(mint({ to: bob(more) }))!.detail }, schemas)

test("a withheld payout says why, without the words for clients of the API", () => {
  const because = (unverifiedBecause?: string) => words({ claims: null, unverifiedBecause })
  expect([
    because("its attestation was revoked on 28 Nov 2026"),
    because("its session expired on 3 Mar 2026"),
    because("its verification is pending"),
    because(),
    words({ isBarred: true }),
  ]).toEqual([
    "Not verified: revoked on 28 Nov 2026.",
    "Not verified: session expired on 3 Mar 2026.",
    "Not verified: pending.",
    "Not verified.",
    "This wallet was reported as lost. Use another wallet of the investor.",
  ])
})
