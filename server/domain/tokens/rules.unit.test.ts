import { describe, expect, test } from "vitest"
import { MAX_BASE_UNITS } from "#shared/amount.ts"
import type { ErrorCode } from "#shared/errors.ts"
import {
  type Case,
  leaves,
  objectionTo,
  objectionToHolding,
  objectionToSigning,
  type Party,
  type Rules,
} from "./rules.ts"

const NOW = new Date("2026-06-01T00:00:00Z")

const party = (wallet: string, more: Partial<Party> = {}): Party => ({
  wallet,
  claims: { country: "US", accredited: true },
  balance: 0n,
  incoming: 0n,
  outgoing: 0n,
  counted: false,
  ...more,
})
const alice = (more?: Partial<Party>) => party("alice", { balance: 100n, counted: true, ...more })
const bob = (more?: Partial<Party>) => party("bob", more)

type Changes = { amount?: bigint; from?: Party; to?: Party; rules?: Rules; config?: Partial<Case["config"]> }

const caseOf = (
  from: Party | null,
  { amount = 10n, to = bob(), rules = {}, config = {} }: Changes,
): Case => ({
  amount,
  from,
  to,
  now: NOW,
  config: {
    decimals: 0,
    requiredSchema: "kyc_individual_v1",
    paused: false,
    rules,
    issued: 100n,
    holders: 1,
    knowsBalances: true,
    ...config,
  },
})
const mint = (changes: Changes = {}) => caseOf(null, changes)
const transfer = (changes: Changes = {}) => caseOf(changes.from ?? alice(), changes)
const codeOf = (one: Case) => objectionTo(one)?.code ?? null

test("without rules, verified wallets get tokens and move them", () => {
  expect(objectionTo(mint())).toBeNull()
  expect(objectionTo(transfer())).toBeNull()
})

const until = (seconds: number) => ({ transfersLockedUntil: new Date(NOW.getTime() + seconds * 1000) })
const US = { allowedCountries: ["US", "CA"] }
const NOT_KP = { blockedCountries: ["KP"] }
const ACCREDITED = { requireAccredited: true }
const from = (country: string) => ({ claims: { country } })

