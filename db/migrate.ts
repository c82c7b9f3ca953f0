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

/** Brings the database to the newest schema. Safe when several processes start at once. */
export async function migrate(url: string): Promise<void> {
  const client = open(url, 1)
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`
    await migrator.migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)),
    })
    await client`select pg_advisory_unlock(${MIGRATION_LOCK})`
  } finally {
    await client.end({ timeout: 5 })
  }
}
