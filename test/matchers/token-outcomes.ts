import { expect } from "vitest"
import { type ErrorCode, statusOf } from "#shared/errors.ts"
import { type TestApp, type TestKey, waitFor } from "../fixtures/app.ts"
import type { Response } from "../fixtures/http.ts"
import type { TokenFixture } from "../fixtures/tokens.ts"

/** Expects a refusal with this code that leaves no trace. */
export async function expectRefused(
  tokens: TokenFixture,
  config: string,
  code: ErrorCode,
  request: () => Promise<Response>,
): Promise<Response> {
  const before = await tokens.trace(config)
  const response = await request()
  expect([response.status, response.json.error]).toEqual([statusOf(code), code])
  expect(await tokens.trace(config)).toEqual(before)
  return response
}

export async function admitted(request: Promise<Response>): Promise<Response> {
  const response = await request
  expect(response.json).toMatchObject({ status: "confirmed", error: null })
  expect(response.status).toBe(200)
  return response
}

/**
 * The final status and error code of a mint or transfer, even if the chain takes longer than the request waits (202).
 */
export async function endOf({ app, key }: { app: TestApp; key: TestKey }, response: Response) {
  if (response.status !== 202) return [response.status, response.json.error]
  const path = `/token/operation/${response.json.operation_id}`
  const ended = await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path, key: key.apiKey })
    return ["confirmed", "failed"].includes(json.status) && json
  }, "the operation to end")
  return ended.error === null ? [200, null] : [statusOf(ended.error.error), ended.error.error]
}
