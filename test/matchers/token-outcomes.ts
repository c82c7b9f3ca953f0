import { expect } from "vitest"
import { type ErrorCode, statusOf } from "#shared/errors.ts"
import { type TestApp, type TestKey, waitFor } from "../fixtures/app.ts"
import type { Response } from "../fixtures/http.ts"
import type { TokenFixture } from "../fixtures/tokens.ts"

/** The request is refused with this code, and it was as if it had never been made. */
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

/** Status and code of what a movement comes to, also where the chain takes longer than a request waits (202). */
export async function endOf({ app, key }: { app: TestApp; key: TestKey }, response: Response) {
  if (response.status !== 202) return [response.status, response.json.error]
  const path = `/token/operation/${response.json.operation_id}`
  const ended = await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path, key: key.apiKey })
    return ["confirmed", "failed"].includes(json.status) && json
  }, "the operation to end")
  return ended.error === null ? [200, null] : [statusOf(ended.error.error), ended.error.error]
}
