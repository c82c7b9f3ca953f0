import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { routes } from "#client/contract.ts"
import { clientSource } from "#server/rest/openapi/client.ts"
import { typeOf } from "#server/rest/openapi/client-types.ts"
import type { OpenApi } from "#server/rest/openapi/types.ts"

const document: OpenApi = parse(readFileSync(join(import.meta.dirname, "..", "..", "openapi.yaml"), "utf8"))

test("each endpoint that takes an API key has a method, and so does health", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const wanted = operations
    .filter(({ security, operationId }) => security.some((one) => "apiKey" in one) || operationId === "getHealth")
    .map(({ operationId }) => operationId)
  expect(Object.keys(routes).sort()).toEqual(wanted.sort())
})

test.each([
  [{ type: "string", pattern: "^a$" }, "string"],
  [{ type: ["integer", "null"] }, "number | null"],
  [{ enum: ["a", null] }, '"a" | null'],
  [{ anyOf: [{ $ref: "#/components/schemas/Reason" }, { type: "null" }] }, "Reason | null"],
  [{ type: "array", items: { enum: ["a", "b"] } }, 'Array<"a" | "b">'],
  [{ type: "object", additionalProperties: { type: "integer" } }, "Record<string, number>"],
  [
    { type: "object", properties: { a: { type: "string" }, "b-c": {} }, required: ["a"] },
    '{\n  a: string\n  "b-c"?: unknown\n}',
  ],
])("%j is %s", (schema, type) => {
  expect(typeOf(schema, false)).toBe(type)
})

test("optional fields of a request may be undefined", () => {
  expect(typeOf({ type: "object", properties: { a: { type: "string" } } }, true)).toContain("a?: string | undefined")
})

test("the generator stops at a keyword it does not know, instead of writing a wrong type", () => {
  expect(() => typeOf({ type: "string", not: { const: "a" } }, false)).toThrow("does not support the keyword not")
  expect(() => typeOf({ type: "date" }, false)).toThrow("does not support the type date")
  const changed = structuredClone(document)
  changed.paths["/token/mint"]!.post!.parameters!.push({
    name: "dry_run",
    in: "query",
    schema: { type: "boolean" },
  })
  expect(() => clientSource(changed)).toThrow("mintTokens: the client can send a body or a query")
})
