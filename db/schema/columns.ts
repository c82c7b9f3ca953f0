import { customType, timestamp } from "drizzle-orm/pg-core"

/** A point in time. Vouch passes every time in, so no column defaults to the database's clock. */
export const time = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: "date" })

/** `bytea`. postgres.js returns it as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" })
