import type { Table } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { toTimestamp } from "#shared/timestamp.ts"
// Types only: the server never loads Drizzle's schema (see migrate.ts).
import type * as schema from "./schema/index.ts"

type Schema = typeof schema
type Tables = {
  [Name in keyof Schema as Schema[Name] extends Table ? Schema[Name]["_"]["name"] : never]: Schema[Name]
}
type Columns<T> = T extends Table ? T["_"]["columns"] : never

/** The type that the driver returns for a column: Drizzle's, except that every `bigint` is a bigint. */
type Returned<Column> = Column extends PgColumn
  ?
      | (Column["_"]["columnType"] extends "PgBigInt53" ? bigint : Column["_"]["data"])
      | (Column["_"]["notNull"] extends true ? never : null)
  : never

export type TableName = keyof Tables
/** A whole row of a table, with the column names of the database. */
export type TableRow<Name extends TableName> = {
  [Key in keyof Columns<Tables[Name]> as Columns<Tables[Name]>[Key] extends PgColumn
    ? Columns<Tables[Name]>[Key]["_"]["name"]
    : never]: Returned<Columns<Tables[Name]>[Key]>
}

declare const row: unique symbol
/** Names of columns, and the row that selecting them returns. `sql(list)` writes them into a statement. */
export type ColumnList<Row> = readonly string[] & { readonly [row]?: Row }

/** The names in a list such as `"id, status"`. */
export type NamesIn<List extends string> = List extends `${infer First}, ${infer Others}`
  ? First | NamesIn<Others>
  : List

/**
 * Columns of a table, as SQL lists them, in one text or several: the list for a statement and, with `RowOf`, the type
 * of its rows. A name that is not a column of the Drizzle schema does not compile.
 */
export const columns = <Name extends TableName, List extends string>(
  _table: Name,
  ...lists: (NamesIn<List> extends keyof TableRow<Name> ? List : never)[]
): ColumnList<Pick<TableRow<Name>, NamesIn<List> & keyof TableRow<Name>>> => lists.flatMap((list) => list.split(", "))

/** The same columns if a statement uses an alias for its table: `sql(qualified("a", list))`. */
export const qualified = (alias: string, list: readonly string[]): string[] => list.map((name) => `${alias}.${name}`)

/** The row of a statement that always returns one. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("a statement that always returns a row returned none")
  return row
}

/** A row as answers show it: its times are texts. */
export type Timestamped<Row> = { [Column in keyof Row]: Shown<Row[Column]> }
type Shown<Value> = Value extends Date ? string : Value

export const timestamped = <Row extends object>(row: Row): Timestamped<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, value instanceof Date ? toTimestamp(value) : value]),
  ) as Timestamped<Row>

/** Knowledge beyond the schema can only narrow a column's type. */
type Narrowing<Row> = { [Column in keyof Row]?: Row[Column] }
type RowIn<List> = List extends { readonly [row]?: infer Row } ? NonNullable<Row> : never

/**
 * A row of these columns. `Known` says what the statement or the writer guarantees beyond the schema: the shape of a
 * JSON column, or that a column is never null here.
 */
export type RowOf<List, Known extends Narrowing<RowIn<List>> = Record<never, never>> = {
  [Column in keyof RowIn<List>]: Column extends keyof Known ? Known[Column] : RowIn<List>[Column]
}
