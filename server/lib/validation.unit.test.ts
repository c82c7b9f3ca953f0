import { expect, test } from "vitest"
import { z } from "zod"
import { parse } from "./validation.ts"

const picked = z.union([
  z.object({ q: z.string(), token: z.string() }),
  z.object({ q: z.string(), schema: z.string() }),
])

test.each([
  ["without a field that a variant needs", { q: "a" }, "token: required."],
  ["with a wrong field", { q: 1, schema: "a" }, "q: must be a string."],
  ["that is not an object", "a", "body: has the wrong format."],
])("a value of several variants %s is refused by its field", (_, value, detail) => {
  expect(() => parse(picked, value)).toThrow(expect.objectContaining({ message: detail }))
})

test("a union within a field is refused with the whole path", () => {
  expect(() => parse(z.object({ of: picked }), { of: { q: "a" } })).toThrow(
    expect.objectContaining({ message: "of.token: required." }),
  )
})
