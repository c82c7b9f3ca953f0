import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newApiKey } from "#server/domain/accounts/keys/secret.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, signWebhook } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectError } from "#test/matchers/answers.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

const start = (sent: Partial<Sent>) => app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, ...sent })
const json = { "content-type": "application/json" }
const body = () => ({ userPubkey: newWallet(), schemaId: "kyc_individual_v1" })

test.each([
  ["broken", '{"userPubkey": '],
  ["empty", ""],
  ["with a comment", "{} // no"],
])("malformed_json: a body that is %s", async (_name, text) => {
  expectError(await start({ headers: json, body: text }), "malformed_json", /body is not valid JSON/)
})

test.each([
  ["at the top level", (wallet: string) => `{"userPubkey":"${wallet}","schemaId":"x","userPubkey":"${wallet}"}`],
  ["under an escaped name", (wallet: string) => `{"userPubkey":"${wallet}","\\u0075serPubkey":"x"}`],
  ["in an unknown field", () => '{"x":[{"userPubkey":1,"userPubkey":2}]}'],
])("malformed_json: a field that appears twice, %s", async (_name, text) => {
  const response = await start({ headers: json, body: text(newWallet()) })
  expectError(response, "malformed_json", /^userPubkey: in the body twice/)
})

test("a byte order mark before the body is ignored", async () => {
  const response = await start({ headers: json, body: `\ufeff${JSON.stringify(body())}` })
  expect(response.status).toBe(200)
})

