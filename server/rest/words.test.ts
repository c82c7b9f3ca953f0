import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { detailOf, fieldErrorOf, sentenceOf } from "#server/lib/validation.ts"
import { appRouter } from "#server/trpc/router.ts"
import { newWallet, signWebhook } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { openApiDocument } from "./openapi/document.ts"
import { requestExample, sample } from "./openapi/examples.ts"
import { resolve } from "./openapi/schemas.ts"
import type { Parameter, Schema } from "./openapi/types.ts"
import { type Route, RouteTable } from "./routes.ts"

const { paths, components } = openApiDocument()
const { schemas } = components
const { routes } = new RouteTable(appRouter)

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

/** Phrases of the validator's own messages. */
const VALIDATOR = /invalid|expected|received|too (small|big)|unrecognized|must match|string to have|NaN|>=|<=/i

/** Refusals that a schema cannot express: what an id names, the value of an amount, and combinations of fields. */
const BEYOND_SCHEMAS =
  /address of a wallet|is not a (schema|mint configuration) of|must differ from|can move 0 at most|can be held|cannot change here|more than zero|control characters|halves of surrogate pairs|ISO 3166|must name a country|digits after the point|https address|send exactly one of/

/** The same for endpoints whose fields depend on another one, such as the kind of a movement. */
const BEYOND_SCHEMA_OF: Record<string, RegExp> = {
  "/token/preflight": /: (required|unknown field)\./,
  "/distributions": /: (required for `stablecoin`|only for `(stablecoin|external)`|send either total or per_unit)\./,
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ components: { schemas } }, "openapi")
/** Compiled once, because a check takes a thousandth of that time. */
const validators = new Map<string, ValidateFunction>()
function fits(schema: Schema, value: unknown): boolean {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text))
  validators.set(text, validate)
  return validate(value) as boolean
}

/** Unusual values, most of which every field refuses. */
const WRONG: unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 5e300, "", " ", "x".repeat(3000), "\u0000", "\ud83d", "@", "ZZ", "-1"],
  ...[[], [1], [""], [null], {}, { x: 1 }, { "": null }, [[]], "2026-02-30T00:00:00Z", "1e1", "05"],
]

const bodyOf = ({ path, method }: Route): Schema | null => {
  const content = paths[path]![method.toLowerCase()]!.requestBody?.content["application/json"]
  return content ? resolve(content.schema, schemas) : null
}

/** Every place in a schema by its path: fields, nested fields and entries of lists. */
function* placesIn(reference: Schema, at: string[] = []): Generator<string[]> {
  const schema = resolve(reference, schemas)
  if (at.length > 0) yield at
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* placesIn(field, [...at, name])
  if (schema.items) yield* placesIn(schema.items, [...at, "0"])
}

/** The body with another value in one place. Undefined removes it. */
function withValue(body: unknown, [first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) return value
  const copy = Array.isArray(body) ? [...body] : { ...(body as Record<string, unknown>) }
  const inner = (copy as Record<string, unknown>)[first] ?? (rest[0] === "0" ? [] : {})
  ;(copy as Record<string, unknown>)[first] = withValue(inner, rest, value)
  return copy
}

const readable = (detail: string, what: string): void => {
  expect(detail, what).not.toMatch(VALIDATOR)
  expect(detail, what).not.toContain("undefined")
  expect(detail, what).toMatch(/[.?]$/)
}

const NAMED = { "/mint-config": "us_real_estate_fund_v1", "/schema": "kyc_individual_v1" }
const writes = routes.filter((route) => bodyOf(route) !== null && !route.meta.raw)
const pathOf = ({ path }: Route) =>
  path
    .replace("{id}", Object.entries(NAMED).find(([start]) => path.startsWith(`${start}/`))?.[1] ?? newId("att"))
    .replace("{pubkey}", newWallet())

