import { expect } from "vitest"
import { type ErrorCode, statusOf } from "#shared/errors.ts"
import type { Response } from "./http.ts"
import type { TokenFixture } from "./tokens.ts"

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
