import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { authenticate } from "#server/domain/accounts/keys/authenticate.ts"
import { type Account, findAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { MASK } from "#server/lib/without-secrets.ts"
import { appRouter } from "#server/trpc/router.ts"
import { createCallerFactory } from "#server/trpc/trpc.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import type { Response, Sent } from "#test/fixtures/http.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let key: TestKey
let browser: Browser

usesApp({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
})

const keyContext = {
  requestId: newId("req"),
  transport: "api" as const,
  user: null,
  idempotency: null,
  webhook: null,
  respondAsync: false,
  answer: { status: 200 },
}
const idOf = ({ headers }: Response) => String(headers["x-request-id"])
const logged = (requestId: string) =>
  waitFor(
    async () => (await browser.query("request.get", { request_id: requestId })).data ?? null,
    `${requestId} to be logged`,
  )
/** A request's whole row, as text. */
async function lineOf(answer: Response): Promise<string> {
  await logged(idOf(answer))
  const [row] = await sql<{ text: string }[]>`
    select t::text as text from api_requests t where id = ${idOf(answer)}`
  return row!.text
}
const ask = (sent: Partial<Sent> & { path: string }) => app.request({ method: "GET", key: key.apiKey, ...sent })

test("every answer to a request with a key is logged", async () => {
  const reader = await app.key({
    account: await accountOf(key),
    scopes: ["kyc:read"],
  })
  const wallet = newWallet()
  const start = { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: "jane@example.com" }
  const json = { "content-type": "application/json" }
  const outcomes: [Partial<Sent> & { path: string }, number, string | null][] = [
    [{ method: "POST", path: "/kyc/start", json: start }, 200, null],
    [{ path: `/kyc/status/${wallet}` }, 200, null],
    [{ method: "HEAD", path: `/kyc/status/${wallet}` }, 200, null],
    [{ method: "POST", path: "/kyc/start", json: start, key: reader.apiKey }, 403, "insufficient_scope"],
    [{ path: `/attestation/${newId("att")}` }, 404, "attestation_not_found"],
    [{ path: "/kyc/strat" }, 404, "route_not_found"],
    [{ path: "/kyc/start" }, 405, "method_not_allowed"],
    [{ method: "POST", path: "/kyc/start", headers: json, body: "{" }, 400, "malformed_json"],
    [{ method: "POST", path: "/kyc/start", body: "x".repeat(70_000) }, 413, "payload_too_large"],
    [{ method: "POST", path: "/kyc/start", json: { ...start, schemaId: "none" } }, 422, "unknown_schema"],
  ]
  const answers: Response[] = []
  for (const [sent] of outcomes) answers.push(await ask(sent))
  for (const [n, [sent, status, error]] of outcomes.entries()) {
    const answer = answers[n]!
    expect(answer.status).toBe(status)
    const record = await logged(idOf(answer))
    expect(record).toMatchObject({
      request_id: idOf(answer),
      method: sent.method ?? "GET",
      path: sent.path,
      status,
      error,
      key_id: sent.key === reader.apiKey ? reader.keyId : key.keyId,
      key_name: "test",
    })
    expect(record.duration_ms).toBeGreaterThan(0)
    expect(record.headers.authorization).toMatch(/^Bearer vouch_test_.{4}…$/)
    // Only a successful GET has no response body in the log.
    if (status < 400 && sent.method !== "POST") expect(record.response_body).toBeNull()
    else expect(JSON.parse(record.response_body)).toMatchObject(error ? JSON.parse(answer.text) : {})
  }
})

test("a server error of a key's request is logged", async () => {
  await ask({ path: "/usage" })
  await sql`alter table usage_periods rename to hidden`
  const answer = await ask({ path: "/usage" })
  await sql`alter table hidden rename to usage_periods`
  expect(answer.status).toBe(500)
  expect(await logged(idOf(answer))).toMatchObject({ status: 500, error: "internal_error" })
})

test("bodies are masked: no session and no external id", async () => {
  const answer = await ask({
    method: "POST",
    path: "/kyc/start",
    json: {
      userPubkey: newWallet(),
      schemaId: "kyc_individual_v1",
      externalId: "jane@example.com",
      redirectUrl: "https://example.com/back?customer=jane",
    },
  })
  const { request_body, response_body } = await logged(idOf(answer))
  expect(JSON.parse(request_body)).toMatchObject({
    schemaId: "kyc_individual_v1",
    externalId: "[masked]",
    redirectUrl: "https://example.com/[masked]",
  })
  expect(JSON.parse(response_body)).toEqual({ session_id: "[masked]", session_url: "[masked]" })
  const line = await lineOf(answer)
  for (const secret of [answer.json.session_id, key.apiKey.slice(20), "jane"]) {
    expect(line).not.toContain(secret)
  }
})

test("a row never contains a key, a session or a wallet's secret key in any encoding", async () => {
  const sessionId = newId("sess")
  const secretKey = "4NMwxzmYj2uvHuq8xoqhY8RXg63KSVJM1DXkpbmkUY7YQWuoyQgFnnzn6yo3CMnqZasnNPNuAT2TLwQsCaKkUddp"
  const bytes = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("")
  const escapes = (text: string) =>
    [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  const secrets = [key.apiKey, sessionId, secretKey]
  const answers: Response[] = []
  for (const write of [
    (text: string) => text,
    (text: string) => text.replace(/[_o]/g, bytes),
    bytes,
    (text: string) => bytes(text).toUpperCase(),
    (text: string) => encodeURIComponent(bytes(text)),
    escapes,
  ]) {
    const [a, b, c] = secrets.map(write) as [string, string, string]
    const inAddress = (text: string) => text.replaceAll("\\", "%5C")
    answers.push(
      await ask({ path: `/attestation/${inAddress(b)}?${inAddress(a)}` }),
      await ask({ path: `/nowhere/${inAddress(a)}/${inAddress(c)}` }),
      await ask({ path: `/attestations?pubkey=${inAddress(c)}&schema=${inAddress(a)}&${inAddress(b)}=x` }),
      await ask({
        method: "POST",
        path: "/kyc/start",
        headers: { "user-agent": `curl ${a}`, accept: b, prefer: c, "content-type": "application/json" },
        idempotencyKey: a + b.slice(0, 60),
        body: `{"userPubkey": "${c}", "schemaId": "${a}", "${b}": 1, "redirectUrl": "https://example.com/${inAddress(a)}"}`,
      }),
    )
  }
  for (const answer of answers) {
    const plain = resolved(await lineOf(answer))
    for (const secret of secrets) expect(plain).not.toContain(secret.slice(20, 26))
  }
})

test("the row of a refused request does not contain its key in any form", async () => {
  const { apiKey } = key
  const secret = apiKey.slice(apiKey.lastIndexOf("_") + 1)
  const answers: Response[] = []
  for (const form of [
    Buffer.from(apiKey).toString("base64url"),
    Buffer.from(`key=${apiKey}`).toString("base64"),
    Buffer.from(apiKey).toString("hex"),
    secret,
    apiKey.replace("_", "-"),
    apiKey.replace("_", "+"),
    `${apiKey.slice(0, 12)}%E2%80%8B${apiKey.slice(12)}`,
  ]) {
    answers.push(await ask({ path: `/attestation/${form.replaceAll("/", "%2F")}` }))
  }
  for (const answer of answers) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await logged(idOf(answer))).path).toBe(MASK)
  }
  const broken = `${apiKey.slice(0, 20)} ${apiKey.slice(20)}`
  const answer = await ask({
    method: "POST",
    path: "/kyc/start",
    json: { userPubkey: "x", schemaId: broken },
  })
  expect(await lineOf(answer)).not.toContain(apiKey.slice(20, 30))
})

