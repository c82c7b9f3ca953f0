import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { openClient } from "#db/connection.ts"

export const templateDatabase = "vouch_template"

export type TestDatabase = {
  url: string
  /** Removes it; only for a file that makes many, as all of them go with the server after the run. */
  drop(): Promise<void>
}

/** A fresh, migrated database on the run's Postgres. Connect by `postgres(url, { ...socketOptions(url) })`. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(templateDatabase)

/** One in which there is nothing. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase("template0")

async function createDatabase(template: string): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl")
  const name = `test_${randomBytes(6).toString("hex")}`
  await asAdmin(serverUrl, (sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`)
  return {
    url: databaseIn(serverUrl, name),
    drop: () => asAdmin(serverUrl, (sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`),
  }
}

/** The address of another database on the same server. */
export function databaseIn(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

type Client = ReturnType<typeof openClient>

async function asAdmin(url: string, statement: (sql: Client) => PromiseLike<unknown>): Promise<void> {
  const sql = openClient(url, {})
  try {
    await statement(sql)
  } finally {
    await sql.end()
  }
}
