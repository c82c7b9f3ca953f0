import type { DBAdapter } from "better-auth/adapters"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { authTables } from "./auth-tables.ts"

let app: TestApp
let tables: DBAdapter
/** As in `auth.ts`. */
const times = { createdAt: "created_at", updatedAt: "updated_at" }
const names = {
  verification: { modelName: "user_verifications", fields: { expiresAt: "expires_at", ...times } },
  rateLimit: {
    storage: "database" as const,
    modelName: "auth_rate_limits",
    fields: { lastRequest: "last_request" },
  },
}

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  tables = (await authTables(sql))(names)
})
afterAll(() => app.stop())
afterEach(async () => {
  await sql`delete from user_verifications`
  await sql`delete from auth_rate_limits`
})

const at = (day: number) => new Date(Date.UTC(2026, 0, day))
const model = "verification"
type Row = { id: string; identifier: string; value: string; expiresAt: Date }
const add = (identifier: string, day: number): Promise<Row> =>
  tables.create({
    model,
    data: {
      identifier,
      value: `value of ${identifier}`,
      expiresAt: at(day),
      createdAt: at(1),
      updatedAt: at(1),
    },
  })
const found = async (where: Parameters<DBAdapter["findMany"]>[0]["where"]) =>
  (await tables.findMany<Row>({ model, where, sortBy: { field: "identifier", direction: "asc" } })).map(
    ({ identifier }) => identifier,
  )

test("rows are returned with better-auth's names, and times as dates", async () => {
  const made = await add("a", 2)
  expect(made).toMatchObject({ identifier: "a", value: "value of a", expiresAt: at(2) })
  const where = [{ field: "id", value: made.id }]
  expect(await tables.findOne({ model, where })).toEqual(made)
  expect(await tables.findOne({ model, where, select: ["expiresAt"] })).toEqual({ expiresAt: at(2) })
  expect(await tables.update({ model, where, update: { value: "b", expiresAt: undefined } })).toMatchObject({
    value: "b",
    expiresAt: at(2),
  })
  expect(await tables.findOne({ model, where: [{ field: "id", value: "another" }] })).toBe(null)
})

test("rows are found with each operator, by all conditions and by any of several", async () => {
  for (const [n, name] of ["a", "b", "c", "d"].entries()) await add(name, n + 1)
  const expiresAt = (operator: "lt" | "lte" | "gt" | "gte" | "ne", day: number) => [
    { field: "expiresAt", operator, value: at(day) },
  ]
  expect(await found(expiresAt("lt", 2))).toEqual(["a"])
  expect(await found(expiresAt("lte", 2))).toEqual(["a", "b"])
  expect(await found(expiresAt("gt", 2))).toEqual(["c", "d"])
  expect(await found(expiresAt("gte", 2))).toEqual(["b", "c", "d"])
  expect(await found(expiresAt("ne", 2))).toEqual(["a", "c", "d"])
  expect(await found([{ field: "identifier", operator: "in", value: ["a", "d", "e"] }])).toEqual(["a", "d"])
  expect(await found([{ field: "identifier", value: null }])).toEqual([])
  expect(await found([{ field: "identifier", operator: "ne", value: null }])).toHaveLength(4)
  expect(await found(undefined)).toHaveLength(4)
  expect(
    await found([
      ...expiresAt("gt", 1),
      { field: "identifier", value: "a", connector: "OR" },
      { field: "identifier", value: "c", connector: "OR" },
      { field: "identifier", value: "d", connector: "OR" },
    ]),
  ).toEqual(["c", "d"])
  const [first] = await tables.findMany<Row>({
    model,
    sortBy: { field: "expiresAt", direction: "desc" },
    limit: 1,
    offset: 1,
  })
  expect(first?.identifier).toBe("c")
  expect(await tables.count({ model, where: expiresAt("gt", 2) })).toBe(2)
  expect(await tables.updateMany({ model, where: expiresAt("gt", 2), update: { value: "x" } })).toBe(2)
  expect(await tables.deleteMany({ model, where: [{ field: "value", value: "x" }] })).toBe(2)
  await tables.delete({ model, where: [{ field: "identifier", value: "a" }] })
  expect(await found(undefined)).toEqual(["b"])
})

test("an unknown operator is refused, not ignored", async () => {
  await add("a", 1)
  const where = [{ field: "identifier", operator: "contains" as const, value: "z" }]
  await expect(tables.deleteMany({ model, where })).rejects.toThrow("identifier by contains")
  const insensitive = [{ field: "identifier", value: "A", mode: "insensitive" as const }]
  await expect(tables.findOne({ model, where: insensitive })).rejects.toThrow("insensitive")
})

test("if many consume one row, one gets it", async () => {
  await add("a", 1)
  const consumed = await Promise.all(
    Array.from({ length: 8 }, () => tables.consumeOne<Row>({ model, where: [{ field: "identifier", value: "a" }] })),
  )
  expect(consumed.filter((row) => row !== null)).toMatchObject([{ identifier: "a" }])
})

test("incrementing is exact under load, and stops at its guard", async () => {
  await tables.create({ model: "rateLimit", data: { key: "a", count: 0, lastRequest: 1 } })
  const counted = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      tables.incrementOne<{ count: number; lastRequest: number }>({
        model: "rateLimit",
        where: [
          { field: "key", value: "a" },
          { field: "count", operator: "lt", value: 10 },
        ],
        increment: { count: 1 },
        set: { lastRequest: 100 + n },
      }),
    ),
  )
  expect(counted.flatMap((row) => row?.count ?? []).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 10 }, (_, n) => n + 1),
  )
})

test("a transaction that throws is rolled back", async () => {
  await expect(
    tables.transaction(async (tx) => {
      await tx.create({
        model,
        data: { identifier: "a", value: "", expiresAt: at(1), createdAt: at(1), updatedAt: at(1) },
      })
      expect(await tx.count({ model })).toBe(1)
      expect(await tables.count({ model })).toBe(0)
      throw new Error("undone")
    }),
  ).rejects.toThrow("undone")
  expect(await tables.count({ model })).toBe(0)
})
