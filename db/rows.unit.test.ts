import { expect, expectTypeOf, test } from "vitest"
import { columns, qualified, type RowOf, type TableName, type TableRow } from "#db/rows.ts"
import type { Address } from "#shared/address.ts"

// The types are what `npm run typecheck` holds; a wrong one is an error there, and so is an expectation
// that no longer fails.

const list = columns("transactions", "signature", "layout", "slot", "settled_at", "status")

test("a row has the type that the driver gives each of its columns, and no other column", () => {
  expectTypeOf<RowOf<typeof list>>().toEqualTypeOf<{
    signature: string
    layout: [operationId: string, instructions: number][]
    slot: bigint | null
    settled_at: Date | null
    status: "saved" | "confirmed" | "failed" | "expired"
  }>()
  expectTypeOf<TableRow<"transactions">["wire"]>().toExtend<Buffer | null>()
  expectTypeOf<TableRow<"operations">["writes"]>().toEqualTypeOf<string[]>()
  expectTypeOf<TableRow<"operations">["seq"]>().toEqualTypeOf<bigint>()
  expectTypeOf<TableRow<"mint_configs">["supply"]>().toEqualTypeOf<string>()
  expectTypeOf<TableRow<"auth_rate_limits">["last_request"]>().toEqualTypeOf<bigint>()
})

test("what is not a column of the table, or not a table, does not compile", () => {
  // @ts-expect-error no such column
  columns("transactions", "signature", "settledAt")
  // @ts-expect-error no such table
  columns("transaction", "signature")
  // @ts-expect-error not selected
  expectTypeOf<RowOf<typeof list>>().toHaveProperty("created_at")
})

test("what is known beyond the schema narrows a column, and cannot give it another type", () => {
  const rules = columns("mint_configs", "id", "rules", "mint")
  type Row = RowOf<typeof rules, { rules: { max_holders: number }; mint: Address }>
  expectTypeOf<Row["rules"]>().toEqualTypeOf<{ max_holders: number }>()
  expectTypeOf<Row["mint"]>().toEqualTypeOf<Address>()
  expectTypeOf<Row["id"]>().toEqualTypeOf<string>()
  // @ts-expect-error a text is no number
  expectTypeOf<RowOf<typeof rules, { id: number }>>().toBeObject()
})

test("a list holds the names that it was given, with the statement's name of the table where it has one", () => {
  expect(list).toEqual(["signature", "layout", "slot", "settled_at", "status"])
  expect(qualified("t", list).slice(0, 2)).toEqual(["t.signature", "t.layout"])
})

test("every column is known by one name: a column whose name the types have lost would stand for any", () => {
  type Loose = { [Name in TableName]: string extends keyof TableRow<Name> ? Name : never }[TableName]
  expectTypeOf<Loose>().toBeNever()
})