describe.each<[ErrorCode, [string, Case][], [string, Case][]]>([
  [
    "mint_paused",
    [
      ["a mint", mint({ config: { paused: true } })],
      ["a transfer", transfer({ config: { paused: true } })],
    ],
    [["once unpaused", transfer()]],
  ],
  [
    "transfers_locked",
    [["a second before the end", transfer({ rules: until(1) })]],
    [
      ["at the end of the lock-up", transfer({ rules: until(0) })],
      ["a mint in the lock-up", mint({ rules: until(1) })],
    ],
  ],
  [
    "wallet_not_verified",
    [
      ["who receives a mint", mint({ to: bob({ claims: null }) })],
      ["who gives", transfer({ from: alice({ claims: null }) })],
      ["who receives", transfer({ to: bob({ claims: null }) })],
    ],
    [["a verified wallet whose claims were erased", mint({ to: bob({ claims: {} }) })]],
  ],
  [
    "country_not_allowed",
    [
      ["one that is not among the allowed", mint({ rules: US, to: bob(from("DE")) })],
      ["one that is blocked", mint({ rules: NOT_KP, to: bob(from("KP")) })],
      ["one that is allowed and blocked", mint({ rules: { ...US, blockedCountries: ["US"] } })],
      ["the giver's", transfer({ rules: NOT_KP, from: alice(from("KP")) })],
      ["the receiver's", transfer({ rules: NOT_KP, to: bob(from("KP")) })],
      ["none told, where some are allowed", mint({ rules: US, to: bob({ claims: {} }) })],
      ["none told, where some are blocked", mint({ rules: NOT_KP, to: bob({ claims: {} }) })],
    ],
    [
      ["one that is allowed", transfer({ rules: US, to: bob(from("CA")) })],
      ["one that is not blocked", mint({ rules: NOT_KP, to: bob(from("DE")) })],
      ["none told, where no rule asks", mint({ to: bob({ claims: {} }) })],
    ],
  ],
  [
    "not_accredited",
    [
      ["who says no", mint({ rules: ACCREDITED, to: bob({ claims: { accredited: false } }) })],
      ["who says nothing", mint({ rules: ACCREDITED, to: bob(from("US")) })],
      ["the giver", transfer({ rules: ACCREDITED, from: alice(from("US")) })],
      ["the receiver", transfer({ rules: ACCREDITED, to: bob(from("US")) })],
    ],
    [
      ["an accredited one", mint({ rules: ACCREDITED, to: bob({ claims: { accredited: true } }) })],
      ["anybody, where the rule is off", mint({ rules: { requireAccredited: false }, to: bob(from("US")) })],
    ],
  ],
  [
    "supply_cap_exceeded",
    [
      ["one unit too many", mint({ rules: { maxSupply: 109n } })],
      ["more than a mint can hold, without a rule", mint({ config: { issued: MAX_BASE_UNITS }, amount: 1n })],
      ["a cap that is passed already", mint({ rules: { maxSupply: 50n }, amount: 1n })],
    ],
    [
      ["up to the cap", mint({ rules: { maxSupply: 110n } })],
      ["all that a mint can hold", mint({ config: { issued: MAX_BASE_UNITS - 1n }, amount: 1n })],
      ["a transfer, which mints nothing", transfer({ rules: { maxSupply: 100n } })],
    ],
  ],
  [
    "holder_limit_reached",
    [
      ["a mint to a new holder at the cap", mint({ rules: { maxHolders: 1 } })],
      ["a transfer of a part to a new holder", transfer({ rules: { maxHolders: 1 }, amount: 99n })],
      [
        "a transfer of all by one who is about to receive",
        transfer({ rules: { maxHolders: 1 }, amount: 100n, from: alice({ incoming: 1n }) }),
      ],
      [
        "an exit with what is left, while the rest may still come back",
        transfer({ rules: { maxHolders: 1 }, amount: 60n, from: alice({ outgoing: 40n }) }),
      ],
      [
        "an exit whose place has gone to somebody else",
        transfer({ rules: { maxHolders: 1 }, amount: 100n, from: alice({ counted: false }) }),
      ],
    ],
    [
      ["a new holder below the cap", mint({ rules: { maxHolders: 2 } })],
      ["one who holds already", mint({ rules: { maxHolders: 1 }, to: bob({ counted: true }) })],
      ["a full exit to a new holder", transfer({ rules: { maxHolders: 1 }, amount: 100n })],
    ],
  ],
  [
    "balance_limit_exceeded",
    [
      ["one unit too many", mint({ rules: { maxBalancePerWallet: 9n } })],
      [
        "with what is on its way",
        transfer({ rules: { maxBalancePerWallet: 20n }, to: bob({ balance: 5n, incoming: 6n }) }),
      ],
      [
        "what is about to leave makes no room before it has left",
        mint({ rules: { maxBalancePerWallet: 20n }, to: bob({ balance: 15n, outgoing: 15n }) }),
      ],
    ],
    [
      ["up to the limit", mint({ rules: { maxBalancePerWallet: 10n } })],
      [
        "up to the limit with what is on its way",
        transfer({ rules: { maxBalancePerWallet: 20n }, to: bob({ balance: 5n, incoming: 5n }) }),
      ],
      ["a giver above the limit", transfer({ rules: { maxBalancePerWallet: 10n } })],
    ],
  ],
  [
    "insufficient_balance",
    [
      ["one unit too many", transfer({ amount: 101n })],
      ["with what has been promised elsewhere", transfer({ from: alice({ outgoing: 91n }) })],
      ["what is on its way cannot be spent", transfer({ from: alice({ balance: 9n, incoming: 100n }) })],
    ],
    [
      ["all of it", transfer({ amount: 100n })],
      ["all that is not promised", transfer({ from: alice({ outgoing: 90n }) })],
      ["a mint, which takes from nobody", mint({ amount: 1000n })],
      [
        "whatever the chain decides in holder mode",
        transfer({ amount: 101n, config: { knowsBalances: false } }),
      ],
    ],
  ],
])("%s", (code, refused, admitted) => {
  test.each(refused)("refuses: %s", (_name, one) => {
    expect(codeOf(one)).toBe(code)
  })
  test.each(admitted)("admits: %s", (_name, one) => {
    expect(codeOf(one)).toBeNull()
  })
})

/** Everything is wrong with a transfer, and rule by rule is taken back. */
const repairs: [ErrorCode, (one: Case) => Case][] = [
  ["mint_paused", (one) => ({ ...one, config: { ...one.config, paused: false } })],
  ["transfers_locked", (one) => without(one, "transfersLockedUntil")],
  [
    "wallet_not_verified",
    (one) => ({ ...one, from: { ...one.from!, claims: {} }, to: { ...one.to, claims: {} } }),
  ],
  ["country_not_allowed", (one) => without(one, "allowedCountries")],
  ["not_accredited", (one) => without(one, "requireAccredited")],
  ["holder_limit_reached", (one) => without(one, "maxHolders")],
  ["balance_limit_exceeded", (one) => without(one, "maxBalancePerWallet")],
  ["insufficient_balance", (one) => ({ ...one, amount: 1n })],
]