test.each(writes.map((route) => [route.method, route.path, route] as const))(
  "%s %s refuses wrong values in our words and names the field",
  async (method, path, route) => {
    const schema = bodyOf(route)!
    const valid = requestExample(schema, schemas, route.meta.openapi?.operationId ?? "")
    let refused = 0
    for (const at of placesIn(schema)) {
      for (const value of [undefined, ...WRONG]) {
        const json = withValue(valid, at, value)
        const response = await app.request({
          method,
          path: pathOf(route),
          key: key.apiKey,
          headers: { prefer: "respond-async" },
          json,
        })
        const what = `${path}: ${at.join(".")} = ${JSON.stringify(value)}: ${response.json.detail}`
        expect(response.status, what).toBeLessThan(500)
        // The document refuses what the server refuses, except what a schema cannot express.
        const isDocumented = fits(schema, json)
        if (!isDocumented) expect(response.status, what).toBe(422)
        else if (response.status === 422 && !BEYOND_SCHEMA_OF[path]?.test(response.json.detail))
          expect(response.json.detail, what).toMatch(BEYOND_SCHEMAS)
        if (response.status !== 422) continue
        refused++
        readable(response.json.detail, what)
        expect(Object.keys(schema.properties!), what).toContain(
          response.json.detail.split(":")[0].split(".")[0].split("[")[0],
        )
      }
      await sql`delete from mint_configs where workspace_id = ${key.workspaceId} and id not like 'us%'`
    }
    expect(refused).toBeGreaterThan(Object.keys(valid).length * 10)
  },
)

const NO_NAME = ["", "KYC", "_x", "x-y", " x", "x".repeat(65)]
test.each([
  ["/token/mint", "amount", ["", "-1", "1e1", "05", "1.", ".5", "1,5", " 1", "x", "9".repeat(41), 0, -1, true]],
  ["/token/mint", "user_pubkey", ["", "1".repeat(31), "1".repeat(45), `0${"1".repeat(31)}`, "O".repeat(40)]],
  ["/token/mint", "mint_config", NO_NAME],
  ["/kyc/start", "schemaId", NO_NAME],
] as const)(
  "POST %s: both the document and the server refuse values that %s can never have",
  async (path, field, values) => {
    const schema = bodyOf(writes.find((route) => route.path === path)!)!
    const valid = sample(schema, schemas) as object
    for (const value of values) {
      const what = JSON.stringify(value)
      expect(fits(schema.properties![field]!, value), what).toBe(false)
      const json = { ...valid, [field]: value }
      expect((await app.request({ method: "POST", path, key: key.apiKey, json })).status, what).toBe(422)
    }
  },
)

const gets = routes.filter((route) => route.method === "GET" && !route.meta.open)
test.each(gets.map((route) => [route.path, route] as const))(
  "GET %s refuses wrong values in our words",
  async (path, route) => {
    const parameters = (paths[path]!.get!.parameters ?? []) as Parameter[]
    const values = ["", " ", "x", "x".repeat(300), "-1", "0", "05", "+5", "5.0", "1e1", "\u0000", "%00", "101"]
    for (const { name, in: where } of parameters) {
      for (const value of values) {
        const sent = encodeURIComponent(value)
        const target =
          where === "path"
            ? path.replace(`{${name}}`, sent || "%20")
            : `${pathOf(route)}?${name}=${sent}${name === "mint_config" || !path.includes("balance") ? "" : "&mint_config=us_real_estate_fund_v1"}`
        const { status, json } = await app.request({ method: "GET", path: target, key: key.apiKey })
        expect(status, target).toBeLessThan(500)
        if (status !== 200) readable(json.detail, `${target}: ${json.detail}`)
      }
    }
  },
)

test("a webhook is refused in our words with the name of the field", async () => {
  const schema = schemas.WebhookEvent!
  const valid = {
    type: "verification.completed",
    data: { session_id: newId("sess"), decision: "approved", occurred_at: "2026-01-02T03:04:05Z" },
  }
  for (const at of placesIn(schema)) {
    for (const value of [undefined, ...WRONG]) {
      const body = JSON.stringify(withValue(valid, at, value))
      const headers = signWebhook(newId("evt"), body)
      const response = await app.request({ method: "POST", path: "/kyc/webhook", headers, body })
      const what = `${at.join(".")} = ${JSON.stringify(value)}: ${response.text}`
      if (response.status === 200) continue
      expect(response, what).toMatchObject({ status: 422, json: { error: "validation_failed" } })
      readable(response.json.detail, what)
      expect(response.json.detail, what).toMatch(/^(type|data)\b/)
    }
  }
})

