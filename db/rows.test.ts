import { getTableColumns, getTableName, is, Table } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { qualified } from "#db/rows.ts"
import * as schema from "#db/schema/index.ts"
import { modes } from "#shared/mode.ts"
import { publicReasons } from "#shared/public-reasons.ts"
import { allRoles } from "#shared/roles.ts"
import { attestationStatuses, auditActors, operationStatuses, transactionStatuses } from "#shared/statuses.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"

// Lists of columns and the types of their rows come from the Drizzle schema (rows.ts). These tests compare it with the
// migrations, and the types with what the driver returns.

const tables = Object.values(schema)
  .filter((one) => is(one, Table))
  .map((table) => ({ name: getTableName(table), columns: Object.values(getTableColumns(table)) }))

beforeAll(async () => {
  const { url } = await createTestDatabase()
  connectDatabase(url, { max: 2 })
})
afterAll(() => disconnectDatabase())

test.each(tables)("$name has the columns of its row type, and each can be selected", async ({ name, columns }) => {
  const made = await sql<{ name: string; type: string; never_null: boolean }[]>`
    select attname as name, replace(format_type(atttypid, atttypmod), ',', ', ') as type, attnotnull as never_null
    from pg_attribute where attrelid = ${name}::regclass and attnum > 0 and not attisdropped order by attname`
  const declared = columns.map((column) => ({
    name: column.name,
    type: column.getSQLType(),
    never_null: column.notNull,
  }))
  expect([...made]).toEqual(declared.sort((one, other) => (one.name < other.name ? -1 : 1)))
  const names = columns.map((column) => column.name)
  await sql`select ${sql(names)} from ${sql(name)} limit 1`
  await sql`select ${sql(qualified("t", names))} from ${sql(name)} t limit 1`
})

const at = new Date("2027-01-02T03:04:05.678Z")
/** A value of each type in SQL, and as the driver returns it. */
const handedOut: Record<string, [written: string, value: unknown]> = {
  text: ["'a'", "a"],
  "text[]": ["array['a', 'b']", ["a", "b"]],
  "integer[]": ["array[7, 1]", [7, 1]],
  boolean: ["true", true],
  smallint: ["7", 7],
  integer: ["7", 7],
  bigint: ["7", 7n],
  "numeric(39, 0)": ["7", "7"],
  "timestamp with time zone": [`'${at.toISOString()}'`, at],
  bytea: ["'\\x07'", Buffer.from([7])],
  jsonb: [`'{"a":[1]}'`, { a: [1] }],
}

test("the driver reads a time of any year", async () => {
  for (const year of ["0001", "0050", "0099", "0100", "0999", "9999"]) {
    const [row] = await sql<{ at: Date }[]>`select ${`${year}-02-28 12:00:00.5+00`}::timestamptz as at`
    expect(row!.at.toISOString()).toBe(`${year}-02-28T12:00:00.500Z`)
  }
})

test("the driver returns each type of column as the row types say", async () => {
  const types = new Set(tables.flatMap(({ columns }) => columns.map((column) => column.getSQLType())))
  expect([...types].sort()).toEqual(Object.keys(handedOut).sort())
  for (const [type, [written, value]] of Object.entries(handedOut)) {
    const [row] = await sql.unsafe(`select ${written}::${type} as value`)
    expect(row!.value, type).toStrictEqual(value)
  }
})

/** The values that a column may have: the lists of its type. */
const words: Record<string, readonly string[]> = {
  attestations_status: attestationStatuses,
  attestations_public_reason: publicReasons,
  audit_entries_actor: auditActors,
  invitations_role: allRoles,
  members_role: allRoles,
  operations_status: operationStatuses,
  transactions_status: transactionStatuses,
  workspaces_mode: modes,
}

test.each(Object.entries(words))(
  "the check %s allows exactly the values of its column's type",
  async (name, admitted) => {
    const [check] = await sql<{ definition: string }[]>`
    select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${name}`
    const named = [...check!.definition.matchAll(/'(\w+)'::text/g)].map(([, word]) => word)
    expect(named.sort()).toEqual([...admitted].sort())
  },
)
