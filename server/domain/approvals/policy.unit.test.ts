import { expect, test } from "vitest"
import { type Asked, bindingPolicy, displaces, loosens, type PolicyRow } from "./policy.ts"

const policy = (more: Partial<PolicyRow> = {}): PolicyRow => ({
  id: "apol_1",
  version: 1,
  actions: ["mint"],
  mint_config: null,
  min_amount: null,
  approvals: 1,
  roles: ["owner", "compliance"],
  expires_in_hours: 72,
  ...more,
})
const asked = (more: Partial<Asked> = {}): Asked => ({
  action: "mint",
  mint_config: "fund",
  amount: "100",
  isForced: false,
  ...more,
})
const bound = (policies: PolicyRow[], request: Asked, mode: "live" | "test" = "test") =>
  bindingPolicy({ mode, policies }, request)

test.each([
  ["another action", { action: "transfer" as const }, null],
  ["the action", {}, "apol_1"],
])("a policy binds %s or not", (_what, request, id) => {
  expect(bound([policy()], asked(request))?.id ?? null).toBe(id)
})

test.each([
  ["100", "100", true],
  ["100", "99.999999999", false],
  ["0.000000001", "0.000000001", true],
  ["18446744073709551615", "18446744073709551615", true],
  ["18446744073709551615", "18446744073709551614.9", false],
  ["9", "10", true],
  ["1.25", "1.3", true],
  ["1.3", "1.25", false],
  ["100", null, true],
])("with min_amount %s, an amount of %s is bound: %s", (min_amount, amount, isBound) => {
  expect(bound([policy({ min_amount })], asked({ amount })) !== null).toBe(isBound)
})

test("a policy about one token leaves others alone, and the one that requires most members wins", () => {
  const [all, fund] = [policy(), policy({ id: "apol_2", mint_config: "fund", approvals: 2 })]
  expect(bound([fund], asked({ mint_config: "other" }))).toBeNull()
  expect(bound([all, fund], asked())?.id).toBe("apol_2")
  expect(bound([all, fund], asked({ mint_config: "other" }))?.id).toBe("apol_1")
})

test("a policy about one token binds what concerns every token", () => {
  const fund = policy({ mint_config: "fund" })
  expect(bound([fund], asked({ mint_config: null, isAboutAll: true }))?.id).toBe("apol_1")
  expect(bound([fund], asked({ mint_config: null }))).toBeNull()
})

test("of policies that require as many members, the one with the fewest roles binds, and then the first id", () => {
  const [owners, both] = [policy({ id: "apol_3", roles: ["owner"] }), policy({ id: "apol_2" })]
  expect(bound([both, owners], asked())?.id).toBe("apol_3")
  expect(bound([owners, both], asked())?.id).toBe("apol_3")
  expect(bound([both, policy()], asked())?.id).toBe("apol_1")
})

test("a policy about executions of holds does not replace the approvers of one about forced transfers", () => {
  const forced = policy({ actions: ["force_transfer"], roles: ["compliance"] })
  const executed = policy({ actions: ["hold_execute"], roles: ["owner"] })
  expect([displaces(executed, forced), displaces(forced, executed)]).toEqual([true, true])
  const request = asked({ action: "hold_execute", also: ["force_transfer"], isForced: true })
  expect(bound([forced], request)?.id).toBe("apol_1")
  expect(bound([], request, "live")).toMatchObject({ id: null, approvals: 1 })
})

test("what passes a pause always needs an approval, under the policy that requires most members", () => {
  const passing = asked({ action: "burn", also: ["burn", "while_paused"] })
  for (const mode of ["live", "test"] as const)
    expect(bound([], passing, mode)).toMatchObject({ id: null, approvals: 1, actions: ["burn"] })
  const small = policy({ actions: ["while_paused"], min_amount: "101", approvals: 2 })
  expect(bound([small], passing)).toMatchObject({ id: null })
  const burns = policy({ id: "apol_2", actions: ["burn"], approvals: 2 })
  expect(bound([policy({ actions: ["while_paused"] }), burns], passing)?.id).toBe("apol_2")
})

test("policies about acts that pass a pause or take from holds meet those about the acts themselves", () => {
  const about = (action: Asked["action"], role: "owner" | "compliance") => policy({ actions: [action], roles: [role] })
  for (const action of ["burn", "force_transfer", "hold_execute"] as const) {
    expect(displaces(about(action, "owner"), about("while_paused", "compliance"))).toBe(true)
    expect(displaces(about("while_paused", "owner"), about(action, "compliance"))).toBe(true)
  }
  expect(displaces(about("hold_execute", "owner"), about("burn", "compliance"))).toBe(true)
  expect(displaces(about("burn", "owner"), about("force_transfer", "compliance"))).toBe(false)
  expect(displaces(about("mint", "owner"), about("while_paused", "compliance"))).toBe(false)
})

