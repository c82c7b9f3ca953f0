import { expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { RequestLog } from "#server/rest/request-log/record.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { clearRequests } from "./clear-requests.ts"

// No worker runs: each test calls it when it wants one.
usesCustomer({ environment: { VOUCH_ROLE: "web" } })

const started = async () => {
  const wallet = newWallet()
  const json = { userPubkey: wallet, schemaId: "kyc_individual_v1" }
  const answer = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  const logged = () => sql`select from api_requests where id = ${String(answer.headers["x-request-id"])}`
  await waitFor(async () => (await logged()).length > 0, "the request to be logged")
  const [row] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  return { wallet, attestationId: row!.id }
}
const erase = (wallet: string, headers: Record<string, string> = {}) =>
  app.request({ method: "POST", path: `/wallets/${wallet}/erase`, key: key.apiKey, json: {}, headers })

const requestOf = (target: string, at_ms = clock.now().getTime()) => ({
  ...{ workspaceId: key.workspaceId, keyId: key.keyId, requestId: newId("req"), at_ms, duration_us: 1, method: "GET" },
  ...{ onlyReads: true, target, fields: null, headers: {}, received: null, status: 200, body: "" },
})
const loggedOf = async (...requests: { requestId: string }[]) => {
  const rows = await sql<{ id: string }[]>`
    select id from api_requests where id = any(${requests.map(({ requestId }) => requestId)}) order by at`
  return rows.map(({ id }) => id)
}

test("requests that waited to be logged during the erasure are left out, later ones and others' are logged", async () => {
  const { wallet, attestationId } = await started()
  const other = await started()
  const log = new RequestLog()
  const before = [
    requestOf(`/kyc/status/${wallet}`),
    requestOf(`/attestation/${attestationId}`),
    {
      ...requestOf("/token/mint"),
      received: Buffer.from(JSON.stringify({ user_pubkey: wallet })),
      fields: new Set(["user_pubkey"]),
    },
  ]
  const others = requestOf(`/kyc/status/${other.wallet}`)
  for (const request of [...before, others]) log.note(request)
  const { json } = await erase(wallet)
  const named = requestOf(`/investor/${json.investor_id}`, clock.now().getTime() - 60_000)
  const later = requestOf(`/kyc/status/${wallet}`, clock.now().getTime() + 1000)
  log.note(named)
  log.note(later)
  await log.stop()
  expect(await loggedOf(...before, named, others, later)).toEqual([others.requestId, later.requestId])
})

test("a request that was being logged when the erasure was committed is deleted a minute later", async () => {
  const { wallet } = await started()
  const late = requestOf(`/kyc/status/${wallet}`)
  const later = requestOf(`/kyc/status/${wallet}`, clock.now().getTime() + 3_600_000)
  const slow = open(app.databaseUrl, 1)
  try {
    await slow.begin(async (slow) => {
      for (const { workspaceId, requestId, at_ms, keyId, target } of [late, later])
        await slow`
          insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
          values (${workspaceId}, ${requestId}, ${new Date(at_ms)}, 'GET', ${target}, 200, 1, ${keyId}, '{}')`
      expect((await erase(wallet)).status).toBe(200)
      await clearRequests()
    })
  } finally {
    await slow.end()
  }
  await clearRequests()
  expect(await loggedOf(late, later)).toEqual([late.requestId, later.requestId])
  await advanceClock({ seconds: 61 })
  await clearRequests()
  expect(await loggedOf(late, later)).toEqual([later.requestId])
  expect(await sql`select from erasures where ${wallet} = any(wallets) and requests_cleared`).toHaveLength(1)
})

test("the log keeps that a key erased, but not whom", async () => {
  const { wallet } = await started()
  const answer = await erase(wallet, { "Idempotency-Key": "forget-jane", "User-Agent": "customer" })
  const repeat = await erase(wallet)
  const rows = async () => {
    const ids = [answer, repeat].map(({ headers }) => String(headers["x-request-id"]))
    return sql`select path, status, headers, request_body, response_body from api_requests where id = any(${ids})`
  }
  await waitFor(async () => (await rows()).length === 2, "the erasures to be logged")
  const logged = await rows()
  expect(logged[0]).toMatchObject({ path: "/wallets/{pubkey}/erase", status: 200 })
  for (const word of [wallet, answer.json.investor_id, answer.json.erasure_id, "jane"])
    expect(JSON.stringify(logged)).not.toContain(word)
  expect(JSON.stringify(logged)).toContain("customer")
})
