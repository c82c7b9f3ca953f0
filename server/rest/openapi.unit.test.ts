import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Webhook } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import type { Principal } from "#server/domain/context.ts"
import { isSignedByStandard, readStandardEvent } from "#server/domain/kyc/providers/standard-webhooks.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { appRouter } from "#server/trpc/router.ts"
import { createCallerFactory, procedure, router } from "#server/trpc/trpc.ts"
import { apiErrorCodes, type ErrorCode, statusOf } from "#shared/errors.ts"
import { allScopes } from "#shared/scopes.ts"
import { tags } from "./openapi/description.ts"
import { openApiDocument } from "./openapi/document.ts"
import { variations } from "./openapi/examples.ts"
import { operationIdOf, pascalCase } from "./openapi/names.ts"
import { within } from "./openapi/schemas.ts"
import type { Example, Media, Operation, Parameter, Reference, Response } from "./openapi/types.ts"
import { documents, toYaml } from "./openapi.ts"
import { type Route, RouteTable } from "./routes.ts"

const inputsBefore = inputSchemas()
const document = openApiDocument()
const { routes } = new RouteTable(appRouter)
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
)

const operationFor = ({ path, method }: Route): Operation => document.paths[path]![method.toLowerCase()]!
const each = routes.map((route) => [`${route.method} ${route.path}`, route] as const)

/** Follows a reference into the components. */
function follow<T extends object>(value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T
  const [kind, name] = value.$ref.split("/").slice(2) as ["schemas", string]
  expect(document.components[kind], value.$ref).toHaveProperty([name])
  return document.components[kind][name] as T
}

/** The codes that an operation documents under a status. */
function codesUnder(operation: Operation, status: number): string[] {
  const response = operation.responses[status]
  return response ? Object.keys(follow<Response>(response).content?.["application/json"]?.examples ?? {}) : []
}