function without(one: Case, name: keyof Rules): Case {
  const { [name]: _gone, ...rules } = one.config.rules
  return { ...one, config: { ...one.config, rules } }
}

const allWrong = (of: Party | null): Case =>
  caseOf(of, {
    amount: 1000n,
    to: bob({ claims: null }),
    rules: { ...until(1), ...US, ...ACCREDITED, maxSupply: 1n, maxHolders: 1, maxBalancePerWallet: 1n },
    config: { paused: true },
  })

test("the first objection answers, in the promised order", () => {
  let one = allWrong(alice({ claims: null }))
  for (const [code, repair] of repairs) {
    expect(codeOf(one)).toBe(code)
    one = repair(one)
  }
  expect(codeOf(one)).toBeNull()
})

test("a mint: no lock-up, and supply before holders", () => {
  let one = allWrong(null)
  const order = [
    ["mint_paused", (of: Case) => ({ ...of, config: { ...of.config, paused: false } })],
    ["wallet_not_verified", (of: Case) => ({ ...of, to: { ...of.to, claims: {} } })],
    ["country_not_allowed", (of: Case) => without(of, "allowedCountries")],
    ["not_accredited", (of: Case) => without(of, "requireAccredited")],
    ["supply_cap_exceeded", (of: Case) => without(of, "maxSupply")],
    ["holder_limit_reached", (of: Case) => without(of, "maxHolders")],
    ["balance_limit_exceeded", (of: Case) => without(of, "maxBalancePerWallet")],
  ] as const
  for (const [code, repair] of order) {
    expect(codeOf(one)).toBe(code)
    one = repair(one)
  }
  expect(codeOf(one)).toBeNull()
})

test("of two strangers the giver is named, of one stranger he", () => {
  const stranger = { claims: null }
  expect(objectionTo(transfer({ from: alice(stranger), to: bob(stranger) }))!.detail).toMatch(/^alice /)
  expect(objectionTo(transfer({ to: bob(stranger) }))!.detail).toMatch(/^bob /)
})

test("a detail says in whole tokens what is left", () => {
  const config = { decimals: 2, issued: 150n }
  const capped = objectionTo(mint({ amount: 100n, rules: { maxSupply: 200n }, config }))
  expect(capped!.detail).toBe("amount: 0.5 of the supply of 2 can still be minted.")
  const passed = objectionTo(mint({ rules: { maxSupply: 100n }, config }))
  expect(passed!.detail).toMatch(/^amount: 0 of the supply of 1 /)
  const short = objectionTo(transfer({ amount: 100n, from: alice({ outgoing: 75n }), config }))
  expect(short!.detail).toBe("amount: alice can move 0.25 at most.")
})

test("what is reserved is not asked again at the signature, what can change is", () => {
  const limits = { maxSupply: 1n, maxHolders: 0, maxBalancePerWallet: 1n }
  expect(objectionToSigning(transfer({ amount: 1000n, rules: limits }))).toBeNull()
  expect(objectionToSigning(transfer({ to: bob({ claims: null }) }))!.code).toBe("wallet_not_verified")
  expect(objectionToSigning(transfer({ config: { paused: true } }))!.code).toBe("mint_paused")
  expect(objectionToSigning(transfer({ rules: until(1) }))!.code).toBe("transfers_locked")
})

test("to hold by himself an investor needs what belongs to him, and no pause or lock-up takes that away", () => {
  expect(objectionToHolding(mint({ config: { paused: true } }))).toBeNull()
  expect(objectionToHolding(mint({ to: bob({ claims: null }) }))!.code).toBe("wallet_not_verified")
  expect(objectionToHolding(mint({ rules: US, to: bob(from("DE")) }))!.code).toBe("country_not_allowed")
  expect(objectionToHolding(mint({ rules: ACCREDITED, to: bob({ claims: {} }) }))!.code).toBe(
    "not_accredited",
  )
})

test.each([
  ["all that he has", alice(), 100n, true],
  ["all that is not promised elsewhere", alice({ outgoing: 40n }), 60n, false],
  ["less than that", alice(), 99n, false],
  ["all, while more is coming", alice({ incoming: 1n }), 100n, false],
  ["all, without a place of his own", alice({ counted: false }), 100n, false],
  ["a mint", null, 100n, false],
])("whether the giver leaves: %s", (_name, giver, amount, expected) => {
  expect(leaves(giver, amount)).toBe(expected)
})
