import { expect } from "vitest"
import { type ErrorCode, errors, statusOf } from "#shared/errors.ts"
import type { Response } from "../fixtures/http.ts"

/** Expects exactly this error: the status, three fields, and the request's id in the header too. */
export function expectError(response: Response, code: ErrorCode, detail: RegExp): void {
  expect(response.json).toEqual({
    error: code,
    detail: expect.stringMatching(detail),
    request_id: expect.stringMatching(/^req_[1-9A-HJ-NP-Za-km-z]{16,22}$/),
  })
  expect(response.status).toBe(statusOf(code))
  expect(response.headers["x-request-id"]).toBe(response.json.request_id)
  expect(response.headers["strict-transport-security"]).toMatch(/^max-age=[1-9]/)
  expect(response.headers["content-type"]).toBe("application/json")
}

/** Expects a repetition of the first response under its own request id. */
export function expectReplay(replay: Response, first: Response): void {
  expect(replay.status).toBe(first.status)
  expect(replay.text).toBe(first.text)
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  expect(replay.headers["content-type"]).toBe(first.headers["content-type"])
  expect(replay.headers["x-request-id"]).toMatch(/^req_/)
  expect(replay.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
  expect(first.headers["idempotent-replayed"]).toBeUndefined()
}

/** Expects a success or a 4xx with the complete error object and the request's id, never a 5xx. */
export function expectOurs({ status, headers, json, text }: Response): void {
  expect(headers["x-request-id"]).toMatch(/^req_/)
  if (status === 200 || status === 202 || status === 204) return
  expect(status, text).toBeGreaterThanOrEqual(400)
  expect(status, text).toBeLessThan(500)
  if (text === "") return
  expect(Object.keys(json)).toEqual(["error", "detail", "request_id"])
  expect(errors).toHaveProperty(json.error)
  expect(json.request_id).toBe(headers["x-request-id"])
  expect(json.detail.length).toBeLessThan(1000)
}
