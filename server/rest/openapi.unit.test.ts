import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { appRouter } from "#server/trpc/router.ts"
import { procedure, router } from "#server/trpc/trpc.ts"
import { apiErrorCodes, type ErrorCode, statusOf } from "#shared/errors.ts"
import { readDocument } from "#test/matchers/openapi-document.ts"
import { tags } from "./openapi/description.ts"
import { openApiDocument } from "./openapi/document.ts"
import { operationIdOf, pascalCase } from "./openapi/names.ts"
import { within } from "./openapi/schemas.ts"
import type { Operation, Parameter, Response } from "./openapi/types.ts"
import { type Route, RouteTable } from "./routes.ts"

const document = openApiDocument()
const { routes } = new RouteTable(appRouter)

const operationFor = ({ path, method }: Route): Operation => document.paths[path]![method.toLowerCase()]!
const { operations, follow, mediaOf } = readDocument(document)
const each = routes.map((route) => [`${route.method} ${route.path}`, route] as const)

/** The codes that an operation documents under a status. */
function codesUnder(operation: Operation, status: number): string[] {
  const response = operation.responses[status]
  return response ? Object.keys(follow<Response>(response).content?.["application/json"]?.examples ?? {}) : []
}

describe("the document", () => {
  test("is OpenAPI 3.1, with an address below /v1 and a license", () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.servers).toEqual([{ url: "/v1" }])
    expect(document.info).toMatchObject({
      title: "Vouch",
      contact: { name: expect.any(String) },
      license: { name: "MIT", identifier: "MIT" },
    })
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(document.info.version).toBe(version)
  })

  test("contains every endpoint, and otherwise only the addresses of the document itself", () => {
    const expected = routes.map(({ method, path }) => `${method} ${path}`)
    expect(operations.map(({ name }) => name).sort()).toEqual(
      [...expected, "GET /openapi.json", "GET /openapi-3.0.json", "GET /openapi.yaml"].sort(),
    )
  })

  test("refers only to what exists, and leaves nothing unused", () => {
    const text = JSON.stringify(document)
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((found) => found[1]!))
    for (const reference of references) expect(follow({ $ref: reference })).toBeDefined()
    const { securitySchemes: _, ...components } = document.components
    const named = Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    )
    expect([...references].sort()).toEqual(named.sort())
  })

  test("gives every operation a unique name that fits a function", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
    expect(ids).toEqual(expect.arrayContaining(["startVerification", "getWalletStatus", "listAttestations"]))
  })

  test("gives every operation a described tag", () => {
    for (const { name, operation } of operations) {
      expect(operation.tags, name).toHaveLength(1)
      expect(tags, name).toHaveProperty([operation.tags![0]!])
      expect(operation.summary, name).toBeTruthy()
    }
  })

  test("names the schema of every JSON body, so that generators need not invent names", () => {
    for (const { name, operation } of operations.filter(({ path }) => !/^\/openapi|\.csv$/.test(path))) {
      for (const { schema } of mediaOf(operation)) expect(schema.$ref, name).toMatch(/^#\/components\/schemas\//)
    }
  })

  test("writes nullable values as types of 3.1, without keywords of 3.0", () => {
    const text = JSON.stringify(document.components.schemas)
    expect(text).not.toContain('"nullable"')
    expect(text).not.toContain('"example":')
    expect(text).not.toContain("9007199254740991")
    expect(document.components.schemas.WalletStatus!.properties!.onchain_tx!.type).toEqual(["string", "null"])
  })

  test("shows POST /kyc/start in camelCase, closed to unknown fields", () => {
    const schema = document.components.schemas.StartVerificationRequest!
    expect(Object.keys(schema.properties!)).toEqual(["userPubkey", "schemaId", "redirectUrl", "externalId", "email"])
    expect(schema.required).toEqual(["userPubkey", "schemaId"])
    expect(schema.additionalProperties).toBe(false)
  })

  test("contains nothing that client generators cannot handle", () => {
    expect(Object.keys(document.components.schemas)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Error|Schema|Object|Map|Date|Response|Request)$/)]),
    )
    const all = Object.values(document.components.schemas).flatMap((schema) => [...within(schema)])
    for (const schema of all) {
      // Two types in one field have no type in Go or Java. Null is the exception.
      if (Array.isArray(schema.type)) expect(schema.type).toEqual([expect.any(String), "null"])
      // Without a format, some generators use a 32-bit float: 16777217 became 16777216.
      if (schema.type === "number") expect(schema.format).toBe("double")
    }
    for (const [name, schema] of Object.entries(document.components.schemas).filter(([name]) =>
      name.endsWith("Request"),
    )) {
      // Some generators assume that a field with a default is always present.
      for (const one of within(schema)) expect(one, name).not.toHaveProperty("default")
    }
    const amount = document.components.schemas.Amount!
    expect(amount.oneOf).toMatchObject([{ type: "string" }, { type: "number", format: "double" }])
    expect(document.paths["/openapi.yaml"]!.get!.responses[200]).toMatchObject({
      content: { "application/yaml": { schema: { type: "object" } } },
    })
  })

  test("describes every string: its format, length or values, or that it is for people", () => {
    const free = new Set([
      "account",
      "detail",
      "cluster",
      "plan",
      "version",
      "database",
      "chain",
      "worker",
      "name",
      "reason",
      "refused",
    ])
    const ofPeople = new Set([
      "external_id",
      "requested_by",
      "reference",
      "document_sha256",
      "revocation_reason",
      "provider",
      "body",
      "error",
      "last_error",
      "session_id",
      "next_cursor",
    ])
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, type] of Object.entries(schema.properties ?? {})) {
        if (![type.type].flat().includes("string") || free.has(field) || ofPeople.has(field)) continue
        const said = type.pattern ?? type.maxLength ?? type.enum ?? type.const ?? type.format
        expect(said, `${name}.${field}`).toBeDefined()
      }
    }
  })

  test("leaves answers open to new fields, except the error object", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const closed = name === "ApiError" || name.endsWith("Request")
      expect(JSON.stringify(schema).includes('"additionalProperties":false'), name).toBe(closed)
    }
  })
})