test.each([
  ["an array", "[]"],
  ["a text", '"{}"'],
  ["null", "null"],
  ["a number", "1"],
  ["not UTF-8", Buffer.from('{"userPubkey":"\xff"}', "latin1")],
  ["nested too deeply", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
])("malformed_request: a body that is %s", async (_name, sent) => {
  expectError(await start({ headers: json, body: sent }), "malformed_request", /body/)
})

test.each(["/kyc/status/%", "/kyc/status/%ff", "/kyc/status/%c0%af", "/attestation/%E0%A4"])(
  "malformed_request: the path %s cannot be decoded",
  async (path) => {
    const response = await app.request({ method: "GET", path, key: key.apiKey })
    expectError(response, "malformed_request", /path parameter (pubkey|id) cannot be decoded/)
  },
)

test("malformed_request: a query that cannot be decoded", async () => {
  const response = await app.request({ method: "GET", path: "/attestations?status=%zz", key: key.apiKey })
  expectError(response, "malformed_request", /query parameter status cannot be decoded/)
})

test.each([
  ["empty", [""]],
  ["256 characters long", ["k".repeat(256)]],
  ["with a space in it", ["two words"]],
  ["not ASCII", ["caf\u00e9"]],
  ["sent twice", ["one", "two"]],
])("invalid_idempotency_key: one that is %s", async (_name, values) => {
  const response = await start({ headers: { "idempotency-key": values }, json: body() })
  expectError(response, "invalid_idempotency_key", /^Idempotency-Key/)
})

test.each(["k", "k".repeat(255), "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"])(
  "an Idempotency-Key of 1 to 255 visible ASCII characters is accepted: %s",
  async (idempotencyKey) => {
    expect((await start({ idempotencyKey, json: body() })).status).toBe(200)
  },
)

test.each([undefined, ""])("missing_api_key: Authorization is %j", async (authorization) => {
  const headers = authorization === undefined ? {} : { authorization }
  const response = await app.request({ method: "GET", path: "/usage", headers })
  expectError(response, "missing_api_key", /Authorization: Bearer/)
  expect(response.headers["www-authenticate"]).toBe("Bearer")
})

test.each([
  ["of another scheme", () => `Basic ${key.apiKey}`, /must be "Bearer", a space and one API key/],
  ["without a scheme", () => key.apiKey, /must be "Bearer"/],
  ["two keys", () => `Bearer ${key.apiKey} ${key.apiKey}`, /must be "Bearer"/],
  ["nothing but the scheme", () => "Bearer", /must be "Bearer"/],
  ["mistyped", () => `Bearer ${key.apiKey.slice(0, -1)}${key.apiKey.endsWith("A") ? "B" : "A"}`, /API key is mistyped/],
  [
    "of the other mode by its beginning",
    () => `Bearer ${key.apiKey.replace("_test_", "_live_")}`,
    /do not change its beginning/,
  ],
  ["cut off", () => `Bearer ${key.apiKey.slice(0, -9)}`, /a key has 39 characters, and this one has 30/],
  ["the id of a key", () => `Bearer ${key.keyId}`, /id of an API key/],
  ["the secret of webhooks", () => `Bearer whsec_${"A".repeat(32)}`, /signs webhooks, not an API key/],
  [
    "a session of the dashboard",
    () => `Bearer ${"s".repeat(32)}.${"t".repeat(44)}`,
    /begin with vouch_live_ or vouch_test_\. A dashboard session/,
  ],
  ["well-formed and unknown", () => `Bearer ${newApiKey("test")}`, /unknown or revoked/],
])("invalid_api_key: one that is %s", async (_name, authorization, detail) => {
  const sent = authorization()
  const response = await app.request({ method: "GET", path: "/usage", headers: { authorization: sent } })
  expectError(response, "invalid_api_key", /^Authorization: /)
  expect(response.json.detail).toMatch(detail)
  const [, secret] = sent.split(" ")
  if (secret) expect(response.text).not.toContain(secret)
  expect(response.headers["www-authenticate"]).toBe("Bearer")
})

test("expired_api_key: a key past its expiry", async () => {
  const expired = await app.key({ expiresAt: new Date(Date.now() - 1) })
  const response = await app.request({ method: "GET", path: "/usage", key: expired.apiKey })
  expectError(response, "expired_api_key", /expired/)
  expect(response.headers["www-authenticate"]).toBe("Bearer")
})

test("invalid_signature: a webhook that its provider did not sign", async () => {
  const sent = "{}"
  const response = await app.request({
    method: "POST",
    path: "/kyc/webhook",
    headers: { ...signWebhook("evt_1", sent), "webhook-signature": `v1,${"A".repeat(43)}=` },
    body: sent,
  })
  expectError(response, "invalid_signature", /not signed/)
  expect(response.headers["www-authenticate"]).toBeUndefined()
})

test.each([
  ["POST", "/kyc/start", "kyc:write"],
  ["GET", `/kyc/status/${newWallet()}`, "kyc:read"],
  ["GET", "/attestations", "attestation:read"],
  ["GET", `/attestation/${newId("att")}`, "attestation:read"],
  ["POST", `/attestation/${newId("att")}/revoke`, "attestation:write"],
  ["POST", "/token/mint", "token:mint"],
  ["POST", "/token/transfer", "token:transfer"],
  ["GET", `/token/operation/${newId("op")}`, "token:read"],
  ["GET", "/token/operations", "token:read"],
  ["POST", "/token/preflight", "token:read"],
  ["GET", `/token/balance/${newWallet()}?mint_config=us_real_estate_fund_v1`, "token:read"],
  ["GET", `/token/lots/${newWallet()}?mint_config=us_real_estate_fund_v1`, "token:read"],
  ["POST", "/mint-configs", "config:write"],
  ["GET", `/token/balances/${newWallet()}`, "token:read"],
  ["GET", "/token/holders/us_real_estate_fund_v1", "token:read"],
  ["PATCH", "/mint-config/us_real_estate_fund_v1", "config:write"],
  ["POST", "/schemas", "schema:write"],
  ["PATCH", "/schema/kyc_individual_v1", "schema:write"],
  ["POST", "/token/burn", "token:burn"],
  ["POST", "/token/force-transfer", "token:control"],
  ["POST", "/snapshots", "register:write"],
  ["GET", "/snapshots", "token:read"],
  ["GET", `/snapshot/${newId("snap")}`, "token:read"],
  ["GET", `/snapshot/${newId("snap")}/holders`, "token:read"],
  ["GET", `/snapshot/${newId("snap")}/holders.csv`, "token:read"],
  ["POST", `/investor/${newId("inv")}/recoveries`, "investor:recover"],
  ["POST", `/recovery/${newId("rec")}/cancel`, "investor:recover"],
  ["POST", "/distributions", "distribution:write"],
  ["GET", "/distributions", "token:read"],
  ["GET", `/distribution/${newId("dist")}`, "token:read"],
  ["GET", `/distribution/${newId("dist")}/payouts`, "token:read"],
  ["POST", `/distribution/${newId("dist")}/start`, "distribution:write"],
  ["POST", `/distribution/${newId("dist")}/pause`, "distribution:write"],
  ["POST", `/distribution/${newId("dist")}/cancel`, "distribution:write"],
  ["GET", `/payout/${newId("pay")}`, "token:read"],
  ["POST", `/payout/${newId("pay")}/release`, "distribution:write"],
  ["POST", `/payout/${newId("pay")}/retry`, "distribution:write"],
  ["POST", `/payout/${newId("pay")}/mark-paid`, "distribution:write"],
  ["POST", "/mint-config/us_real_estate_fund_v1/pause", "config:write"],
  ["POST", "/mint-config/us_real_estate_fund_v1/unpause", "config:write"],
] as const)("insufficient_scope: %s %s needs %s", async (method, path, scope) => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const { allScopes } = await import("#shared/scopes.ts")
  const others = await app.key({ account, scopes: allScopes.filter((one) => one !== scope) })
  const payload = method === "GET" ? {} : { json: {} }
  const refused = await app.request({ method, path, key: others.apiKey, ...payload })
  expectError(refused, "insufficient_scope", new RegExp(scope))
  const only = await app.key({ account, scopes: [scope] })
  const admitted = await app.request({ method, path, key: only.apiKey, ...payload })
  expect(admitted.json.error).not.toBe("insufficient_scope")
})

