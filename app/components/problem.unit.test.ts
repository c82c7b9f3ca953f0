import { expect, test } from "vitest"
import { CallError } from "#app/api.ts"
import { fieldsIn, isPassing, problemOf, Refused } from "./problem.ts"

const refusal = { error: "wallet_not_verified", detail: "The wallet is not verified." }

test.each([
  ["REST's", { ...refusal, request_id: "req_1" }],
  ["tRPC's", { ...refusal, requestId: "req_1" }],
])("a refusal in %s form is shown in the server's words", (_, body) => {
  const shown = { code: "wallet_not_verified", detail: "The wallet is not verified.", requestId: "req_1" }
  expect(problemOf(new CallError(403, body))).toEqual(shown)
  // The error of a stream comes from tRPC's client.
  expect(problemOf(Object.assign(new Error(), { data: body }))).toEqual(shown)
})

test("a refusal without an id has none", () => {
  expect(problemOf(new CallError(403, refusal)).requestId).toBeNull()
})

test("a refusal by the form itself is shown in its words", () => {
  expect(problemOf(new Refused("Too small."))).toEqual({
    code: "refused",
    detail: "Too small.",
    requestId: null,
  })
})

test.each([
  ["no answer", new CallError(null, null)],
  ["an answer from something else, such as a proxy", new CallError(502, "<html>")],
  ["an incomplete refusal", new CallError(500, { error: "internal_error" })],
  ["another error", new TypeError("x is not a function")],
  ["no error", null],
])("%s shows a plain sentence and no machine text", (_, error) => {
  const { code, requestId } = problemOf(error)
  expect({ code, requestId }).toEqual({ code: "unreachable", requestId: null })
})

test.each([
  [null, true],
  [500, true],
  [503, true],
  [429, false],
  [404, false],
])("a call that ended with %s may be retried: %s", (status, passing) => {
  expect(isPassing(new CallError(status, refusal))).toBe(passing)
})

test("an error that is not from a call is not retried", () => {
  expect(isPassing(new Error("broken"))).toBe(false)
})

test("each field that a detail names gets its own sentence", () => {
  expect(fieldsIn("name: is empty. Enter 1 to 64 characters. rules.max_supply: must be a number.")).toEqual([
    ["name", "Is empty. Enter 1 to 64 characters."],
    ["rules.max_supply", "Must be a number."],
  ])
  expect(fieldsIn("The server is busy. Retry.")).toEqual([])
})
