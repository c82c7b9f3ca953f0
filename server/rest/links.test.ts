import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import { provenMember } from "#test/fixtures/approvals.ts"
import { bodyOf, headers, json } from "#test/fixtures/arbitraries.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import type { Response } from "#test/fixtures/http.ts"
import { readySnapshot } from "#test/fixtures/snapshots.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { expectOurs } from "#test/matchers/answers.ts"
import { readDocument } from "#test/matchers/openapi-document.ts"
import { openApiDocument } from "./openapi/document.ts"
import type { Response as Documented, Link, Operation, Parameter } from "./openapi/types.ts"

const { operations, follow } = readDocument(openApiDocument())

let key: TestKey
usesApp()
beforeAll(async () => {
  const account = await createAccount({ name: newId("acct"), plan: "enterprise" })
  key = await app.key({ account })
  // A policy needs members who can approve.
  for (const role of ["owner", "compliance"] as const) await provenMember(app, { account, role })
})

const place = (id: string) => operations.find(({ operation }) => operation.operationId === id)!

/** The operation's example body. */
const exampleOf = ({ requestBody }: Operation) =>
  Object.values(requestBody?.content ?? {})[0]?.example as Record<string, unknown> | undefined

type Call = { id: string; parameters: Record<string, string>; body: unknown; response: Response }

async function call(id: string, parameters: Record<string, string>, body: unknown): Promise<Call> {
  const { path, method, operation } = place(id)
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name]!))
  const query = (operation.parameters ?? [])
    .map((one) => follow<Parameter>(one))
    .filter((one) => one.in === "query" && parameters[one.name] !== undefined)
    .map(({ name }) => `${name}=${encodeURIComponent(parameters[name]!)}`)
  const response = await app.request({
    method: method.toUpperCase(),
    path: [inPath, ...query].join(query.length > 0 ? "?" : ""),
    key: key.apiKey,
    headers: operation.requestBody ? headers : {},
    ...(operation.requestBody && { json: body }),
  })
  return { id, parameters, body, response }
}

/** The value of a link's expression after a call. */
function pointedTo(expression: string, { parameters, body, response }: Call): unknown {
  const [, where, pointer] = /^\$(response\.body|request\.body|request\.path)[#.]\/?(.+)$/.exec(expression)!
  if (where === "request.path") return parameters[pointer!]
  const whole: unknown = where === "request.body" ? body : response.json
  return pointer!
    .split("/")
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], whole)
}

/** Calls that the answer links to, without those whose values it lacks, such as the first entry of an empty list. */
function* linksOf(made: Call): Generator<Pick<Call, "id" | "parameters">> {
  const documented = place(made.id).operation.responses[made.response.status]
  for (const reference of Object.values(documented ? (follow<Documented>(documented).links ?? {}) : {})) {
    const { operationId, parameters } = follow<Link>(reference)
    const values = Object.entries(parameters).map(([name, one]) => [name, pointedTo(one, made)] as const)
    if (values.every(([, value]) => typeof value === "string"))
      yield { id: operationId, parameters: Object.fromEntries(values) as Record<string, string> }
  }
}

/** Reads first, calls that end something last. */
const rank = (id: string): number => (place(id).method === "get" ? 0 : /^(delete|erase|revoke|cancel)/.test(id) ? 2 : 1)

