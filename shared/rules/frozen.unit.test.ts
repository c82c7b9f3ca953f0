import { expect, test } from "vitest"
import { alice, bob, burn, describeRule, forceTransfer, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolationAtSigning, firstViolationOfHolding, overridden } from "./check.ts"

const isFrozen = true

describeRule("wallet_frozen", {
  refuses: [
    ["a mint to a frozen wallet", mint({ to: bob({ isFrozen }) })],
    ["a transfer to one", transfer({ to: bob({ isFrozen }) })],
    ["a transfer from one", transfer({ from: alice({ isFrozen }) })],
    ["a forced transfer to one", forceTransfer({ to: bob({ isFrozen }) })],
    ["a frozen wallet that is not verified", mint({ to: bob({ isFrozen, claims: null }) })],
  ],
  admits: [
    ["wallets that are not frozen", transfer()],
    ["a forced transfer from a frozen wallet", forceTransfer({ from: alice({ isFrozen }) })],
    ["a burn of a frozen wallet's tokens", burn({ from: alice({ isFrozen }) })],
  ],
})

test("the rule is checked at signing, and decides whether an account is frozen", () => {
  const context = mint({ to: bob({ isFrozen }) })
  expect(firstViolationAtSigning(context)?.code).toBe("wallet_frozen")
  expect(firstViolationOfHolding(context)?.code).toBe("wallet_frozen")
})

test("a wallet that is on a list and frozen is refused as listed", () => {
  expect(firstViolationAtSigning(mint({ to: bob({ isFrozen, isListed: true }) }))?.code).toBe("wallet_sanctioned")
})

test("a burn and a forced transfer set a freeze of the holder aside", () => {
  const from = alice({ isFrozen })
  expect(overridden(burn({ from }))).toEqual(["wallet_frozen"])
  expect(overridden(forceTransfer({ from }))).toEqual(["wallet_frozen"])
})
