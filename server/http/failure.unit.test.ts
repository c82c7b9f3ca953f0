import { afterEach, expect, test, vi } from "vitest"
import { logger } from "#server/lib/log.ts"
import { apiErrorCodes, type ErrorCode, errors, Failure, statusOf } from "#shared/errors.ts"
import { logFailure, toFailure } from "./failure.ts"

afterEach(() => vi.restoreAllMocks())

const SAME_KEY = /Use the same Idempotency-Key/
const unavailable = apiErrorCodes.filter((code) => statusOf(code) >= 500)
const foreseen = (code: ErrorCode) =>
  new Failure(code, `${errors[code].title}. ${errors[code].fix}`, {
    retryAfterSeconds: 7,
    endsConnection: true,
  })

test("a temporary problem says to retry, with the same key if there is one", () => {
  for (const code of unavailable) {
    const { message } = toFailure(foreseen(code))
    expect([code, SAME_KEY.test(message)]).toEqual([code, false])
    const kept = toFailure(foreseen(code), { hasKey: true })
    expect([code, SAME_KEY.test(kept.message)]).toEqual([code, errors[code].isTemporary])
    expect(kept).toMatchObject({ code, retryAfterSeconds: 7, endsConnection: true })
  }
  for (const error of [new Error("unforeseen"), { code: "ECONNREFUSED" }, null])
    expect(toFailure(error, { hasKey: true }).message).toMatch(SAME_KEY)
  const cause = new Error("the database's own words")
  expect(toFailure(new Failure("database_unavailable", "Wait.", { cause }), { hasKey: true }).cause).toBe(cause)
})

test("a refusal stays unchanged with and without a key", () => {
  const refusal = new Failure("validation_failed", "name: required.")
  expect(toFailure(refusal, { hasKey: true })).toBe(refusal)
})

test("every 5xx says to retry or what to configure", () => {
  for (const code of unavailable)
    expect([code, errors[code].fix]).toEqual([code, expect.stringMatching(/Retry|Set|Configure/)])
})

test.each<[ErrorCode, "error" | "warn" | null]>([
  ["internal_error", "error"],
  ["database_unavailable", "warn"],
  ["chain_unavailable", "warn"],
  ["chain_not_configured", "warn"],
  ["provider_not_configured", "warn"],
  // Logged where the vendor is called.
  ["provider_unavailable", null],
  ["server_busy", null],
  ["wallet_not_verified", null],
])("%s has one line in the log at level %s, also if it was expected", (code, level) => {
  const said: string[] = []
  for (const name of ["error", "warn", "info"] as const)
    vi.spyOn(logger, name).mockImplementation((about: unknown) => {
      said.push(name)
      expect(about).toMatchObject({ requestId: "req_1", reason: errors[code].fix })
    })
  logFailure(new Failure(code, errors[code].fix), "req_1")
  expect(said).toEqual(level === null ? [] : [level])
})
