import { expect, test } from "vitest"
import { alice, bob, burn, forceTransfer, mint, NOW, transfer } from "#test/fixtures/rules.ts"
import { type MovementKind, movementKinds, withEnds } from "../movements.ts"
import { findings, firstViolation, firstViolationAtSigning, firstViolationOfHolding, overridden } from "./check.ts"
import type { Holder, TransferContext } from "./define.ts"
import type { RuleName } from "./fields.ts"
import { allRules, codesOn, type RuleCode } from "./rules.ts"

const lockedFor = (seconds: number) => ({ transfers_locked_until: new Date(NOW.getTime() + seconds * 1000) })
const US = { allowed_countries: ["US", "CA"] }
const ACCREDITED = { require_accredited: true } as const
const requests = { mint, transfer, burn, force_transfer: forceTransfer }
const codeOf = (context: TransferContext) => firstViolation(context)?.code ?? null

test("without rules, verified wallets get tokens and move them", () => {
  expect(firstViolation(mint())).toBeNull()
  expect(firstViolation(transfer())).toBeNull()
})

function without(context: TransferContext, name: RuleName): TransferContext {
  const { [name]: _gone, ...rules } = context.rules
  return { ...context, rules }
}

const unpaused = (context: TransferContext) => ({ ...context, config: { ...context.config, paused: false } })
/** A context that violates every rule. The test then removes one violation after the other. */
const allWrong = (kind: MovementKind): TransferContext =>
  requests[kind]({
    amount: 1000n,
    from: alice({ claims: null, isBarred: true, isFrozen: true }),
    to: bob({ claims: null, isBarred: true, isFrozen: true }),
    rules: {
      ...{ ...lockedFor(1), ...US, ...ACCREDITED },
      ...{ max_supply: 1n, max_holders: 1, max_balance_per_wallet: 1n },
      ...{ max_investors: 1, max_balance_per_investor: 1n, min_balance: 2000n },
    },
    counts: { before: { investors: 1 }, after: { investors: 2 } },
    config: { paused: true },
  })

const changed =
  (change: Partial<Holder>) =>
  (context: TransferContext): TransferContext => ({
    ...context,
    ...withEnds<Holder, Holder>(context, (holder) => ({ ...holder, ...change })),
  })

type Repair = [RuleCode, (context: TransferContext) => TransferContext]

const repairs: Repair[] = [
  ["mint_paused", unpaused],
  ["transfers_locked", (context) => without(context, "transfers_locked_until")],
  ["wallet_barred", changed({ isBarred: false })],
  ["wallet_frozen", changed({ isFrozen: false })],
  ["wallet_not_verified", changed({ claims: {} })],
  ["country_not_allowed", (context) => without(context, "allowed_countries")],
  ["not_accredited", (context) => without(context, "require_accredited")],
  ["supply_cap_exceeded", (context) => without(context, "max_supply")],
  ["holder_limit_reached", (context) => without(context, "max_holders")],
  ["investor_limit_reached", (context) => without(context, "max_investors")],
  ["balance_limit_exceeded", (context) => without(context, "max_balance_per_wallet")],
  ["investor_balance_limit_exceeded", (context) => without(context, "max_balance_per_investor")],
  ["insufficient_balance", (context) => ({ ...context, amount: 1n })],
  ["below_minimum", (context) => without(context, "min_balance")],
]

test.each(movementKinds)("the first violation of a %s is returned, in the order of the contract", (kind) => {
  let context = allWrong(kind)
  for (const [code, repair] of repairs.filter(([code]) => codesOn(kind).includes(code))) {
    expect(codeOf(context)).toBe(code)
    context = repair(context)
  }
  expect(codeOf(context)).toBeNull()
})

test("a forced transfer is bound by the rules about its receiver, and a burn by none about its holder", () => {
  expect(codesOn("burn")).toEqual(["mint_paused", "insufficient_balance", "amount_held"])
  const refused = alice({ claims: null, isListed: true })
  const rules = { ...lockedFor(1), ...US }
  expect(codeOf(forceTransfer({ from: refused, rules }))).toBeNull()
  expect(codeOf(forceTransfer({ to: bob({ claims: null }) }))).toBe("wallet_not_verified")
  expect(codeOf(forceTransfer({ to: bob({ isListed: true }) }))).toBe("wallet_sanctioned")
  expect(codeOf(burn({ from: refused, rules }))).toBeNull()
})

test("the rules that a forced act sets aside are those that refuse the same transfer", () => {
  const from = alice({ claims: null, isListed: true })
  const rules = { ...lockedFor(1), ...US }
  const aside = ["transfers_locked", "wallet_sanctioned", "wallet_not_verified", "country_not_allowed"]
  expect(overridden(forceTransfer({ from, rules }))).toEqual(aside)
  expect(overridden(burn({ from, rules }))).toEqual(aside)
  expect(overridden(forceTransfer())).toEqual([])
  expect(overridden(mint())).toEqual([])
  expect(overridden(burn({ rules: { max_balance_per_wallet: 100n } }))).toEqual([])
})