describe("errors", () => {
  test("the error object has exactly its three fields, and every code of the table", () => {
    const schema = document.components.schemas.ApiError!
    expect(Object.keys(schema.properties!)).toEqual(["error", "detail", "request_id"])
    expect(schema.required).toEqual(["error", "detail", "request_id"])
    expect(schema.properties!.error!.enum).toEqual(apiErrorCodes)
  })

  test.each(each)("%s documents every error it can give, under its status", (_, route) => {
    const operation = operationFor(route)
    const { meta, method } = route
    const expected: ErrorCode[] = [
      "malformed_request",
      "https_required",
      "validation_failed",
      "rate_limited",
      "internal_error",
    ]
    if (!meta.open) {
      expected.push("missing_api_key", "invalid_api_key", "expired_api_key")
      expected.push("database_unavailable")
    }
    if (meta.scope) expected.push("insufficient_scope")
    if (method !== "GET") expected.push("malformed_json", "payload_too_large", "server_busy")
    if (method !== "GET" && !meta.raw) expected.push("unsupported_media_type")
    if (meta.raw) expected.push("rate_limited", "database_unavailable", "invalid_signature")
    if (meta.idempotent) expected.push("invalid_idempotency_key", "idempotency_in_progress", "idempotency_key_reused")
    if (meta.needsApproval) expected.push("approver_missing")
    expected.push(...(meta.fails ?? []))
    const documented = Object.keys(operation.responses).flatMap((status) => codesUnder(operation, Number(status)))
    expect([...documented].sort()).toEqual([...new Set(expected)].sort())
    for (const code of expected) {
      expect(codesUnder(operation, statusOf(code)), code).toContain(code)
      expect(follow<Response>(operation.responses[statusOf(code)]!).description).toContain(`\`${code}\``)
    }
  })

  test("every error response carries the error object", () => {
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status.startsWith("2") || (name === "GET /health" && status === "503")) continue
        const { schema } = follow<Response>(response).content!["application/json"]!
        expect(schema, `${name} ${status}`).toEqual({ $ref: "#/components/schemas/ApiError" })
      }
    }
  })
})