describe("the document", () => {
  test("is OpenAPI 3.1, with an address below /v1 and a licence", () => {
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

  test("holds every endpoint, and nothing else but its own two addresses", () => {
    const expected = routes.map(({ method, path }) => `${method} ${path}`)
    expect(operations.map(({ name }) => name).sort()).toEqual(
      [...expected, "GET /openapi.json", "GET /openapi.yaml"].sort(),
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

  test("gives every operation a name of its own, fit for a function", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
    expect(ids).toEqual(expect.arrayContaining(["startVerification", "getWalletStatus", "listAttestations"]))
  })

  test("sorts every operation under a tag that is described", () => {
    for (const { name, operation } of operations) {
      expect(operation.tags, name).toHaveLength(1)
      expect(tags, name).toHaveProperty([operation.tags![0]!])
      expect(operation.summary, name).toBeTruthy()
    }
  })

  test("names the schema of every JSON body, so that generators need not make names up", () => {
    for (const { name, operation } of operations.filter(({ path }) => !path.startsWith("/openapi."))) {
      for (const { schema } of mediaOf(operation))
        expect(schema.$ref, name).toMatch(/^#\/components\/schemas\//)
    }
  })

  test("writes what may be null as a type of 3.1, and keeps no keyword of 3.0", () => {
    const text = JSON.stringify(document.components.schemas)
    expect(text).not.toContain('"nullable"')
    expect(text).not.toContain('"example":')
    expect(text).not.toContain("9007199254740991")
    expect(document.components.schemas.WalletStatus!.properties!.onchain_tx!.type).toEqual(["string", "null"])
  })

  test("shows POST /kyc/start in camelCase, closed to unknown fields", () => {
    const schema = document.components.schemas.StartVerificationRequest!
    expect(Object.keys(schema.properties!)).toEqual(["userPubkey", "schemaId", "redirectUrl", "externalId"])
    expect(schema.required).toEqual(["userPubkey", "schemaId"])
    expect(schema.additionalProperties).toBe(false)
  })

  test("holds nothing that generators of clients stumble over", () => {
    expect(Object.keys(document.components.schemas)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Error|Schema|Object|Map|Date|Response|Request)$/)]),
    )
    const all = Object.values(document.components.schemas).flatMap((schema) => [...within(schema)])
    for (const schema of all) {
      // Two types in one field have no type in Go or Java; null is what they can do without.
      if (Array.isArray(schema.type)) expect(schema.type).toEqual([expect.any(String), "null"])
      // Without a format, a number is a float of 32 bits to some: 16777217 became 16777216.
      if (schema.type === "number") expect(schema.format).toBe("double")
    }
    for (const [name, schema] of Object.entries(document.components.schemas).filter(([name]) =>
      name.endsWith("Request"),
    )) {
      // What has a default is always there, to some.
      for (const one of within(schema)) expect(one, name).not.toHaveProperty("default")
    }
    const amount = document.components.schemas.MintTokensRequest!.properties!.amount!
    expect(amount.oneOf).toMatchObject([{ type: "string" }, { type: "number", format: "double" }])
    expect(document.paths["/openapi.yaml"]!.get!.responses[200]).toMatchObject({
      content: { "application/yaml": { schema: { type: "object" } } },
    })
  })

  test("says of every string what it may be: a form, a length, its values, or that it is for people", () => {
    const free = new Set(["detail", "cluster", "plan", "version", "database", "chain", "worker", "name"])
    const ofPeople = new Set([
      "external_id",
      "revocation_reason",
      "provider",
      "error",
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

  test("leaves answers open to new fields, but for the error object", () => {
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
    if (method === "POST") expected.push("malformed_json", "payload_too_large", "server_busy")
    if (method === "POST" && !meta.raw) expected.push("unsupported_media_type")
    if (meta.raw) expected.push("rate_limited", "database_unavailable", "invalid_signature")
    if (meta.idempotent)
      expected.push("invalid_idempotency_key", "idempotency_in_progress", "idempotency_key_reused")
    expected.push(...(meta.fails ?? []))
    const documented = Object.keys(operation.responses).flatMap((status) =>
      codesUnder(operation, Number(status)),
    )
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
    else expect(security).toEqual(meta.open ? [] : [{ apiKey: [] }])
  })

  test.each(each)("%s takes Idempotency-Key if it honours it, and only then", (_, route) => {
    const parameters = operationFor(route).parameters ?? []
    const names = parameters.map((parameter) => follow<Parameter>(parameter).name)
    expect(names.includes("Idempotency-Key")).toBe(route.meta.idempotent === true)
  })

  test.each(each)("%s may answer 202 if it is one that goes on afterwards, and only then", (_, route) => {
    expect("202" in operationFor(route).responses).toBe(route.meta.accepted !== undefined)
  })

  test.each(each)(
    "%s shows the fields of its path and query, with an example of what it needs",
    (_, route) => {
      const { parameters = [] } = operationFor(route)
      const inPath = parameters
        .map((parameter) => follow<Parameter>(parameter))
        .filter((one) => one.in === "path")
      expect(inPath.map(({ name }) => name)).toEqual(route.parameters)
      for (const parameter of parameters.map((one) => follow<Parameter>(one))) {
        expect(parameter.description, parameter.name).toBeTruthy()
        if (parameter.required) expect(parameter, parameter.name).toHaveProperty("example")
      }
    },
  )

  test("headers stand where they are sent", () => {
    const unavailable = apiErrorCodes.filter((code) => statusOf(code) === 503)
    const retried = new Set<string>([
      "idempotency_in_progress",
      "quota_exceeded",
      "rate_limited",
      ...unavailable,
    ])
    for (const { name, operation } of operations) {
      for (const [status, reference] of Object.entries(operation.responses)) {
        const headers = Object.keys(follow<Response>(reference).headers ?? {})
        const what = `${name} ${status}`
        expect(headers, what).toEqual(expect.arrayContaining(["X-Request-Id", "Strict-Transport-Security"]))
        expect(headers.includes("Retry-After"), what).toBe(
          codesUnder(operation, Number(status)).some((code) => retried.has(code)),
        )
        expect(headers.includes("WWW-Authenticate"), what).toBe(
          codesUnder(operation, Number(status)).includes("missing_api_key"),
        )
      }
    }
  })

  test("a success is documented as replayable where keys are honoured", () => {
    for (const route of routes) {
      const headers = Object.keys(follow<Response>(operationFor(route).responses["200"]!).headers!)
      expect(headers.includes("Idempotent-Replayed")).toBe(route.meta.idempotent === true)
      expect(headers.includes("RateLimit")).toBe(!route.meta.open)
    }
  })
})

describe("an endpoint that goes on after its answer", () => {
  const made = z
    .object({ id: z.string().meta({ example: "op_1" }), done: z.boolean() })
    .meta({ id: "TestMade" })
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

  test("answers 202 with the same record, and takes Prefer beside Idempotency-Key", () => {
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

  test("has a request schema of its own, and its own errors beside those of its kind", () => {
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

describe("examples", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ components: { schemas: document.components.schemas } }, "openapi")
  const fits = (schema: object, value: unknown, what: string): void => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
    const validate = ajv.compile(JSON.parse(text))
    expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).toBe(true)
  }
  const examplesOf = ({ example, examples }: Media): unknown[] => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map((one) => follow<Example>(one).value),
  ]

  test("every body has one, and all of them fit their schemas", () => {
    for (const { name, operation } of operations) {
      for (const media of mediaOf(operation)) {
        const examples = examplesOf(media)
        expect(examples.length, name).toBeGreaterThan(0)
        for (const example of examples) fits(media.schema, example, name)
      }
    }
  })

  test("those of parameters, headers and fields fit theirs", () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
    for (const parameter of parameters.map((one) => follow<Parameter>(one))) {
      if (parameter.example !== undefined) fits(parameter.schema, parameter.example, parameter.name)
    }
    for (const [name, { schema, example }] of Object.entries(document.components.headers)) {
      fits(schema, example, name)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, { examples = [], ...type }] of Object.entries(schema.properties ?? {})) {
        for (const example of examples) fits(type, example, `${name}.${field}`)
      }
    }
  })

  test("every variation belongs to an answer that is documented", () => {
    const answers = operations.flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    )
    expect(answers).toEqual(expect.arrayContaining(Object.keys(variations)))
  })

  test("those of webhooks are taken by the code that reads webhooks", () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
    const { examples } = document.paths["/kyc/webhook"]!.post!.requestBody!.content["application/json"]!
    for (const example of Object.values(examples!)) {
      const value = structuredClone(follow<Example>(example).value) as {
        data: { decision: string; occurred_at: string }
      }
      value.data.occurred_at = toTimestamp(clock.now())
      const body = JSON.stringify(value)
      const at = new Date()
      const headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
      }
      expect(isSignedByStandard([secret], headers, Buffer.from(body))).toBe(true)
      expect(readStandardEvent(headers, Buffer.from(body)).decision).toBe(value.data.decision)
    }
  })
})