test("without policies, live workspaces have defaults and test ones only for few acts", () => {
  const force = asked({ action: "force_transfer", isForced: true })
  expect(bound([], force, "live")).toMatchObject({ id: null, approvals: 1, roles: ["owner", "compliance"] })
  expect(bound([], force)).toBeNull()
  expect(bound([], asked({ action: "burn", isForced: true }), "live")).not.toBeNull()
  expect(bound([], asked({ action: "burn", isForced: false }), "live")).toBeNull()
  expect(bound([], asked(), "live")).toBeNull()
  for (const mode of ["live", "test"] as const)
    expect(bound([], asked({ action: "policy_change", mint_config: null, amount: null }), mode)).not.toBeNull()
})

test("a default holds together with a policy that does not cover the request", () => {
  const force = asked({ action: "force_transfer", isForced: true, amount: "1" })
  expect(bound([policy({ actions: ["force_transfer"], min_amount: "1000" })], force, "live")).toMatchObject({
    id: null,
  })
})

const tighter: [string, Partial<PolicyRow>][] = [
  ["nothing", {}],
  ["another action", { actions: ["mint", "transfer"] }],
  ["more members", { approvals: 2 }],
  ["fewer roles", { roles: ["owner"] }],
  ["less time", { expires_in_hours: 1 }],
]
const looser: [string, Partial<PolicyRow>][] = [
  ["an action less", { actions: ["transfer"] }],
  ["fewer members", { approvals: 1 }],
  ["another role", { roles: ["compliance"] }],
  ["a further role", { roles: ["owner", "compliance"] }],
  ["more time", { expires_in_hours: 100 }],
  ["only one token", { mint_config: "fund" }],
  ["only large amounts", { min_amount: "5" }],
]
test.each(tighter)("a change to %s tightens", (_what, more) => {
  expect(loosens(policy(), policy(more))).toBe(false)
})
test.each(looser)("a change to %s loosens", (_what, more) => {
  const before = policy({ approvals: 2, roles: ["owner"] })
  expect(loosens(before, policy({ approvals: 2, roles: ["owner"], ...more }))).toBe(true)
})
test("deleting loosens, and amounts are compared as numbers", () => {
  expect(loosens(policy(), null)).toBe(true)
  expect(loosens(policy({ min_amount: "9" }), policy({ min_amount: "10" }))).toBe(true)
  expect(loosens(policy({ min_amount: "10" }), policy({ min_amount: "9.5" }))).toBe(false)
  expect(loosens(policy({ min_amount: "10" }), policy({ min_amount: "10.0" }))).toBe(false)
  expect(loosens(policy({ min_amount: "10" }), policy())).toBe(false)
  expect(loosens(policy({ mint_config: "fund" }), policy())).toBe(false)
})

test("a new policy displaces one whose approvers it replaces", () => {
  const owners = policy({ roles: ["owner"] })
  const officers = policy({ id: "apol_2", roles: ["compliance"] })
  expect(displaces(officers, owners)).toBe(true)
  expect(displaces(policy({ id: "apol_2", roles: ["owner"], approvals: 2 }), owners)).toBe(false)
  expect(displaces({ ...officers, actions: ["burn"] }, owners)).toBe(false)
  expect(displaces({ ...officers, mint_config: "a" }, { ...owners, mint_config: "b" })).toBe(false)
  expect(displaces({ ...officers, mint_config: "a" }, owners)).toBe(true)
  expect(displaces(officers, { ...owners, mint_config: "a" })).toBe(true)
  expect(displaces({ ...owners, expires_in_hours: 73 }, owners)).toBe(true)
  // It requires fewer members, so the existing policy still binds.
  expect(displaces(officers, { ...owners, approvals: 2 })).toBe(false)
})

test.each([
  ["99", ["attestation_revoke_bulk"], false],
  ["100", ["attestation_revoke_bulk"], true],
  // Its amount means tokens.
  ["1", ["attestation_revoke_bulk", "burn"], true],
  ["1", ["attestation_revoke"], true],
] as const)("with min_amount 100, a list of %s is bound by a policy about %j: %s", (amount, actions, isBound) => {
  const list = asked({ action: "attestation_revoke_bulk", also: ["attestation_revoke"], mint_config: null, amount })
  expect(bound([policy({ actions: [...actions], min_amount: "100" })], list) !== null).toBe(isBound)
})
