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
const spoken = (detail: string) =>
  partsOf(detail, people)
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
    "<emma-larsson-1008> is not verified for kyc_individual_v1: its attestation expired on 3 Mar 2026.",
    "<emma-larsson-1008> is frozen.",
    "<emma-larsson-1008> can move 5 at most.",
    "<bob> may hold 10 at most.",
    "<bob> was reported as lost. Use another wallet of the investor.",
  ])
})

test("a wallet that no one owns stays a wallet", () => {
  expect(partsOf("carol is frozen.", people)).toEqual(["carol is frozen."])
  expect(subjectOf("carol is frozen.", people)).toBeNull()
})

test("the person that a refusal is about is found by the wallet", () => {
  expect(subjectOf(detailOf(from({ isFrozen: true })), people)).toBe(emma)
})

test("each rule about a wallet says what a member can do, unless the form has a button for it", () => {
  const aboutWallets = allRules.filter(({ checked, remedy }) => checked === "wallet" && remedy === null)
  expect(Object.keys(nextSteps)).toEqual(expect.arrayContaining(aboutWallets.map(({ code }) => code)))
})
