import { expect, test } from "vitest"
import { firstViolation } from "#shared/rules/check.ts"
import { allRules } from "#shared/rules/rules.ts"
import { alice, bob, type Changes, mint, transfer } from "#test/fixtures/rules.ts"
import { nextSteps, type Owner, partsOf, subjectOf } from "./finding-words.ts"

const people = [
  { user_pubkey: "alice", investor_id: "inv_1", external_id: "emma-larsson-1008" },
  { user_pubkey: "bob", investor_id: "inv_2", external_id: null },
] as unknown as Owner[]
const [emma] = people

const detailOf = (context: ReturnType<typeof mint>) => firstViolation(context)!.detail
const schemas = [{ id: "kyc_individual_v1", name: "Individual identity" }]
const spoken = (detail: string) =>
  partsOf(detail, people, schemas)
    .map((part) => (typeof part === "string" ? part : `<${part.external_id ?? part.user_pubkey}>`))
    .join("")
const from = (more: Parameters<typeof alice>[0], changes: Changes = {}) => transfer({ from: alice(more), ...changes })

test("details of refusals name people, without the words for clients of the API", () => {
  const unverified = { claims: null, unverifiedBecause: "its attestation expired on 3 Mar 2026" }
  expect([
    spoken(detailOf(from(unverified))),
    spoken(detailOf(from({ isFrozen: true }))),
    spoken(detailOf(from({ balance: 5n }))),
    spoken(detailOf(mint({ amount: 20n, rules: { max_balance_per_wallet: 10n } }))),
    spoken(detailOf(mint({ to: bob({ isBarred: true }) }))),
  ]).toEqual([
    "<emma-larsson-1008> is not verified for Individual identity: its attestation expired on 3 Mar 2026.",
    "<emma-larsson-1008> is frozen.",
    "<emma-larsson-1008> can move 5 at most.",
    "<bob> may hold 10 at most.",
    "<bob> was reported as lost. Use another wallet of the investor.",
  ])
})

test.each([
  ["The supply of 298000.5 would exceed 500000.", "The supply of 298,000.50 would exceed 500,000."],
  ["At most 1000 holders from 3 Mar 2026 on.", "At most 1,000 holders from 3 Mar 2026 on."],
  ["Refused since 2026-03-03T10:00:00Z.", "Refused since 2026-03-03T10:00:00Z."],
  ["A wallet 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T.", "A wallet 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T."],
])("amounts of a detail are grouped: %s", (detail, text) => {
  expect(spoken(detail)).toBe(text)
})

test("a wallet that no one owns stays a wallet", () => {
  expect(partsOf("carol is frozen.", people, schemas)).toEqual(["carol is frozen."])
  expect(subjectOf("carol is frozen.", people)).toBeNull()
})

test("the person that a refusal is about is found by the wallet", () => {
  expect(subjectOf(detailOf(from({ isFrozen: true })), people)).toBe(emma)
})

test("each rule about a wallet says what a member can do, unless the form has a button for it", () => {
  const aboutWallets = allRules.filter(({ checked, remedy }) => checked === "wallet" && remedy === null)
  expect(Object.keys(nextSteps)).toEqual(expect.arrayContaining(aboutWallets.map(({ code }) => code)))
})
