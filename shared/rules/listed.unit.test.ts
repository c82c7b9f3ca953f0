import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { findings, firstViolationAtSigning, firstViolationOfHolding } from "./check.ts"

describeRule("wallet_sanctioned", {
  refuses: [
    ["a mint to a wallet on a list", mint({ to: bob({ isListed: true }) })],
    ["a transfer to one", transfer({ from: alice({ isListed: false }), to: bob({ isListed: true }) })],
    ["a transfer from one", transfer({ from: alice({ isListed: true }), to: bob({ isListed: false }) })],
    ["one that is not verified either", mint({ to: bob({ isListed: true, claims: null }) })],
  ],
  admits: [
    ["wallets on no list", transfer({ from: alice({ isListed: false }), to: bob({ isListed: false }) })],
    ["every wallet where nothing is screened", transfer()],
  ],
})

test("it binds at signing, and says nothing of what an account rests as", () => {
  const context = mint({ to: bob({ isListed: true }) })
  expect(firstViolationAtSigning(context)?.code).toBe("wallet_sanctioned")
  expect(firstViolationOfHolding(context)).toBeNull()
})

test("the check before sending names it only where wallets are screened", () => {
  const codes = (isListed?: boolean) => findings(mint({ to: bob({ isListed }) })).map(({ code }) => code)
  expect(codes(false)).toContain("wallet_sanctioned")
  expect(codes()).not.toContain("wallet_sanctioned")
})
