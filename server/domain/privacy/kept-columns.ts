import type { TableName, TableRow } from "#db/rows.ts"

/** What a column stores about an investor. Null: nothing. A text: what it is. `stays`: not erased. */
export type Column = null | string | { stays: string }

/** A table with data about investors, column by column. A new column does not compile until it has an entry. */
export type InvestorTable<Name extends TableName> = {
  of: "investors"
  what: string
  /** How long rows are kept, and what deletes them earlier. */
  kept: string
  columns: Record<keyof TableRow<Name> & string, Column>
}

/** The address is public on chain, and the register of holders depends on it. */
export const wallet = { stays: "the wallet's address" }
