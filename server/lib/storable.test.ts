import { afterAll, beforeAll, expect, test } from "vitest"
import { RouteTable } from "#server/rest/routes.ts"
import { appRouter } from "#server/trpc/router.ts"
import { startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { Browser, member } from "#test/fixtures/people.ts"

// Postgres cannot store U+0000: a query that compares with it fails, and would become a 500.
let app: TestApp
let key: TestKey
let owner: Awaited<ReturnType<typeof member>>

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key({ mode: "live" })
  owner = await member(app)
})
afterAll(async () => {
  expect(app.log.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  await app.stop()
})

const ZERO = "must not contain the character U+0000."
const HALVES = "must not contain halves of surrogate pairs."
const procedures = Object.entries(appRouter._def.procedures) as unknown as [
  string,
  { _def: { type: "query" | "mutation" | "subscription" } },
][]
const callable = procedures
  .filter(([, { _def }]) => _def.type !== "subscription")
  .map(([name, { _def }]) => [name, _def.type] as const)

const call = (name: string, type: string, input: unknown) =>
  type === "query" ? owner.browser.query(name, input) : owner.browser.mutate(name, input)

test.each(callable)("%s refuses text that Postgres cannot store, and names its place", async (name, type) => {
  for (const [input, detail] of [
    [{ id: "a\0" }, `id: ${ZERO}`],
    [{ list: ["", { deep: "\0" }] }, `list.1.deep: ${ZERO}`],
    [{ map: { "a\0": 1 } }, `map.a?: ${ZERO}`],
    [{ id: "\ud800" }, `id: ${HALVES}`],
    ["\0", `input: ${ZERO}`],
  ]) {
    const { status, error } = await call(name, type, input)
    expect({ status, error: error.error, detail: error.detail }).toEqual({
      status: 422,
      error: "validation_failed",
      detail,
    })
  }
})

test("a stream refuses it, too", async () => {
  const input = encodeURIComponent(JSON.stringify({ x: "\0" }))
  const path = `/api/trpc/activity.changes?workspace=${owner.workspaceId}&input=${input}`
  expect(await (await owner.browser.fetch(path)).text()).toContain(`x: ${ZERO}`)
})

test("input may be nested at most 32 levels deep", async () => {
  const sent = async (levels: number) => {
    const body = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    const response = await owner.browser.fetch("/api/trpc/me.rename", { method: "POST", body })
    return [response.status, (await response.json()).error.data.error]
  }
  expect(await sent(32)).toEqual([422, "validation_failed"])
  for (const levels of [33, 10_000]) expect(await sent(levels)).toEqual([400, "malformed_request"])
})

test.each([
  "/api/trpc/workspace.get",
  "/api/export/attestations.csv",
  "/api/export/audit.csv",
  "/api/export/holders.csv",
  "/api/auth/get-session",
  "/sign-in",
])("%s refuses such text in its query", async (path) => {
  for (const name of ["workspace", "action", "actor_id", "a%00"]) {
    const response = await owner.browser.fetch(`${path}?${name}=%00`)
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      422,
      `${name.replace("%00", "?")}: ${ZERO}`,
    ])
  }
  expect((await owner.browser.fetch(`${path}/%00`)).status).toBe(400)
  expect((await owner.browser.fetch("/x?y=%2500")).status, "the characters % 0 0").toBe(404)
})

test.each([
  ["/sign-in/email", { email: "a\0@example.com", password: "x" }, "email"],
  ["/passkey/delete-passkey", { id: "a\0" }, "id"],
  ["/passkey/update-passkey", { id: "x", name: "a\0" }, "name"],
  ["/two-factor/enable", { password: "x", issuer: "\0" }, "issuer"],
])("%s refuses such text in its body", async (path, body, field) => {
  const { status, json } = await owner.browser.auth(path, body)
  expect({ status, error: json.error, detail: json.detail }).toEqual({
    status: 422,
    error: "validation_failed",
    detail: `${field}: ${ZERO}`,
  })
})

test("sign-in accepts JSON and no form, which is parsed differently", async () => {
  const stranger = new Browser(app)
  const response = await stranger.fetch("/api/auth/sign-in/email", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "email=a%00@example.com&password=x",
  })
  expect(response.status).toBe(415)
})

const routes = new RouteTable(appRouter).routes

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s refuses such text in every field",
  async (_, { method, path, fields, parameters }) => {
    for (const text of ["\0", "a\0b", "\ud800"]) {
      for (const field of [...fields, "unknown"]) {
        const isParameter = parameters.includes(field)
        const encoded = encodeURIComponent(text.toWellFormed())
        const target = path.replace(/\{(\w+)\}/g, (_, name) => (name === field ? encoded : "x"))
        const inQuery = method === "GET" && !isParameter
        // A URL cannot contain half of a surrogate pair. Its replacement is ordinary text.
        if (inQuery && !text.isWellFormed()) continue
        const { status, json } = await app.request({
          method,
          path: inQuery ? `${target}?${field}=${encoded}` : target,
          key: key.apiKey,
          ...(method === "POST" && { json: isParameter ? {} : { [field]: text } }),
        })
        expect(status, field).toBeGreaterThanOrEqual(400)
        expect(status, field).toBeLessThan(500)
        expect(json.detail).toEqual(expect.any(String))
      }
    }
  },
)