/** A text with all escapes resolved. */
function resolved(text: string): string {
  const next = text
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return next === text ? text : resolved(next)
}

test("at most 1 KiB of a refused body is kept, and no wallet is cut in two", async () => {
  const answers: Response[] = []
  for (const schemaId of ["long ".repeat(3000), `${newWallet()} is `.repeat(300), "é ".repeat(2000)])
    answers.push(
      await ask({ method: "POST", path: "/kyc/start", json: { userPubkey: newWallet(), schemaId } }),
      await ask({ method: "POST", path: "/token/mint", json: { mint_config: schemaId, amount: "1" } }),
    )
  for (const answer of answers) {
    expect(answer.status).toBe(422)
    const { request_body, response_body } = await logged(idOf(answer))
    expect(request_body).toMatch(/^\{".* … \(\d+ bytes in all\)$/)
    for (const body of [request_body, response_body]) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1024)
      // A wallet is kept whole or not at all, so that an erasure finds it.
      for (const [word] of body.matchAll(/[1-9A-HJ-NP-Za-km-z]{30,}/g)) expect(word).toMatch(/^.{43,44}$/)
    }
  }
})

test("beyond the day's budget only method, path, status and ids are kept, and the dashboard says so", async () => {
  const owner = await member(app)
  const { apiKey, workspaceId } = await app.key({ account: owner.account })
  const send = (path = "/token/mint?x=1") => ask({ method: "POST", path, json: {}, key: apiKey })
  const recordOf = async (answer: Response) => {
    const find = async () => (await owner.browser.query("request.get", { request_id: idOf(answer) })).data
    return waitFor(async () => (await find()) ?? null, "the request to be logged")
  }
  const whole = { is_whole: true, path: "/token/mint?x=[masked]", status: 422 }
  const bare = { is_whole: false, path: "/token/mint", status: 422, error: "validation_failed" }
  const empty = { headers: {}, request_body: null, response_body: null }
  expect(await recordOf(await send())).toMatchObject(whole)
  expect((await owner.browser.query("request.list")).data.used_up).toBeNull()
  const budget = 256 * 1024 * 1024
  const [counted] = await sql`
    update request_log_usage set bytes = ${budget} where workspace_id = ${workspaceId} returning (
      select sum(octet_length(path) + octet_length(headers::text) + octet_length(request_body) + octet_length(response_body))
      from api_requests where workspace_id = ${workspaceId}) as bytes`
  expect(Number(counted!.bytes)).toBeGreaterThan(0)
  expect(await recordOf(await send())).toMatchObject({ ...bare, ...empty })
  expect(await recordOf(await send(`/${"long".repeat(200)}`))).toMatchObject({
    path: `/${"long".repeat(49)}lon`,
  })
  const { used_up } = (await owner.browser.query("request.list")).data
  expect(used_up).toEqual({ mib_per_day: 256, until: expect.stringMatching(/T00:00:00Z$/) })
  // Beyond twice the budget, nothing is kept.
  await sql`update request_log_usage set bytes = ${2 * budget} where workspace_id = ${workspaceId}`
  const last = await send()
  // Another workspace has its own budget.
  const other = await app.key({ account: owner.account, mode: "live" })
  owner.browser.workspaceId = other.workspaceId
  expect(await recordOf(await ask({ path: "/nowhere", key: other.apiKey }))).toMatchObject({ is_whole: true })
  owner.browser.workspaceId = workspaceId
  expect((await owner.browser.query("request.get", { request_id: idOf(last) })).status).toBe(404)
  await moveClock(new Date(used_up.until))
  expect(await recordOf(await send())).toMatchObject(whole)
  expect((await owner.browser.query("request.list")).data.used_up).toBeNull()
})

