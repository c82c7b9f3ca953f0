import { describe, expect, test } from "vitest"
import { assertDocumented, type SeenResponse } from "./openapi-validator.ts"

const requestId = "req_4MpXbW9sYt2KcQvLhRz7Jd"
const headers = {
  "x-request-id": requestId,
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "content-type": "application/json",
}

const answer = (status: number, json: unknown, more: Record<string, string> = {}): SeenResponse => ({
  status,
  headers: { ...headers, ...more },
  json,
})
const failure = (status: number, error: string, more: Record<string, string> = {}) =>
  answer(status, { error, detail: "Do something else.", request_id: requestId }, more)

const verified = {
  status: "verified",
  attestation_id: "att_4f8NqYcTzHkLwR2sVbJm9X",
  schema: "kyc_individual_v1",
  expires_at: "2027-01-02T03:04:05Z",
  onchain_tx: null,
}
const session = { session_id: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ", session_url: "http://localhost:3000/verify/x" }
const status = "/kyc/status/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const health = {
  status: "ok",
  version: "0.1.0",
  checks: { database: "ok", chain: "ok", worker: "ok" },
  ledger: [],
}

describe("accepts documented responses", () => {
  test.each<[string, string, SeenResponse]>([
    ["GET", status, answer(200, verified)],
    ["GET", `${status}?schema=kyc_individual_v1`, answer(200, verified, { ratelimit: '"key";r=199;t=1' })],
    ["HEAD", status, { ...answer(200, undefined) }],
    ["HEAD", status, { ...answer(401, undefined, { "www-authenticate": "Bearer" }) }],
    ["GET", status, failure(401, "missing_api_key", { "www-authenticate": "Bearer" })],
    ["GET", status, failure(404, "attestation_not_found")],
    ["GET", "/kyc/status/%zz", failure(400, "malformed_request")],
    ["POST", "/kyc/start", answer(200, session, { "idempotent-replayed": "true" })],
    ["POST", "/kyc/start", failure(429, "quota_exceeded", { "retry-after": "86400" })],
    ["POST", "/kyc/start", failure(503, "provider_not_configured")],
    ["POST", "/kyc/webhook/sandbox", failure(404, "provider_not_found")],
    ["DELETE", "/usage", failure(405, "method_not_allowed", { allow: "GET, HEAD, OPTIONS" })],
    ["OPTIONS", "/usage", answer(204, undefined, { allow: "GET, HEAD, OPTIONS" })],
    ["GET", "/no/such/path", failure(404, "route_not_found")],
    ["OPTIONS", "/no/such/path", failure(404, "route_not_found")],
    ["HEAD", "/no/such/path", answer(404, undefined)],
    ["GET", "/no/such/path", failure(400, "https_required")],
    ["GET", "", failure(404, "route_not_found")],
    ["GET", "/health", answer(503, { ...health, status: "degraded" })],
    ["GET", "/openapi.json", answer(200, { openapi: "3.1.1" })],
    ["GET", "/openapi.yaml", answer(200, undefined, { "content-type": "application/yaml" })],
  ])("%s %s %#", (method, path, response) => assertDocumented(method, path, response))

  test("a replayed error may have the first request's id", () => {
    const replayed = failure(404, "attestation_not_found", { "idempotent-replayed": "true" })
    replayed.headers["x-request-id"] = "req_7XbW9sYt2KcQvLhRz4Mp2d"
    assertDocumented("POST", "/attestation/att_1/revoke", replayed)
  })
})

describe("refuses undocumented responses", () => {
  test.each<[string, string, string, SeenResponse]>([
    ["a status", "GET", status, failure(409, "mint_config_exists")],
    ["a field", "GET", status, answer(200, { ...verified, wallet: "7xKX" })],
    ["a nested field", "GET", "/health", answer(200, { ...health, checks: { ...health.checks, disk: "ok" } })],
    ["a missing field", "GET", status, answer(200, { ...verified, onchain_tx: undefined })],
    ["a value", "GET", status, answer(200, { ...verified, status: "maybe" })],
    ["a time", "GET", status, answer(200, { ...verified, expires_at: "tomorrow" })],
    ["a code", "GET", status, failure(422, "invalid_amount")],
    ["a code with another status", "GET", status, failure(404, "validation_failed")],
    ["an additional field in an error", "GET", status, answer(404, { error: "attestation_not_found", issues: [] })],
    [
      "another request's id",
      "GET",
      status,
      {
        ...failure(404, "attestation_not_found"),
        headers: { ...headers, "x-request-id": "req_7XbW9sYt2KcQvLhRz4Mp2d" },
      },
    ],
    ["a missing header", "GET", status, failure(401, "missing_api_key")],
    ["a header of another endpoint", "GET", status, answer(200, verified, { "idempotent-replayed": "true" })],
    ["a malformed header", "POST", "/kyc/start", failure(429, "quota_exceeded", { "retry-after": "soon" })],
    ["no request id", "GET", status, { ...answer(200, verified), headers: { "content-type": "application/json" } }],
    ["another media type", "GET", status, answer(200, verified, { "content-type": "text/html" })],
    ["no body", "GET", status, answer(200, undefined)],
    ["a body of HEAD", "HEAD", status, answer(200, verified)],
    ["405 without Allow", "DELETE", "/usage", failure(405, "method_not_allowed")],
    ["a response for an unknown path", "GET", "/no/such/path", answer(200, verified)],
    ["not found for a known path", "GET", "/usage", failure(404, "route_not_found")],
    ["an empty segment", "GET", "/kyc/status/", answer(200, verified)],
    ["a response to OPTIONS", "OPTIONS", "/usage", answer(200, {}, { allow: "GET, HEAD, OPTIONS" })],
  ])("%s: %s %s", (_, method, path, response) => {
    expect(() => assertDocumented(method, path, response)).toThrow(`${method} ${path} answered ${response.status}, but`)
  })
})
