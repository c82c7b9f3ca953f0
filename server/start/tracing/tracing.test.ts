import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type ReceivedSpan, startCollector } from "#test/doubles/collector.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const CALLER = "00f067aa0ba902b7"

let collector: Awaited<ReturnType<typeof startCollector>>
let app: TestApp
let key: TestKey

beforeAll(async () => {
  collector = await startCollector()
  app = await startTestApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
  })
  key = await app.key()
})
afterAll(async () => {
  await app.stop()
  await collector.close()
})

const header = (traceId: string, flags = "01") => ({ traceparent: `00-${traceId}-${CALLER}-${flags}` })
const spansOf = (traceId: string) => collector.spans.filter((one) => one.traceId === traceId)

/** The spans of a trace, once one with that name has arrived. */
const traceWith = (traceId: string, name: string): Promise<ReceivedSpan[]> =>
  waitFor(async () => {
    const spans = spansOf(traceId)
    return spans.some((one) => one.name === name) ? spans : null
  }, `${name} in the trace ${traceId}`)

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((one) => one.name === name)
  if (!found) throw new Error(`no span ${name} among ${spans.map((one) => one.name).join(", ")}`)
  return found
}

test("a mint is one trace from its request to its transaction, under the caller's span", async () => {
  const { config, wallets, mint } = tokenFixture(app, key)
  const fund = await config()
  const [wallet] = await wallets(1)
  const { status, json, headers } = await mint(fund, wallet, "1", { headers: header(TRACE) })
  expect(status).toBe(200)
  await traceWith(TRACE, "transaction")
  const spans = await traceWith(TRACE, "POST /v1/token/mint")

  const request = named(spans, "POST /v1/token/mint")
  expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2 })
  expect(request.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/v1/token/mint",
    "http.response.status_code": 200,
    "vouch.request_id": headers["x-request-id"],
  })
  const procedure = named(spans, "token.mint")
  expect(procedure.parentSpanId).toBe(request.spanId)
  const queries = spans.filter(({ attributes }) => attributes["db.system.name"] === "postgresql")
  expect(queries.map(({ parentSpanId }) => parentSpanId)).toContain(procedure.spanId)
  expect(queries.map(({ name }) => name)).toContain("INSERT operations")
  for (const { attributes } of queries) expect(attributes["db.query.text"]).not.toContain(wallet)

  const operation = named(spans, "operation mint")
  expect(operation).toMatchObject({ parentSpanId: procedure.spanId, kind: 5 })
  expect(operation.attributes).toMatchObject({ "vouch.operation": json.operation_id, "vouch.mode": "test" })
  const transaction = named(spans, "transaction")
  expect(transaction.parentSpanId).toBe(operation.spanId)
  expect(transaction.attributes["solana.signature"]).toBe(json.onchain_tx)
  const signed = named(spans, "queue and sign")
  expect(signed.parentSpanId).toBe(operation.spanId)
  expect([signed.start, signed.end, transaction.end]).toEqual([operation.start, transaction.start, operation.end])
})

test("the trace's id is in the log, and no span contains a secret or investor data", async () => {
  const traceId = "5bf92f3577b34da6a3ce929d0e0e4737"
  const { wallet, sessionId } = await app.startSession(key)
  await sql`alter table attestations rename column redirect_url to elsewhere`
  const path = `/kyc/status/${wallet}`
  await app.request({ method: "GET", path, key: key.apiKey, headers: header(traceId) })
  const json = { userPubkey: newWallet(), schemaId: "kyc_individual_v1", externalId: "Jane Doe" }
  const broken = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json,
    headers: header(traceId),
  })
  await sql`alter table attestations rename column elsewhere to redirect_url`
  expect(broken.status).toBe(500)
  const line = app.log.find((one) => one.includes(broken.json.request_id))
  expect(JSON.parse(line!)).toMatchObject({ trace_id: traceId })
  await traceWith(traceId, "POST /v1/kyc/start")
  const sent = collector.bodies.join("\n")
  for (const one of [key.apiKey, key.keyId, key.workspaceId, wallet, sessionId, json.userPubkey, "Jane Doe"])
    expect(sent).not.toContain(one)
})

test("a request that its caller does not record leaves no trace with its operation", async () => {
  const traceId = "6bf92f3577b34da6a3ce929d0e0e4738"
  const { post } = tokenFixture(app, key)
  const config = (id: string) => ({
    id,
    name: "Fund",
    symbol: "FUND",
    decimals: 0,
    required_schema: "kyc_individual_v1",
  })
  const quiet = await post("/mint-configs", config("unrecorded"), { headers: header(traceId, "00") })
  expect(quiet.status).toBe(200)
  const last = "7bf92f3577b34da6a3ce929d0e0e4739"
  await post("/mint-configs", config("recorded"), { headers: header(last) })
  // By now, spans that were sent later have arrived.
  await traceWith(last, "transaction")
  expect(spansOf(traceId)).toEqual([])
  const rows = await sql<{ traceparent: string }[]>`select traceparent from operations where traceparent is not null`
  expect(rows.map(({ traceparent }) => traceparent.slice(3, 35))).toContain(last)
  expect(rows.map(({ traceparent }) => traceparent.slice(3, 35))).not.toContain(traceId)
})

test("a page's call is traced under its procedure's name", async () => {
  const traceId = "8bf92f3577b34da6a3ce929d0e0e4730"
  await fetch(`${app.origin}/api/trpc/me.get?input=secret`, { headers: header(traceId) })
  await fetch(`${app.origin}/verify/sess_unknown`, { headers: header(traceId) })
  await traceWith(traceId, "GET /verify/{session_id}")
  const spans = await traceWith(traceId, "GET /api/trpc/me.get")
  expect(named(spans, "me.get").parentSpanId).toBe(named(spans, "GET /api/trpc/me.get").spanId)
})
