import { expect, expectTypeOf, test } from "vitest"
import { columns, qualified, type RowOf, type TableName, type TableRow } from "#db/rows.ts"
import type { Address } from "#shared/address.ts"

// `npm run typecheck` checks these types. A wrong one is an error, and so is an expected error that no longer occurs.

const list = columns("transactions", "signature, layout, slot", "settled_at, status")

test("a row has the driver's type for each of its columns, and no other column", () => {
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

test("an unknown column or table does not compile", () => {
  // @ts-expect-error no such column
  columns("transactions", "signature, settledAt")
  // @ts-expect-error no such table
  columns("transaction", "signature")
  // @ts-expect-error not selected
  expectTypeOf<RowOf<typeof list>>().toHaveProperty("created_at")
})

test("known facts narrow a column's type and cannot change it", () => {
  const rules = columns("mint_configs", "id, rules, mint")
  type Row = RowOf<typeof rules, { rules: { max_holders: number }; mint: Address }>
  expectTypeOf<Row["rules"]>().toEqualTypeOf<{ max_holders: number }>()
  expectTypeOf<Row["mint"]>().toEqualTypeOf<Address>()
  expectTypeOf<Row["id"]>().toEqualTypeOf<string>()
  // @ts-expect-error a text is not a number
  expectTypeOf<RowOf<typeof rules, { id: number }>>().toBeObject()
})

test("a list has the given names, with the statement's alias if there is one", () => {
  expect(list).toEqual(["signature", "layout", "slot", "settled_at", "status"])
  expect(qualified("t", list).slice(0, 2)).toEqual(["t.signature", "t.layout"])
})

test("every column has a literal name: without one, its type would match any name", () => {
  type Untyped = { [Name in TableName]: string extends keyof TableRow<Name> ? Name : never }[TableName]
  expectTypeOf<Untyped>().toBeNever()
})
