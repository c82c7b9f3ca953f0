import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { tokenActions } from "#shared/approvals.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember } from "#test/fixtures/approvals.ts"

let app: TestApp
let owner: ProvenMember
let officer: ProvenMember
let apiKey: string

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  owner = await provenMember(app)
  officer = await provenMember(app, { role: "compliance", account: owner.account })
  apiKey = (await owner.browser.mutate("key.create", { name: "Setup", scopes: ["config:write", "token:read"] })).data
    .api_key
})
afterAll(() => app.stop())

const send = (method: string, path: string, json?: object, key = apiKey) =>
  app.request({ method, path, key, ...(json && { json }) })
const create = async (json: object = {}) => {
  const {
    status,
    json: policy,
    text,
  } = await send("POST", "/approval-policies", { actions: ["mint"], approvals: 1, ...json })
  expect(status, text).toBe(200)
  return policy.policy_id as string
}
const list = async () =>
  (await send("GET", "/approval-policies")).json.data as { policy_id: string; approvals: number }[]
const remove = async (id: string) => {
  const { json } = await send("DELETE", `/approval-policy/${id}`)
  expect((await approve(officer, json.approval_id)).status).toBe(200)
}

const idOf = async ({ email }: ProvenMember) => (await sql`select id from users where email = ${email}`)[0]!.id

test("the first policy and a stricter one take effect at once", async () => {
  const id = await create({ actions: ["mint", "mint"], min_amount: "100", expires_in_hours: 24 })
  const changed = await send("PATCH", `/approval-policy/${id}`, { actions: ["burn", "mint"], min_amount: null })
  expect(changed.status, changed.text).toBe(200)
  expect(changed.json).toMatchObject({ policy_id: id, actions: ["burn", "mint"], min_amount: null, status: "active" })
  expect((await list())[0]).toEqual(changed.json)
  const trail = await sql`select action from audit_entries where subject = ${id} order by seq`
  expect(trail.map(({ action }) => action)).toEqual(["approval_policy.created", "approval_policy.changed"])
  await remove(id)
})

test.each([
  ["PATCH", { actions: ["burn"] }],
  ["PATCH", { expires_in_hours: 100 }],
  ["PATCH", { min_amount: "5" }],
  ["DELETE", undefined],
])("%s with %j needs another member", async (method, json) => {
  const id = await create({ actions: ["burn", "mint"] })
  const before = await list()
  const asked = await send(method, `/approval-policy/${id}`, json)
  expect(asked.status, asked.text).toBe(202)
  expect(asked.json).toMatchObject({ policy_id: id, status: "awaiting_approval" })
  expect(asked.headers.location).toBe(`/v1/approval/${asked.json.approval_id}`)
  expect(await list()).toEqual(before)
  expect((await approve(owner, asked.json.approval_id)).error.error).toBe("second_person_required")
  const { data } = await approve(officer, asked.json.approval_id)
  expect(data).toMatchObject({ state: "approved", outcome: {} })
  expect(await list()).not.toEqual(before)
  if (json) await remove(id)
})

test("a request about a policy that has changed since becomes void", async () => {
  const id = await create()
  const asked = await send("DELETE", `/approval-policy/${id}`)
  await send("PATCH", `/approval-policy/${id}`, { expires_in_hours: 1 })
  expect((await approve(officer, asked.json.approval_id)).error.error).toBe("approval_ended")
  expect(await list()).toHaveLength(1)
  await remove(id)
})

test("a policy about a token names no act that is about none, because it would never bind it", async () => {
  const about = { approvals: 1, mint_config: "fund" }
  const refused = await send("POST", "/approval-policies", { ...about, actions: ["mint", "erase"] })
  expect([refused.status, refused.json.error]).toEqual([422, "validation_failed"])
  expect(refused.json.detail).toMatch(/^mint_config: erase /)
  const id = await create({ actions: ["erase", "mint"] })
  expect((await send("PATCH", `/approval-policy/${id}`, { mint_config: "fund" })).status).toBe(422)
  await remove(id)
  await remove(await create({ ...about, actions: tokenActions }))
})

test("a patch that changes nothing leaves the requests that wait", async () => {
  const id = await create({ actions: ["burn", "key_create"] })
  const key = { name: "Asked", scopes: ["kyc:read"] }
  const { error } = await owner.browser.mutate("key.create", key)
  for (const json of [{}, { actions: ["key_create", "burn"] }, { approvals: 1, mint_config: null }]) {
    const { status, json: record } = await send("PATCH", `/approval-policy/${id}`, json)
    expect([status, record.status]).toEqual([200, "active"])
  }
  expect(await sql`select from audit_entries where subject = ${id} and action = 'approval_policy.changed'`).toEqual([])
  expect((await approve(officer, error.approvalId)).data).toMatchObject({ state: "approved" })
  await remove(id)
})

test("no member can let others approve instead of those whom a policy names", async () => {
  const another = await provenMember(app, { account: owner.account })
  await create({ roles: ["owner"] })
  const { status, json } = await send("POST", "/approval-policies", {
    actions: ["mint"],
    approvals: 1,
    roles: ["compliance"],
  })
  expect([status, json.error ?? json.status]).toEqual([202, "awaiting_approval"])
  expect(await list()).toHaveLength(1)
  expect((await approve(officer, json.approval_id)).status).toBe(200)
  expect(await list()).toHaveLength(2)
  for (const one of await list()) await remove(one.policy_id)
  await owner.browser.mutate("member.changeRole", { user_id: await idOf(another), role: "viewer" })
})

