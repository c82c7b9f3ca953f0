import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { routes } from "#client/contract.ts"
import { clientSource } from "#server/rest/openapi/client.ts"
import { typeOf } from "#server/rest/openapi/client-types.ts"
import type { OpenApi } from "#server/rest/openapi/types.ts"

const document: OpenApi = parse(readFileSync(join(import.meta.dirname, "..", "..", "openapi.yaml"), "utf8"))

test("there is a method for each endpoint that takes an API key, and for health", () => {
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

test("in what is sent, a field that may be left out may be undefined", () => {
  expect(typeOf({ type: "object", properties: { a: { type: "string" } } }, true)).toContain("a?: string | undefined")
})

test("what the generator does not know stops it, instead of becoming a wrong type", () => {
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
