import { customType, timestamp } from "drizzle-orm/pg-core"

/** A point in time. Vouch passes every time in, so that no column depends on the database's clock by default. */
export const time = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: "date" })

/** `bytea`. postgres.js hands it out as a Buffer. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" })