test("links lead to every operation with a path parameter except a provider's webhook, and each answers", async () => {
  const url = "https://example.com/hook"
  const endpoint = await call(
    "createWebhookEndpoint",
    {},
    { ...exampleOf(place("createWebhookEndpoint").operation), url, types: null },
  )
  const { wallet, sessionId } = await app.verifiedWallet(key)
  const { wallet: receiver } = await app.verifiedWallet(key)
  const tokens = tokenFixture(app, key)
  expect((await tokens.mint("us_real_estate_fund_v1", wallet, 10)).status).toBe(200)
  const held = { user_pubkey: wallet, mint_config: "us_real_estate_fund_v1", amount: "1" }
  const hold = await call("placeHold", {}, { ...held, ...grounds })
  const { wallet: lost } = await app.verifiedWallet(key)
  const [owner] = (await tokens.get(`/investors?wallet=${lost}`)).json.data
  const { new_wallet: _none, ...report } = exampleOf(place("requestRecovery").operation)!
  const recovery = await call("requestRecovery", { id: owner.investor_id }, { ...report, lost_wallet: lost })
  const snapshot = await call("createSnapshot", {}, exampleOf(place("createSnapshot").operation))
  const { snapshot_id } = snapshot.response.json
  const snapshots = await waitFor(async () => {
    const { json } = await tokens.get(`/snapshot/${snapshot_id}`)
    return json.state === "ready" && call("listSnapshots", {}, undefined)
  }, "the snapshot")
  const { payment_mint: _mint, ...paid } = exampleOf(place("createDistribution").operation)!
  const paidSnapshot = await readySnapshot(tokens, "us_real_estate_fund_v1", 10)
  const distribution = await call(
    "createDistribution",
    {},
    { ...paid, settlement: "external", snapshot_id: paidSnapshot },
  )
  const every = { actions: ["transfer"], min_amount: null }
  const policy = await call(
    "createApprovalPolicy",
    {},
    { ...exampleOf(place("createApprovalPolicy").operation), ...every },
  )
  expect((await tokens.transfer("us_real_estate_fund_v1", wallet, receiver, 5)).status).toBe(202)
  const begun = [
    endpoint,
    await deliveriesTo(endpoint.response.json.endpoint_id),
    await call("createMintConfig", {}, { ...exampleOf(place("createMintConfig").operation), id: "linked_v1" }),
    await call("createSchema", {}, { ...exampleOf(place("createSchema").operation), id: "linked_schema_v1" }),
    await call("getSession", { id: sessionId }, undefined),
    await call("listOperations", {}, undefined),
    hold,
    recovery,
    snapshot,
    snapshots,
    distribution,
    policy,
    await call("listApprovals", {}, undefined),
    await call("listHolders", { mint_config: "us_real_estate_fund_v1" }, undefined),
  ]
  for (const { id, response } of begun) expect([200, 202], id).toContain(response.status)

  const reached = new Set<string>()
  const waiting = begun.flatMap((one) => [...linksOf(one)])
  for (;;) {
    const next = waiting.filter(({ id }) => !reached.has(id)).sort((a, b) => rank(a.id) - rank(b.id))[0]
    if (next === undefined) break
    reached.add(next.id)
    const example = exampleOf(place(next.id).operation)
    const made = await call(next.id, next.parameters, example)
    expectOurs(made.response)
    if (rank(next.id) === 0) expect(made.response.status, `${next.id}: ${made.response.text}`).toBe(200)
    waiting.push(...linksOf(made))
    if (example) await takesAnyBody(next, example)
  }

  const parametrised = operations.filter(({ path }) => path.includes("{"))
  const all = parametrised.map(({ operation }) => operation.operationId)
  expect([...reached].sort()).toEqual(
    // Its parameter is a provider's name, which no answer contains.
    all.filter((id) => id !== "receiveProviderWebhook").sort(),
  )
})

const deliveriesTo = (id: string) =>
  waitFor(async () => {
    const made = await call("listWebhookDeliveries", { id }, undefined)
    return made.response.json.data.length > 0 && made
  }, "a delivery")

/**
 * Sends generated bodies for an existing object (fields of the example, valid, invalid or missing). Each must get one
 * of our responses.
 */
async function takesAnyBody({ id, parameters }: Pick<Call, "id" | "parameters">, example: object) {
  const fields = Object.entries(example).map(([name, value]) => [name, fc.constant(value)])
  const body = fc.oneof({ weight: 4, arbitrary: bodyOf(Object.fromEntries(fields)) }, json)
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      expectOurs((await call(id, parameters, sent)).response)
    }),
    { numRuns: 30 },
  )
}
