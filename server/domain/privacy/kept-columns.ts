import type { TableName, TableRow } from "#db/rows.ts"

/** What a column says of an investor: null is nothing, `stays` is not erased, and the text says what it is. */
export type Column = null | string | { stays: string }

/** A table in which something is said of investors, column by column: a new one does not compile before it is decided. */
export type OfInvestors<Name extends TableName> = {
  of: "investors"
  what: string
  /** How long, and what ends it before. */
  kept: string
  columns: Record<keyof TableRow<Name> & string, Column>
}

/** The address is public on chain, and the register of holders rests on it. */
export const wallet = { stays: "the wallet's address" }
