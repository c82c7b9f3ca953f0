import { expect, test } from "vitest"
import { errorExamples } from "#shared/error-examples.ts"
import { requestText, responseText } from "./http-text.ts"

test("a request is shown with its headers and its body", () => {
  expect(requestText(errorExamples.invalid_idempotency_key)).toMatch(
    /^POST \/v1\/kyc\/start\nAuthorization: Bearer <API_KEY>\nContent-Type: application\/json\nIdempotency-Key: order 4711\n\n\{\n {2}"userPubkey": /,
  )
  expect(requestText(errorExamples.missing_api_key)).toBe("GET /v1/usage")
})

test("a response is shown with its status, the headers that matter, and its whole body", () => {
  const { body } = errorExamples.rate_limited
  expect(responseText(errorExamples.rate_limited)).toBe(
    `HTTP/1.1 429\nContent-Type: application/json\nX-Request-Id: ${"request_id" in body && body.request_id}\nRetry-After: 30\n\n${JSON.stringify(body, null, 2)}`,
  )
  expect(responseText(errorExamples.missing_api_key)).toMatch(
    /^HTTP\/1\.1 401\nContent-Type: application\/json\nX-Request-Id: req_\w+\nWWW-Authenticate: Bearer/,
  )
})