describe("making it", () => {
  test("leaves the procedures' schemas as they were", () => {
    expect(inputSchemas()).toEqual(inputsBefore)
    for (const [name, input] of Object.entries(inputsBefore))
      expect(input, name).toMatchObject({ coerced: [] })
  })

  test("null is still no number, and text neither number nor boolean", async () => {
    const principal: Principal = {
      workspaceId: "ws_1",
      mode: "test",
      scopes: new Set(allScopes),
      via: { kind: "key", keyId: "key_1" },
    }
    const context = {
      requestId: "req_1",
      door: "api" as const,
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
      await expect(
        caller.verification.submit({ ...form, ageOver18: ageOver18 as never }),
      ).rejects.toMatchObject({ code: "BAD_REQUEST" })
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

test.each([
  ["attestation.revoke", "revokeAttestation"],
  ["schema.list", "listSchemas"],
  ["mint_config.pause", "pauseMintConfig"],
])("%s is called %s", (procedure, operationId) => {
  expect(operationIdOf(procedure)).toBe(operationId)
})

test("names of several words lose what stands between them", () => {
  expect(pascalCase("Not Found")).toBe("NotFound")
  expect(pascalCase("rate_limited")).toBe("RateLimited")
})

function mediaOf(operation: Operation): Media[] {
  return [
    ...Object.values(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap((response) =>
      Object.values(follow<Response>(response).content ?? {}),
    ),
  ]
}

/** Every procedure's input as JSON Schema, and the fields in it that are coerced. */
function inputSchemas(): Record<string, unknown> {
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    { _def: { inputs: z.ZodObject[] } }
  >
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
