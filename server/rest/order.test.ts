import { beforeAll, expect, test } from "vitest"
import { newApiKey } from "#server/domain/accounts/keys/secret.ts"
import { newId } from "#server/lib/ids.ts"
import { allScopes } from "#shared/scopes.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

let reader: TestKey

usesCustomer({ environment: { VOUCH_ROLE: "web" }, key: { mode: "live", plan: "enterprise", quota: 1 } })
beforeAll(async () => {
  reader = await app.key({ scopes: allScopes.filter((scope) => scope !== "kyc:write") })
  await app.startSession(key)
})

const unknownKey = newApiKey("test")
const tooLarge = { headers: { "content-type": "text/plain" }, body: "x".repeat(70_000) }
const notJson = { headers: { "content-type": "application/json" }, body: "{" }

// Each request has its own fault and all later ones: the first check must answer.
test.each<[string, () => Partial<Sent>]>([
  ["route_not_found", () => ({ path: "/kyc/begin", key: unknownKey, ...tooLarge })],
  ["method_not_allowed", () => ({ method: "PUT", key: unknownKey, ...tooLarge })],
  ["missing_api_key", () => ({ ...tooLarge, idempotencyKey: "a b" })],
  ["invalid_api_key", () => ({ key: unknownKey, ...tooLarge })],
  ["insufficient_scope", () => ({ key: reader.apiKey, ...tooLarge })],
  ["payload_too_large", () => ({ key: key.apiKey, ...tooLarge })],
  ["unsupported_media_type", () => ({ key: key.apiKey, body: "{" })],
  ["malformed_json", () => ({ key: key.apiKey, idempotencyKey: "a b", ...notJson, path: "/kyc/start?x=1" })],
  ["invalid_idempotency_key", () => ({ key: key.apiKey, headers: { "idempotency-key": "a b" }, json: {} })],
  ["validation_failed", () => ({ key: key.apiKey, idempotencyKey: "order", json: { userPubkey: newWallet() } })],
  ["idempotency_key_reused", () => ({ key: key.apiKey, idempotencyKey: "order", json: {} })],
  ["unknown_schema", () => ({ key: key.apiKey, json: { userPubkey: newWallet(), schemaId: "none" } })],
  ["quota_exceeded", () => ({ key: key.apiKey, json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" } })],
])("%s is reported before all later faults", async (code, sent) => {
  const response = await app.request({ method: "POST", path: "/kyc/start", ...sent() })
  expect(response.json.error).toBe(code)
})

test.each([
  "/health",
  "/openapi.json",
  "/openapi.yaml",
  "/usage",
  "/schemas",
  "/attestations",
  "/attestation/x",
  "/mint-configs",
  "/mint-config/us_real_estate_fund_v1",
  "/token/operations",
  "/token/operation/x",
  "/token/balance/x",
])("HEAD %s answers like GET, without a body", async (path) => {
  const get = await app.request({ method: "GET", path, key: key.apiKey })
  const head = await app.request({ method: "HEAD", path, key: key.apiKey })
  expect(head.text).toBe("")
  expect(get.text).not.toBe("")
  expect(head.status).toBe(get.status)
  // The body of an error contains the request id, and ids differ in length.
  const same = ({ headers, status }: typeof get) => {
    const { "x-request-id": id = "", "content-length": length } = headers
    const ownLength = Number(length) - (status < 400 ? 0 : id.length)
    return { ...headers, date: null, "x-request-id": null, "content-length": ownLength }
  }
  expect(same(head)).toEqual(same(get))
})

test("HEAD without a key is refused like GET, without a body", async () => {
  const head = await app.request({ method: "HEAD", path: "/usage" })
  expect(head).toMatchObject({ status: 401, text: "", headers: { "www-authenticate": "Bearer" } })
})

test.each([
  ["/kyc/start", "POST, OPTIONS"],
  ["/kyc/status/x", "GET, HEAD, OPTIONS"],
  ["/kyc/webhook", "POST, OPTIONS"],
  ["/kyc/webhook/sandbox", "POST, OPTIONS"],
  ["/attestation/x", "GET, HEAD, OPTIONS"],
  ["/attestation/x/revoke", "POST, OPTIONS"],
  ["/attestations", "GET, HEAD, OPTIONS"],
  ["/token/mint", "POST, OPTIONS"],
  ["/token/transfer", "POST, OPTIONS"],
  ["/token/operation/x", "GET, HEAD, OPTIONS"],
  ["/token/operations", "GET, HEAD, OPTIONS"],
  ["/token/balance/x", "GET, HEAD, OPTIONS"],
  ["/mint-configs", "POST, GET, HEAD, OPTIONS"],
  ["/mint-config/x", "GET, PATCH, HEAD, OPTIONS"],
  ["/schemas", "GET, POST, HEAD, OPTIONS"],
  ["/schema/x", "GET, PATCH, HEAD, OPTIONS"],
  ["/mint-config/x/pause", "POST, OPTIONS"],
  ["/mint-config/x/unpause", "POST, OPTIONS"],
  ["/usage", "GET, HEAD, OPTIONS"],
  ["/health", "GET, HEAD, OPTIONS"],
  ["/openapi.json", "GET, HEAD, OPTIONS"],
])("OPTIONS %s answers 204 with the methods, without a key", async (path, allow) => {
  const headers = { origin: "https://example.com", "access-control-request-method": "POST" }
  const response = await app.request({ method: "OPTIONS", path, headers })
  expect(response).toMatchObject({ status: 204, text: "", headers: { allow } })
  expect(response.headers["x-request-id"]).toMatch(/^req_/)
  expect(response.headers["strict-transport-security"]).toBeDefined()
  const cors = Object.keys(response.headers).filter((name) => name.startsWith("access-control-"))
  expect(cors).toEqual([])
})

test("OPTIONS of a path that does not exist is 404", async () => {
  const response = await app.request({ method: "OPTIONS", path: "/nothing" })
  expect(response.json.error).toBe("route_not_found")
})

test("every response has a unique request id and HSTS, and forbids caching and guessing types", async () => {
  const sent: Sent[] = [
    { method: "GET", path: "/health" },
    { method: "GET", path: "/usage", key: key.apiKey },
    { method: "GET", path: "/usage" },
    { method: "OPTIONS", path: "/usage" },
    { method: "GET", path: "/nothing" },
    { method: "GET", path: `/attestation/${newId("att")}`, key: key.apiKey },
  ]
  const responses = await Promise.all(sent.map(app.request))
  for (const { headers } of responses) {
    expect(headers["x-request-id"]).toMatch(/^req_[1-9A-HJ-NP-Za-km-z]{16,22}$/)
    expect(headers["strict-transport-security"]).toBe("max-age=63072000; includeSubDomains")
    expect(headers["cache-control"]).toBe("no-store")
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["x-powered-by"]).toBeUndefined()
  }
  expect(new Set(responses.map(({ headers }) => headers["x-request-id"])).size).toBe(responses.length)
})

test("a request id from the caller is not used", async () => {
  const headers = { "x-request-id": "mine" }
  const response = await app.request({ method: "GET", path: "/health", headers })
  expect(response.headers["x-request-id"]).not.toBe("mine")
})