describe("around the bodies", () => {
  test.each(each)("%s says how it is authenticated", (_, { meta, ...route }) => {
    const { security } = operationFor({ meta, ...route })
    if (meta.raw) expect(security).toEqual([{ webhookSignature: [] }])
    else if (meta.open) expect(security).toEqual([])
    else expect(security).toEqual([{ apiKey: meta.scope === undefined ? [] : [meta.scope] }])
  })

  test.each(each)("%s documents Idempotency-Key exactly if it supports it", (_, route) => {
    const parameters = operationFor(route).parameters ?? []
    const names = parameters.map((parameter) => follow<Parameter>(parameter).name)
    expect(names.includes("Idempotency-Key")).toBe(route.meta.idempotent === true)
  })

  test.each(each)("%s documents 202 exactly if its work may continue after the answer or need approval", (_, route) => {
    expect("202" in operationFor(route).responses).toBe(
      route.meta.accepted !== undefined || route.meta.needsApproval === true,
    )
  })

  test.each(each)("%s documents its path and query parameters, with examples of required ones", (_, route) => {
    const { parameters = [] } = operationFor(route)
    const inPath = parameters.map((parameter) => follow<Parameter>(parameter)).filter((one) => one.in === "path")
    expect(inPath.map(({ name }) => name)).toEqual(route.parameters)
    for (const parameter of parameters.map((one) => follow<Parameter>(one))) {
      expect(parameter.description, parameter.name).toBeTruthy()
      if (parameter.required) expect(parameter, parameter.name).toHaveProperty("example")
    }
  })

  test("headers are documented where they are sent", () => {
    const unavailable = apiErrorCodes.filter((code) => statusOf(code) === 503)
    const retried = new Set<string>(["idempotency_in_progress", "quota_exceeded", "rate_limited", ...unavailable])
    for (const { name, operation } of operations) {
      for (const [status, reference] of Object.entries(operation.responses)) {
        const headers = Object.keys(follow<Response>(reference).headers ?? {})
        const what = `${name} ${status}`
        expect(headers, what).toEqual(expect.arrayContaining(["X-Request-Id", "Strict-Transport-Security"]))
        expect(headers.includes("Retry-After"), what).toBe(
          status === "202" || codesUnder(operation, Number(status)).some((code) => retried.has(code)),
        )
        expect(headers.includes("WWW-Authenticate"), what).toBe(
          codesUnder(operation, Number(status)).includes("missing_api_key"),
        )
      }
    }
  })

  test("a success is documented as replayable if idempotency keys are supported", () => {
    for (const route of routes) {
      const headers = Object.keys(follow<Response>(operationFor(route).responses["200"]!).headers!)
      expect(headers.includes("Idempotent-Replayed")).toBe(route.meta.idempotent === true)
      expect(headers.includes("RateLimit")).toBe(!route.meta.open)
    }
  })
})

describe("an endpoint whose work continues after its answer", () => {
  const made = z.object({ id: z.string().meta({ example: "op_1" }), done: z.boolean() }).meta({ id: "TestMade" })
  const input = z.object({
    amount: z.union([z.string(), z.number()]).meta({ example: "1.5" }),
    note: z.string().optional(),
  })
  const { paths, components } = openApiDocument(
    router({
      coin: router({
        mint: procedure
          .meta({
            scope: "token:mint",
            idempotent: true,
            accepted: "/thing/{id}",
            fails: ["mint_paused"],
            openapi: { method: "POST", path: "/coin/mint", tags: ["Token"] },
          })
          .input(input)
          .output(made)
          .mutation(() => ({ id: "op_1", done: true })),
      }),
    }),
  )
  const operation = paths["/coin/mint"]!.post!

  test("answers 202 with the same record, and takes Prefer as well as Idempotency-Key", () => {
    expect(operation.operationId).toBe("mintCoin")
    for (const status of [200, 202]) {
      const { content, headers } = operation.responses[status] as Response
      expect(content!["application/json"]!.schema).toEqual({ $ref: "#/components/schemas/TestMade" })
      expect(headers).toHaveProperty("Idempotent-Replayed")
    }
    expect(operation.parameters).toEqual([
      { $ref: "#/components/parameters/Idempotency-Key" },
      { $ref: "#/components/parameters/Prefer" },
    ])
    expect(components.parameters).toHaveProperty("Prefer")
  })

  test("has its own request schema, and its own errors in addition to the common ones", () => {
    const { content, required } = operation.requestBody!
    expect(required).toBe(true)
    expect(content["application/json"]).toEqual({
      schema: { $ref: "#/components/schemas/MintCoinRequest" },
      example: { amount: "1.5" },
    })
    expect(components.schemas.MintCoinRequest!.additionalProperties).toBe(false)
    const forbidden = operation.responses["403"] as Response
    expect(Object.keys(forbidden.content!["application/json"]!.examples!)).toEqual([
      "insufficient_scope",
      "mint_paused",
    ])
  })
})

test.each([
  ["attestation.revoke", "revokeAttestation"],
  ["schema.list", "listSchemas"],
  ["mint_config.pause", "pauseMintConfig"],
])("%s is called %s", (procedure, operationId) => {
  expect(operationIdOf(procedure)).toBe(operationId)
})

test("names of several words lose their separators", () => {
  expect(pascalCase("Not Found")).toBe("NotFound")
  expect(pascalCase("rate_limited")).toBe("RateLimited")
})
