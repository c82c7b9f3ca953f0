import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { type Author, type Change, recordChange } from "./record.ts"

const MOST = 10

usesApp({ environment: { VOUCH_ROLE: "web", VOUCH_MAX_CHANGES_PER_DAY: String(MOST) } })

const rename = (key: TestKey, name: string, idempotencyKey?: string) =>
  app.request({
    method: "PATCH",
    path: "/schema/kyc_individual_v1",
    key: key.apiKey,
    json: { name },
    ...(idempotencyKey && { idempotencyKey }),
  })

async function entries(key: TestKey): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from audit_entries where workspace_id = ${key.workspaceId} and actor = 'key'`
  return row!.count
}

async function useUp(key: TestKey): Promise<void> {
  for (let n = 0; n < MOST; n++) expect((await rename(key, `Name ${n}`)).status).toBe(200)
}

test("all keys of a workspace together make at most a day's number of changes, even at once", async () => {
  const { account, workspaceId } = await member(app)
  const keys = [await app.key({ account }), await app.key({ account })]
  expect(keys[0]!.workspaceId).toBe(workspaceId)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 2
        ? rename(keys[0]!, `Name ${n}`)
        : app.request({
            method: "POST",
            path: "/webhook-endpoints",
            key: keys[1]!.apiKey,
            json: { url: `https://example.com/${n}` },
          }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MOST)
  expect(await entries(keys[0]!)).toBe(MOST)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { status, json, headers } of refused) {
    expect({ status, error: json.error }).toEqual({ status: 429, error: "rate_limited" })
    expect(json.detail).toMatch(/have made 10 changes today, .*VOUCH_MAX_CHANGES_PER_DAY.*after midnight/)
    const midnight = new Date(clock.now().getTime() + Number(headers["retry-after"]) * 1000)
    expect(Math.abs(midnight.getTime() - startOfTomorrow().getTime())).toBeLessThan(5000)
  }
  // The refused requests have changed nothing.
  const [made] = await sql`select count(*)::int from webhook_endpoints where workspace_id = ${workspaceId}`
  const created = answers.filter(({ status, json }) => status === 200 && json.endpoint_id)
  expect(made).toEqual({ count: created.length })
})

test("beyond the limit, a key can still cancel, revoke, erase, pause, disable, delete and mint", async () => {
  const key = await app.key()
  const wallet = newWallet()
  const post = (path: string, json: object = {}) => app.request({ method: "POST", path, key: key.apiKey, json })
  const { json: endpoint } = await post("/webhook-endpoints", { url: "https://example.com" })
  await sql`update change_counts set count = ${MOST} where workspace_id = ${key.workspaceId}`
  expect((await rename(key, "One too many")).status).toBe(429)

  const start = () => post("/kyc/start", { userPubkey: wallet, schemaId: "kyc_individual_v1" })
  const { json: session } = await start()
  expect((await post(`/kyc/session/${session.session_id}/cancel`)).status).toBe(200)
  await start()
  const list = { method: "GET", path: `/attestations?pubkey=${wallet}&status=pending`, key: key.apiKey }
  const [attestation] = (await app.request(list)).json.data
  expect((await post(`/attestation/${attestation.attestation_id}/revoke`, { reason: "Asked to." })).status).toBe(200)
  expect((await post(`/wallets/${wallet}/erase`)).status).toBe(200)
  const at = `/webhook-endpoint/${endpoint.endpoint_id}`
  expect((await app.request({ method: "PATCH", path: at, key: key.apiKey, json: { enabled: false } })).status).toBe(200)
  expect((await app.request({ method: "DELETE", path: at, key: key.apiKey })).status).toBe(200)
  for (const action of ["mint_config.paused", "token.mint_requested", "token.transfer_requested"] as const)
    await record(key, action)
  for (const action of ["mint_config.unpaused", "webhook.enabled", "key.created"] as const)
    await expect(record(key, action)).rejects.toMatchObject({ code: "rate_limited" })
})

test("decisions of test sessions by a key count, because each review that it opens stays", async () => {
  const key = await app.key()
  const { sessionId } = await app.startSession(key)
  const decide = (decision: string) =>
    app.request({
      method: "POST",
      path: `/test/sessions/${sessionId}/decide`,
      key: key.apiKey,
      json: { decision },
    })
  for (let n = 0; n < MOST / 2; n++)
    for (const decision of ["in_review", "resubmission_requested"]) expect((await decide(decision)).status).toBe(200)
  expect(await decide("in_review")).toMatchObject({ status: 429, json: { error: "rate_limited" } })
  const opened = await sql`select id from reviews where workspace_id = ${key.workspaceId}`
  expect(opened).toHaveLength(MOST / 2)
})

test("members, the command line and other workspaces do not count", async () => {
  const owner = await member(app)
  const key = await app.key({ account: owner.account })
  await useUp(key)
  expect((await rename(key, "One too many")).status).toBe(429)
  owner.browser.workspaceId = key.workspaceId
  for (let n = 0; n < MOST + 2; n++) {
    const renamed = await owner.browser.mutate("schema.change", {
      id: "kyc_individual_v1",
      name: `Theirs ${n}`,
    })
    expect(renamed.status).toBe(200)
  }
  await recordChange(sql, key.workspaceId, {
    author: { principal: { via: { kind: "operator" } }, requestId: null },
    action: "schema.changed",
    subject: "x",
  })
  expect((await rename(await app.key({ account: owner.account, mode: "live" }), "Another")).status).toBe(200)
})

test("the next day has a new limit, and a repeat with the same idempotency key makes the change", async () => {
  const key = await app.key()
  await useUp(key)
  const refused = await rename(key, "Tomorrow", "once")
  expect(refused.status).toBe(429)
  expect((await rename(key, "Tomorrow", "once")).headers["idempotent-replayed"]).toBeUndefined()
  await moveClock(startOfTomorrow())
  const made = await rename(key, "Tomorrow", "once")
  expect(made).toMatchObject({ status: 200, json: { name: "Tomorrow" } })
  for (let n = 1; n < MOST; n++) expect((await rename(key, `Name ${n}`)).status).toBe(200)
  expect((await rename(key, "One too many")).status).toBe(429)
})

function startOfTomorrow(): Date {
  const now = clock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}

function record(key: TestKey, action: Change["action"]): Promise<void> {
  const author: Author = { principal: { via: { kind: "key", keyId: key.keyId } } as never, requestId: null }
  return recordChange(sql, key.workspaceId, { author, action, subject: "x" })
}
