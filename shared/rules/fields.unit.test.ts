import { expect, test } from "vitest"
import {
  firstConflict,
  holdingNames,
  isRuleName,
  type RulesJson,
  readRules,
  ruleFields,
  summariesOf,
} from "./fields.ts"

const every = {
  allowed_countries: ["US", "CA"],
  blocked_countries: ["KP"],
  require_accredited: true,
  max_supply: "1000000.5",
  max_holders: 2000,
  max_balance_per_wallet: "50000",
  transfers_locked_until: "2027-01-01T00:00:00Z",
} satisfies RulesJson
const agent = { mode: "agent", decimals: 2 } as const
const holder = { mode: "holder", decimals: 2 } as const

test("fields are in the order of forms and documents: who may hold, limits, delays", () => {
  const shown = ruleFields.map(({ name }) => name)
  expect(shown.filter((name) => name in every)).toEqual(Object.keys(every))
  expect(shown.slice(0, holdingNames.length)).toEqual(holdingNames)
  expect(holdingNames).toEqual(expect.arrayContaining(["allowed_countries", "require_accredited"]))
  expect(isRuleName("max_supply")).toBe(true)
  expect(isRuleName("toString")).toBe(false)
})

test("rules are parsed to base units and times, and a flag that is off is not set", () => {
  expect(readRules(every, 2)).toEqual({
    ...every,
    max_supply: 100_000_050n,
    max_balance_per_wallet: 5_000_000n,
    transfers_locked_until: new Date("2027-01-01T00:00:00Z"),
  })
  expect(readRules({ require_accredited: false }, 2)).toEqual({})
  expect(readRules({}, 2)).toEqual({})
})

test.each<[string, RulesJson, string | null]>([
  ["no rule", {}, null],
  ["rules about a wallet", { allowed_countries: ["US"], require_accredited: true }, null],
  ["a limit on the supply, which the mint itself holds", { max_supply: "1" }, null],
  ["a limit on holders", { max_holders: 1 }, "max_holders"],
  ["a limit on balances", { max_balance_per_wallet: "1" }, "max_balance_per_wallet"],
  ["a lock-up", { transfers_locked_until: "2027-01-01T00:00:00Z" }, "transfers_locked_until"],
])("holder mode enforces %s, or names the field it cannot", (_name, rules, field) => {
  expect(firstConflict(rules, agent)).toBeNull()
  expect(firstConflict(rules, holder)?.field ?? null).toBe(field)
})

test("rules that no one could meet, or finer than the token's decimals, are named by field", () => {
  expect(firstConflict({ allowed_countries: ["KP"], blocked_countries: ["KP"] }, agent)).toEqual({
    field: "blocked_countries",
    detail: "blocks every country in rules.allowed_countries, so no one could hold the token.",
  })
  expect(firstConflict({ max_supply: "1.234" }, agent)).toEqual({
    field: "max_supply",
    detail: "must be at most 184467440737095516.15, with at most 2 digits after the point.",
  })
  expect(firstConflict({ max_balance_per_wallet: "1.23" }, agent)).toBeNull()
})

test("rules that are set are summarized in the order of their checks", () => {
  const reader = { now: new Date("2026-06-01T00:00:00Z"), formatTime: (time: string) => `<${time}>` }
  expect(summariesOf(every, reader).map(({ text }) => text)).toEqual([
    "No transfers before <2027-01-01T00:00:00Z>.",
    "Only investors from United States, Canada.",
    "No investors from North Korea.",
    "Only accredited investors.",
    "Maximum supply 1,000,000.50.",
    "Maximum 2,000 holders.",
    "Maximum 50,000 per wallet.",
  ])
  const later = { ...reader, now: new Date("2028-01-01T00:00:00Z") }
  expect(summariesOf({ transfers_locked_until: every.transfers_locked_until }, later)).toEqual([
    { name: "transfers_locked_until", text: "Transfers open since <2027-01-01T00:00:00Z>." },
  ])
  expect(summariesOf({ require_accredited: false }, reader)).toEqual([])
})
