import { type AnyPgColumn, customType, foreignKey, timestamp } from "drizzle-orm/pg-core"

/** A point in time. Vouch passes every time in, so no column defaults to the database's clock. */
export const time = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: "date" })

/** `bytea`. postgres.js returns it as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" })

/** A reference to a row of the same workspace, by its id. */
export const refersTo = <Table extends string>(
  row: { workspaceId: AnyPgColumn; id: AnyPgColumn },
  workspaceId: AnyPgColumn<{ tableName: Table }>,
  id: AnyPgColumn<{ tableName: Table }>,
) => foreignKey({ columns: [workspaceId, id], foreignColumns: [row.workspaceId, row.id] })