test("a rule that is set aside says what a transfer would violate, without advice", () => {
  const from = alice({ claims: null, isListed: true, isBarred: true, isFrozen: true })
  const of = (context: TransferContext) => findings(context).map(({ code, outcome, detail }) => [code, outcome, detail])
  const passed = ["mint_paused", "passed", "The token is not paused."]
  const aside = [
    ["wallet_sanctioned", "overridden", "alice is on a screening list."],
    ["wallet_barred", "overridden", "alice was reported as lost."],
    ["wallet_frozen", "overridden", "alice is frozen."],
    ["wallet_not_verified", "overridden", "alice is not verified for kyc_individual_v1."],
    ["not_accredited", "overridden", "Unknown while the wallet is not verified."],
  ]
  const balance = ["insufficient_balance", "passed", "The wallet can move 100."]
  expect(of(burn({ from, rules: ACCREDITED }))).toEqual([passed, ...aside, balance])
  expect(of(forceTransfer({ from, rules: ACCREDITED }))).toEqual([passed, ...aside, balance])
  const refused = of(forceTransfer({ from, to: bob({ claims: null }) }))
  expect(refused).toContainEqual([
    "wallet_not_verified",
    "refused",
    "bob is not verified for kyc_individual_v1. Start a verification with POST /kyc/start.",
  ])
})

test("rules that count come last, so that a refused wallet takes no lock", () => {
  const counts = allRules.map(({ checked }) => checked === "request")
  expect(counts).toEqual(counts.toSorted())
})

test("the detail names the sender if neither wallet is verified, otherwise the one that is not", () => {
  const stranger = { claims: null }
  expect(firstViolation(transfer({ from: alice(stranger), to: bob(stranger) }))!.detail).toMatch(/^alice /)
  expect(firstViolation(transfer({ to: bob(stranger) }))!.detail).toMatch(/^bob /)
})

test("the detail gives the remaining amount in whole tokens", () => {
  const config = { decimals: 2, issued: 150n }
  const capped = firstViolation(mint({ amount: 100n, rules: { max_supply: 200n }, config }))
  expect(capped!.detail).toBe("amount: 0.5 of the supply of 2 can still be minted.")
  const passed = firstViolation(mint({ rules: { max_supply: 100n }, config }))
  expect(passed!.detail).toMatch(/^amount: 0 of the supply of 1 /)
  const short = firstViolation(transfer({ amount: 100n, from: alice({ outgoing: 75n }), config }))
  expect(short!.detail).toBe("amount: alice can move 0.25 at most.")
})

test("a country is named only to callers who may know it", () => {
  const context = mint({ rules: US, to: bob({ claims: { country: "DE" } }) })
  expect(firstViolation(context)!.detail).toBe("The token's country rules do not allow bob.")
  expect(firstViolation({ ...context, namesClaims: true })!.detail).toBe(
    "The token's country rules do not allow bob: its investor is from Germany (DE).",
  )
})

test("signing checks rules that can change, not those whose amounts are reserved", () => {
  const limits = { max_supply: 1n, max_holders: 0, max_balance_per_wallet: 1n }
  expect(firstViolationAtSigning(transfer({ amount: 1000n, rules: limits }))).toBeNull()
  expect(firstViolationAtSigning(transfer({ to: bob({ claims: null }) }))!.code).toBe("wallet_not_verified")
  expect(firstViolationAtSigning(transfer({ config: { paused: true } }))!.code).toBe("mint_paused")
  expect(firstViolationAtSigning(transfer({ rules: lockedFor(1) }))!.code).toBe("transfers_locked")
})

test("a holder must meet the rules about the wallet, and neither a pause nor a lock-up freezes them", () => {
  const codeOfHolding = (context: TransferContext) => firstViolationOfHolding(context)?.code ?? null
  expect(codeOfHolding(mint({ config: { paused: true } }))).toBeNull()
  expect(codeOfHolding(mint({ to: bob({ claims: null }) }))).toBe("wallet_not_verified")
  expect(codeOfHolding(mint({ rules: US, to: bob({ claims: { country: "DE" } }) }))).toBe("country_not_allowed")
  expect(codeOfHolding(mint({ rules: ACCREDITED, to: bob({ claims: {} }) }))).toBe("not_accredited")
})

test("every rule that applies reports its result, and rules about unknown claims are undecided", () => {
  const rules = { ...US, ...ACCREDITED, max_holders: 3 }
  expect(findings(transfer({ rules }))).toEqual([
    { code: "mint_paused", outcome: "passed", detail: "The token is not paused." },
    { code: "wallet_barred", outcome: "passed", detail: "Neither wallet was reported as lost." },
    { code: "wallet_frozen", outcome: "passed", detail: "Neither wallet is frozen." },
    {
      code: "wallet_not_verified",
      outcome: "passed",
      detail: "Both wallets are verified for kyc_individual_v1.",
    },
    {
      code: "country_not_allowed",
      outcome: "passed",
      detail: "The countries of both investors are allowed.",
    },
    { code: "not_accredited", outcome: "passed", detail: "Both investors are accredited." },
    { code: "holder_limit_reached", outcome: "passed", detail: "1 of 3 holders." },
    { code: "insufficient_balance", outcome: "passed", detail: "The wallet can move 100." },
  ])
  const untold = findings(mint({ rules: ACCREDITED, to: bob({ claims: null }) }))
  expect(untold.map(({ code, outcome }) => `${code} ${outcome}`)).toEqual([
    "mint_paused passed",
    "wallet_barred passed",
    "wallet_frozen passed",
    "wallet_not_verified refused",
    "not_accredited undecided",
    "supply_cap_exceeded passed",
  ])
})
