import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { findings, firstViolationAtSigning, firstViolationOfHolding } from "./check.ts"

describeRule("wallet_sanctioned", {
  refuses: [
    ["a mint to a wallet on a list", mint({ to: bob({ isListed: true }) })],
    ["a transfer to one", transfer({ from: alice({ isListed: false }), to: bob({ isListed: true }) })],
    ["a transfer from one", transfer({ from: alice({ isListed: true }), to: bob({ isListed: false }) })],
    ["a listed wallet that is not verified", mint({ to: bob({ isListed: true, claims: null }) })],
  ],
  admits: [
    ["wallets on no list", transfer({ from: alice({ isListed: false }), to: bob({ isListed: false }) })],
    ["every wallet if there is no screening", transfer()],
  ],
})

test("the rule is checked at signing and does not decide whether an account is frozen", () => {
  const context = mint({ to: bob({ isListed: true }) })
  expect(firstViolationAtSigning(context)?.code).toBe("wallet_sanctioned")
  expect(firstViolationOfHolding(context)).toBeNull()
})

test("the preflight shows the rule only if wallets are screened", () => {
  const codes = (isListed?: boolean) => findings(mint({ to: bob({ isListed }) })).map(({ code }) => code)
  expect(codes(false)).toContain("wallet_sanctioned")
  expect(codes()).not.toContain("wallet_sanctioned")
})
