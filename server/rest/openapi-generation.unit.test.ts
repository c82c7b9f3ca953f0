import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import type { Principal } from "#server/domain/requests/context.ts"
import { appRouter } from "#server/trpc/router.ts"
import { createCallerFactory } from "#server/trpc/trpc.ts"
import { allScopes } from "#shared/scopes.ts"
import { openApiDocument } from "./openapi/document.ts"
import { documents, toYaml } from "./openapi.ts"

const inputsBefore = inputSchemas()
const document = openApiDocument()

describe("generating the document", () => {
  test("leaves the procedures' schemas unchanged", () => {
    expect(inputSchemas()).toEqual(inputsBefore)
    for (const [name, input] of Object.entries(inputsBefore)) expect(input, name).toMatchObject({ coerced: [] })
  })

  test("null remains different from a number, and text from numbers and booleans", async () => {
    const principal: Principal = {
      workspaceId: "ws_1",
      mode: "test",
      scopes: new Set(allScopes),
      via: { kind: "key", keyId: "key_1" },
    }
    const context = {
      requestId: "req_1",
      transport: "api" as const,
      principal,
      user: null,
      idempotency: null,
      webhook: null,
      respondAsync: false,
      answer: { status: 200 },
    }
    const caller = createCallerFactory(appRouter)(context)
    for (const limit of [null, "20", true]) {
      await expect(caller.attestation.list({ limit: limit as never })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      })
    }
    const form = {
      sessionId: "sess_1",
      consent: true,
      country: "US",
      accredited: true,
      decision: "approved",
    } as const
    for (const ageOver18 of ["false", 0, null]) {
      await expect(caller.verification.submit({ ...form, ageOver18: ageOver18 as never })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      })
    }
  })

  test("gives the same document every time", () => {
    expect(openApiDocument()).toEqual(document)
  })

  test("openapi.yaml and both served forms are this document", () => {
    expect(readFileSync("openapi.yaml", "utf8").replace(/^#.*\n/, "")).toBe(toYaml(document))
    const served = documents()
    expect(JSON.parse(served.get("/openapi.json")!.body.toString())).toEqual(document)
    expect(served.get("/openapi.yaml")!.body.toString()).toBe(toYaml(document))
    expect(parse(toYaml(document))).toEqual(document)
    expect(parse(toYaml(document), { version: "1.1" })).toEqual(document)
  })
})

test("the copy in OpenAPI 3.0 has the same operations, and no keyword of 3.1", () => {
  const copy = JSON.parse(documents().get("/openapi-3.0.json")!.body.toString())
  expect(copy.openapi).toBe("3.0.3")
  expect(Object.keys(copy.paths)).toEqual(Object.keys(document.paths))
  const wrong: string[] = []
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null || /\/(example|value|enum|default)$/.test(path)) return
    for (const [name, one] of Object.entries(value)) {
      const is31 =
        (name === "type" && Array.isArray(one)) ||
        (name === "type" && one === "null") ||
        (name.startsWith("exclusive") && typeof one !== "boolean") ||
        ["const", "propertyNames"].includes(name) ||
        (name === "examples" && Array.isArray(one))
      if (is31 && !path.endsWith("/properties")) wrong.push(`${path}/${name}`)
      look(one, `${path}/${name}`)
    }
  }
  look(copy, "")
  expect(wrong).toEqual([])
})

/** Every procedure's input as JSON Schema, with its coerced fields. */
function inputSchemas(): Record<string, unknown> {
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: z.ZodObject[] } }>
  const entries = Object.entries(procedures).flatMap(([name, { _def }]) => {
    const [input] = _def.inputs
    if (!input) return []
    const { shape = {} } = input
    const coerced = Object.keys(shape).filter((field) => isCoerced(shape[field]))
    return [[name, { schema: z.toJSONSchema(input, { io: "input" }), coerced }]]
  })
  return Object.fromEntries(entries)
}

function isCoerced(schema: unknown): boolean {
  const { def } = schema as { def: { coerce?: boolean; innerType?: unknown } }
  return def.coerce === true || (def.innerType !== undefined && isCoerced(def.innerType))
}