describe("an unknown name", () => {
  const send = (path: string, json: unknown) => app.request({ method: "POST", path, key: key.apiKey, json })

  test.each([
    ["/kyc/start", { user_pubkey: "x", schema_id: "y" }, "user_pubkey", "userPubkey"],
    ["/kyc/start", { userPubkey: newWallet(), schema_id: "y" }, "schema_id", "schemaId"],
    ["/kyc/start", { userPubKey: newWallet() }, "userPubKey", "userPubkey"],
    ["/kyc/start", { redirecturl: "x" }, "redirecturl", "redirectUrl"],
    ["/token/mint", { userPubkey: newWallet() }, "userPubkey", "user_pubkey"],
    ["/token/mint", { amuont: 1 }, "amuont", "amount"],
    ["/token/transfer", { form_pubkey: "x" }, "form_pubkey", "from_pubkey"],
    ["/mint-configs", { requiredSchema: "x" }, "requiredSchema", "required_schema"],
  ])("POST %s with %j suggests the right name for %s", async (path, json, name, meant) => {
    const { status, json: answer } = await send(path, json)
    expect(status).toBe(422)
    expect(answer.detail).toContain(`${name}: unknown field. Did you mean ${meant}?`)
    expect(answer.detail).not.toContain(`${meant}: required`)
  })

  test("suggestions also work within the rules of a configuration", async () => {
    const config = sample(schemas.CreateMintConfigRequest!, schemas) as Record<string, unknown>
    const { json } = await send("/mint-configs", { ...config, id: "other_v1", rules: { maxSupply: "1" } })
    expect(json.detail).toBe("rules.maxSupply: unknown field. Did you mean max_supply?")
  })

  test("a name that resembles no other gets the list of all names, and a long one is cut", async () => {
    const { json } = await send("/kyc/start", { wallet: "x" })
    expect(json.detail).toMatch(/unknown field\. Allowed: userPubkey, schemaId, redirectUrl, externalId, email\. /)
    const { json: long } = await send("/kyc/start", { [`userPubkey${"y".repeat(50_000)}`]: "x" })
    expect(long.detail.length).toBeLessThan(300)
  })

  test("suggestions also work for query parameters", async () => {
    const { json } = await app.request({
      method: "GET",
      path: "/attestations?stauts=pending",
      key: key.apiKey,
    })
    expect(json.detail).toBe("stauts: unknown query parameter. Did you mean status?")
  })
})

test("an unknown variant is refused with the names of the known ones", () => {
  const form = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("mint") }),
    z.object({ kind: z.literal("transfer") }),
  ])
  const told = (value: unknown) => {
    const [issue] = form.safeParse(value, { error: sentenceOf }).error!.issues
    return detailOf(fieldErrorOf(issue!), "input")
  }
  expect(told({ kind: "burn" })).toBe("kind: must be one of mint, transfer.")
  expect(told({ kind: null })).toBe("kind: must be one of mint, transfer.")
  expect(told({})).toBe("kind: required.")
  expect(told("mint")).toBe("input: must be an object.")
})

test("every reason of the validator has our own sentence", () => {
  const shape = z.strictObject({ a: z.string() })
  const refused: [z.ZodType, unknown][] = [
    [z.string(), 1],
    [z.string(), undefined],
    [z.date(), 1],
    [z.number(), Number.NaN],
    [z.string().min(1), ""],
    [z.string().min(2), ""],
    [z.string().max(2), "abc"],
    [z.array(z.string()).min(1), []],
    [z.array(z.string()).max(1), ["a", "b"]],
    [z.number().min(1), 0],
    [z.number().lt(1), 1],
    [z.number().multipleOf(2), 1],
    [z.int(), 1.5],
    [z.enum(["a", "b"]), "c"],
    [z.literal("a"), "b"],
    [z.email(), "a"],
    [z.url(), "a"],
    [z.iso.datetime(), "a"],
    [z.string().regex(/a/), "b"],
    [shape, { a: "", b: 1 }],
    [z.union([z.string(), z.number()]), true],
    [z.discriminatedUnion("k", [z.object({ k: z.literal("a") })]), { k: "b" }],
    [z.record(z.string().max(1), z.string()), { ab: "" }],
    [z.map(z.string(), z.string()), new Map([["a", 1]])],
    [z.set(z.string()).max(0), new Set(["a"])],
    [z.string().refine(() => false), "a"],
  ]
  for (const [schema, value] of refused) {
    const { error } = schema.safeParse(value, { error: sentenceOf })
    const { message } = error!.issues[0]!
    expect(message).not.toMatch(VALIDATOR)
    expect(message).toMatch(/^(must |is |has |required$|unknown field)/)
  }
})