test.each(["/schemas", "/schema/kyc_individual_v1", "/usage", "/mint-configs", "/mint-config/us_real_estate_fund_v1"])(
  "GET %s needs a key and no scope",
  async (path) => {
    const none = await app.key({ scopes: [] })
    expect((await app.request({ method: "GET", path, key: none.apiKey })).status).toBe(200)
  },
)

test.each([
  "/",
  "//",
  "/kyc",
  "/kyc/start/",
  "/KYC/start",
  "/kyc//start",
  "/kyc/./start",
  "/attestation/",
  "/attestation/../usage",
  "/attestation/a/b",
  "/kyc/status/",
  "/%6byc/start",
  "/token",
  "/token/melt",
  "/token/mint/",
  "/token/operation/",
  "/token/balance/",
  "/mint-config",
  "/mint-config/a/delete",
  "/constructor",
  "/__proto__",
])("route_not_found: %s", async (path) => {
  expectError(await app.request({ method: "POST", path, json: {} }), "route_not_found", /Endpoint not found/)
})

test.each([
  ["/v1/usage", "/usage"],
  ["/v1/v1/kyc/start", "/kyc/start"],
  ["/usage/", "/usage"],
  ["//usage", "/usage"],
  ["/kyc//start/", "/kyc/start"],
  ["/KYC/Start", "/kyc/start"],
  [`/attestation/${newId("att")}/`, null],
])("route_not_found: %s suggests the right path", async (path, meant) => {
  const response = await app.request({ method: "GET", path, key: key.apiKey })
  expectError(response, "route_not_found", /^Endpoint not found/)
  expect(response.json.detail).toContain(`Call /v1${meant ?? path.slice(0, -1)}.`)
})

test.each(["/usage", "/usage/", "/V1/usage", "//usage"])("route_not_found: %s lacks /v1", async (path) => {
  const response = await fetch(`${app.origin}${path}`)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    error: "route_not_found",
    detail: "Endpoints are below /v1: call /v1/usage.",
  })
})

test.each([newId("att"), "att_x", "sess_1", "x", "%2F", "..", "a%00b", "%F0%9F%98%80"])(
  "attestation_not_found: an id that never existed, %s",
  async (id) => {
    const read = await app.request({ method: "GET", path: `/attestation/${id}`, key: key.apiKey })
    expectError(read, "attestation_not_found", /attestation/)
    const path = `/attestation/${id}/revoke`
    const revoked = await app.request({ method: "POST", path, key: key.apiKey, json: { reason: "x" } })
    expectError(revoked, "attestation_not_found", /attestation/)
  },
)

