import { expect, test } from "vitest"
import { errorExamples } from "#shared/error-examples.ts"
import { requestText } from "./request-text.ts"

test("a request is shown with its headers and its body", () => {
  expect(requestText(errorExamples.invalid_idempotency_key)).toMatch(
    /^POST \/v1\/kyc\/start\nAuthorization: Bearer <API_KEY>\nContent-Type: application\/json\nIdempotency-Key: order 4711\n\n\{\n {2}"userPubkey": /,
  )
  expect(requestText(errorExamples.missing_api_key)).toBe("GET /v1/usage")
})
