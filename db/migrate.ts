import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { open } from "./client.ts"

// As CommonJS on purpose: linking Drizzle's ES modules, which export each other in circles, takes 200 MB of heap
// that the server then keeps (measured with 0.45); the very same code in its other form takes 20.
const require = createRequire(import.meta.url)
const { drizzle } = require("drizzle-orm/postgres-js") as typeof import("drizzle-orm/postgres-js")
const migrator =
  require("drizzle-orm/postgres-js/migrator") as typeof import("drizzle-orm/postgres-js/migrator")

/** Any number that all Vouch processes share: the second process to start waits for the first to finish. */
const MIGRATION_LOCK = 8_246_193

/** What a database had to be brought to the newest schema by. */
export type Migrated = {
  /** Migrations that were applied now. */
  applied: number
  /** All that it has; more than this version knows where a newer one has been here. */
  total: number
}

/** Brings the database to the newest schema. Safe when several processes start at once. */
export async function migrate(url: string): Promise<Migrated> {
  const client = open(url, 1)
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`
    const before = await count(client)
    await migrator.migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)),
    })
    const total = await count(client)
    await client`select pg_advisory_unlock(${MIGRATION_LOCK})`
    return { applied: total - before, total }
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function count(client: ReturnType<typeof open>): Promise<number> {
  const [known] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as is_there`
  if (!known!.is_there) return 0
  const [row] = await client<{ count: number }[]>`select count(*)::int from drizzle.__drizzle_migrations`
  return row!.count
}
