import { expect, test } from "vitest"
import { burn, describeRule, forceTransfer, mint, transfer } from "#test/fixtures/rules.ts"
import { findings, overridden } from "./check.ts"

const paused = { config: { paused: true } }

describeRule("mint_paused", {
  refuses: [
    ["a mint", mint(paused)],
    ["a transfer", transfer(paused)],
    ["a burn", burn(paused)],
    ["a forced transfer", forceTransfer(paused)],
    ["what passes a pause, while balances are counted", burn({ config: { isCounting: true }, whilePaused: true })],
  ],
  admits: [
    ["once unpaused", transfer()],
    ["a burn that passes the pause", burn({ ...paused, whilePaused: true })],
    ["a forced transfer that passes the pause", forceTransfer({ ...paused, whilePaused: true })],
    ["one that passes a pause once unpaused", burn({ whilePaused: true })],
  ],
})

test("an act that passes a pause overrides it, and only then", () => {
  const passing = burn({ ...paused, whilePaused: true })
  const overrides = { code: "mint_paused", outcome: "overridden", detail: "The token is paused." }
  expect(findings(passing)).toContainEqual(overrides)
  expect(overridden(passing)).toEqual(["mint_paused"])
  expect(overridden(burn({ whilePaused: true }))).toEqual([])
})