test("requests without a valid key, for health or the document, and webhooks are not logged", async () => {
  const before = await sql`select from api_requests`
  await app.request({ method: "GET", path: "/usage" })
  await app.request({ method: "GET", path: "/usage", key: `${key.apiKey.slice(0, -1)}_` })
  await app.request({ method: "GET", path: "/nowhere" })
  await ask({ path: "/health" })
  await app.webhook({ session_id: newId("sess"), decision: "approved" })
  // The last request is logged, so the others would be too.
  await logged(idOf(await ask({ path: "/usage" })))
  expect((await sql`select from api_requests`).length - before.length).toBe(1)
})

test("neither another workspace nor a key can read a workspace's log, by id or in a list", async () => {
  const answer = await ask({ path: "/usage" })
  await logged(idOf(answer))
  const stranger = await member(app)
  const sibling = await app.key({ account: await accountOf(key), mode: "live" })
  const own = await ask({ path: "/usage", key: sibling.apiKey })
  stranger.browser.workspaceId = stranger.workspaceId
  for (const request_id of [idOf(answer), newId("req"), "nonsense"]) {
    const { status, error } = await stranger.browser.query("request.get", { request_id })
    expect({ status, error: error.error }).toEqual({ status: 404, error: "request_not_found" })
    expect((await stranger.browser.query("request.list", { request_id })).data.data).toEqual([])
  }
  expect((await stranger.browser.query("request.list")).data).toEqual({
    data: [],
    next_cursor: null,
    used_up: null,
  })
  // Live and test of one account are two workspaces.
  expect((await browser.query("request.get", { request_id: idOf(own) })).status).toBe(404)
  const asKey = createCallerFactory(appRouter)({
    ...keyContext,
    principal: await authenticate(`Bearer ${key.apiKey}`),
  })
  await expect(asKey.request.list({})).rejects.toMatchObject({ cause: { code: "insufficient_scope" } })
  await expect(asKey.request.get({ request_id: idOf(answer) })).rejects.toMatchObject({
    cause: { code: "insufficient_scope" },
  })
})

test("a viewer may read the log", async () => {
  const viewer = await member(app, { account: await accountOf(key), role: "viewer" })
  expect((await viewer.browser.query("request.list")).status).toBe(200)
})

async function accountOf({ workspaceId }: TestKey): Promise<Account> {
  const [row] = await sql<{ name: string }[]>`
    select a.name from accounts a join workspaces w on w.account_id = a.id where w.id = ${workspaceId}`
  return (await findAccount(row!.name))!
}