test.each([newId("op"), newId("att"), "op_x", "x", "%2F", "..", "a%00b", "%F0%9F%98%80"])(
  "operation_not_found: an id that never existed, %s",
  async (id) => {
    const response = await app.request({ method: "GET", path: `/token/operation/${id}`, key: key.apiKey })
    expectError(response, "operation_not_found", /operation/)
  },
)

test("operation_not_found: an operation of the ledger that is neither a mint nor a transfer", async () => {
  const attest = newId("op")
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, created_at)
    values (${key.workspaceId}, ${attest}, 'attest', 'failed', '{}', '{}', '{}', now())`
  const response = await app.request({ method: "GET", path: `/token/operation/${attest}`, key: key.apiKey })
  expectError(response, "operation_not_found", /operation/)
})

test.each(["none_v1", "US_REAL_ESTATE_FUND_V1", "x".repeat(65), "x", "%2F", "..", "a%00b", "%F0%9F%98%80"])(
  "mint_config_not_found: an id that never existed, %s",
  async (id) => {
    const read = await app.request({ method: "GET", path: `/mint-config/${id}`, key: key.apiKey })
    expectError(read, "mint_config_not_found", /mint configuration/)
    for (const verb of ["pause", "unpause"]) {
      const path = `/mint-config/${id}/${verb}`
      const response = await app.request({ method: "POST", path, key: key.apiKey })
      expectError(response, "mint_config_not_found", /mint configuration/)
    }
  },
)

test("attestation_not_found: an unknown wallet", async () => {
  const wallet = newWallet()
  const response = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
  expectError(response, "attestation_not_found", new RegExp(wallet))
})

test.each(["unknown", "Sandbox", "%2F", "__proto__", "toString"])("provider_not_found: %s", async (name) => {
  const sent = "{}"
  const path = `/kyc/webhook/${name}`
  const response = await app.request({ method: "POST", path, headers: signWebhook("1", sent), body: sent })
  expectError(response, "provider_not_found", /provider/)
})

test.each([
  ["GET", "/kyc/start", "POST, OPTIONS"],
  ["HEAD", "/kyc/start", "POST, OPTIONS"],
  ["DELETE", "/usage", "GET, HEAD, OPTIONS"],
  ["PUT", "/health", "GET, HEAD, OPTIONS"],
  ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
  ["PATCH", "/attestation/x", "GET, HEAD, OPTIONS"],
  ["TRACE", "/kyc/webhook", "POST, OPTIONS"],
  ["GET", "/token/mint", "POST, OPTIONS"],
  ["DELETE", "/token/operation/x", "GET, HEAD, OPTIONS"],
  ["PUT", "/mint-configs", "POST, GET, HEAD, OPTIONS"],
  ["DELETE", "/mint-config/x", "GET, PATCH, HEAD, OPTIONS"],
  ["GET", "/mint-config/x/pause", "POST, OPTIONS"],
])("method_not_allowed: %s %s", async (method, path, allow) => {
  const response = await app.request({ method, path })
  expect(response.headers.allow).toBe(allow)
  if (method === "HEAD") return expect(response.status).toBe(405)
  expectError(response, "method_not_allowed", new RegExp(allow))
})

test.each([
  ["none", {}],
  ["text/plain", { "content-type": "text/plain" }],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }],
  ["another charset", { "content-type": "application/json; charset=utf-16" }],
  ["almost JSON", { "content-type": "application/jsonp" }],
  ["compressed", { ...json, "content-encoding": "gzip" }],
])("unsupported_media_type: %s", async (_name, headers) => {
  const response = await start({ headers, body: JSON.stringify(body()) })
  expectError(response, "unsupported_media_type", /^Content-(Type|Encoding)/)
})

test.each([
  "application/json; charset=utf-8",
  "application/json; version=1",
  'Application/JSON;charset="UTF-8"',
  "application/json ",
])("the media type may be written %s", async (type) => {
  const response = await start({ headers: { "content-type": type }, body: JSON.stringify(body()) })
  expect(response.status).toBe(200)
})
