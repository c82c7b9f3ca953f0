import { expect, test } from "vitest"
import { apiErrorCodes, errorCodes, errors, retryAdvice } from "./errors.ts"

test("every error says what happened and what to do", () => {
  for (const code of errorCodes) {
    expect(errors[code].title, code).toMatch(/^[A-Z].*[^.]$/)
    expect(errors[code].fix, code).toMatch(/^[A-Z].*\.$/)
  }
})

test("only a 401 asks for a key, an error with Retry-After can be retried, and both are errors of the API", () => {
  const about = (trait: "asksForKey" | "isTimed") => errorCodes.filter((code) => errors[code][trait])
  expect(about("asksForKey").map((code) => errors[code].status)).toEqual([401, 401, 401])
  expect(about("isTimed")).toEqual(["idempotency_in_progress", "quota_exceeded", "rate_limited"])
  expect(apiErrorCodes).toEqual(expect.arrayContaining([...about("asksForKey"), ...about("isTimed")]))
})

test("retry advice matches the error", () => {
  expect(retryAdvice("rate_limited")).toContain("Retry-After")
  expect(retryAdvice("chain_unavailable")).toContain("same Idempotency-Key")
  expect(retryAdvice("mint_paused")).toContain("won't help")
  expect(retryAdvice("mail_failed")).toContain("Only the dashboard")
})