test("members see the defaults next to their policies, and which changes wait", async () => {
  const id = await create()
  const { data } = await officer.browser.query("approvalPolicy.overview", {})
  expect(data.policies.map((one: { policy_id: string }) => one.policy_id)).toEqual([id])
  const byDefault = (action: string) => ({
    ...{ policy_id: null, actions: [action], mint_config: null, min_amount: null },
    ...{ approvals: 1, roles: ["owner", "compliance"], expires_in_hours: 72 },
  })
  expect(data.defaults).toEqual([byDefault("while_paused"), byDefault("lot_backdate"), byDefault("policy_change")])
  expect(data.waiting).toEqual([])
  const asked = (await send("DELETE", `/approval-policy/${id}`)).json.approval_id
  expect((await officer.browser.query("approvalPolicy.overview", {})).data.waiting).toEqual([
    { approval_id: asked, policy_id: id, is_new: false, deletes: true },
  ])
  await approve(officer, asked)
  expect((await officer.browser.query("approvalPolicy.overview", {})).data).toMatchObject({ policies: [], waiting: [] })
  const boss = await provenMember(app, { mode: "live" })
  const live = (await boss.browser.query("approvalPolicy.overview", {})).data
  const actions = live.defaults.flatMap((one: { actions: string[] }) => one.actions)
  expect(actions).toEqual(expect.arrayContaining(["burn", "force_transfer", "policy_change"]))
})

test("a policy that too few members could satisfy is refused", async () => {
  const { status, json } = await send("POST", "/approval-policies", { actions: ["mint"], approvals: 2 })
  expect([status, json.error]).toEqual([403, "approver_missing"])
  const alone = await provenMember(app)
  const key = (await alone.browser.mutate("key.create", { name: "k", scopes: ["config:write"] })).data.api_key
  const first = await send("POST", "/approval-policies", { actions: ["mint"], approvals: 1 }, key)
  expect([first.status, first.json.error]).toEqual([403, "approver_missing"])
})

test.each([
  [{ actions: [] }, /^actions/],
  [{ actions: ["erase_everything"] }, /^actions/],
  [{ approvals: 4 }, /^approvals/],
  [{ roles: ["viewer"] }, /^roles/],
  [{ expires_in_hours: 337 }, /^expires_in_hours/],
  [{ min_amount: "-1" }, /^min_amount/],
  [{ min_amount: "0.0000000001" }, /^min_amount/],
])("%j is refused", async (json, detail) => {
  const answer = await send("POST", "/approval-policies", { actions: ["mint"], approvals: 1, ...json })
  expect([answer.status, answer.json.error]).toEqual([422, "validation_failed"])
  expect(answer.json.detail).toMatch(detail)
})

test("another workspace's policy answers like one that never existed, and a repeat creates nothing", async () => {
  const id = await create()
  const stranger = (await app.key()).apiKey
  for (const method of ["PATCH", "DELETE"]) {
    const answer = await send(method, `/approval-policy/${id}`, method === "PATCH" ? {} : undefined, stranger)
    expect([answer.status, answer.json.error]).toEqual([404, "approval_policy_not_found"])
  }
  await remove(id)
  const json = { actions: ["transfer"], approvals: 1 }
  const once = { method: "POST", path: "/approval-policies", key: apiKey, json, idempotencyKey: "policy-once" }
  const first = await app.request(once)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'policy-once'`
  expect((await app.request(once)).json).toEqual(first.json)
  expect(await list()).toHaveLength(1)
  await remove(first.json.policy_id)
})

test("a repeat of a change that waits joins its request, and learns what became of it", async () => {
  const id = await create({ expires_in_hours: 24 })
  const lost = (idempotencyKey: string) => sql`
    update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  const deleting = { method: "DELETE", path: `/approval-policy/${id}`, key: apiKey, idempotencyKey: "delete-once" }
  const displacing = {
    ...{ method: "POST", path: "/approval-policies", key: apiKey, idempotencyKey: "displace-once" },
    json: { actions: ["mint"], approvals: 1, expires_in_hours: 48 },
  }
  for (const sent of [deleting, displacing]) {
    const first = await app.request(sent)
    expect([first.status, first.json.status], first.text).toEqual([202, "awaiting_approval"])
    await lost(sent.idempotencyKey)
    const again = await app.request(sent)
    expect([again.status, again.headers.location]).toEqual([202, first.headers.location])
    expect(again.json).toMatchObject({ policy_id: first.json.policy_id, approval_id: first.json.approval_id })
    await lost(sent.idempotencyKey)
    await app.request({ method: "POST", path: `/approval/${first.json.approval_id}/withdraw`, key: apiKey, json: {} })
    const ended = await app.request(sent)
    expect([ended.status, ended.json.error]).toEqual([409, "approval_ended"])
  }
  const count =
    await sql`select from approvals where action = 'policy_change' and created_at > now() - interval '1 minute'
    and state = 'withdrawn'`
  expect(count).toHaveLength(2)
  await remove(id)
})
