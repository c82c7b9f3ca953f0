import { expect, test } from "vitest"
import { alice, bob, burn, describeRule, forceTransfer, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolation, firstViolationAtSigning, firstViolationOfHolding } from "./check.ts"

const isBarred = true

describeRule("wallet_barred", {
  refuses: [
    ["a mint to a lost wallet", mint({ to: bob({ isBarred }) })],
    ["a transfer to one", transfer({ to: bob({ isBarred }) })],
    ["a transfer from one", transfer({ from: alice({ isBarred }) })],
    ["a forced transfer to one", forceTransfer({ to: bob({ isBarred }) })],
    ["a lost wallet that is not verified", mint({ to: bob({ isBarred, claims: null }) })],
  ],
  admits: [
    ["other wallets", transfer()],
    ["a forced transfer from a lost wallet", forceTransfer({ from: alice({ isBarred }) })],
    ["a burn of a lost wallet's tokens", burn({ from: alice({ isBarred }) })],
  ],
})

test("the rule is checked at signing, and decides whether an account is frozen", () => {
  const context = mint({ to: bob({ isBarred }) })
  expect(firstViolationAtSigning(context)?.code).toBe("wallet_barred")
  expect(firstViolationOfHolding(context)?.code).toBe("wallet_barred")
})

test("limits do not bind a recovery, and what keeps a wallet from holding tokens does", () => {
  const rules = { max_holders: 1, max_balance_per_wallet: 1n, transfers_locked_until: new Date("2099-01-01T00:00:00Z") }
  const recovery = (to = bob()) => ({ ...forceTransfer({ from: alice({ isBarred }), to, rules }), isRecovery: true })
  expect(firstViolation(recovery())).toBeNull()
  expect(firstViolation({ ...recovery(), isRecovery: false })?.code).toBe("holder_limit_reached")
  const codes = [{ isListed: true }, { isBarred }, { isFrozen: true }, { claims: null }].map(
    (more) => firstViolation(recovery(bob(more)))?.code,
  )
  expect(codes).toEqual(["wallet_sanctioned", "wallet_barred", "wallet_frozen", "wallet_not_verified"])
})
