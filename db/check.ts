import type postgres from "postgres"
import { LIMITS } from "./client.ts"
import { openClient, prepareNothing, sessionSettings, type Types } from "./connection.ts"
import { isDatabaseUnavailable } from "./errors.ts"

// Checks the database at the start, so that a wrong address stops it with the name of its setting instead of failing a
// later request.

/** First version with every feature that Vouch needs: https://www.postgresql.org/support/versioning/ */
const LEAST_VERSION = 15

export type Addresses = {
  url: string
  /** The direct address, past a pooler. */
  directUrl: string | undefined
  /** Whether the addresses come from settings. Otherwise they lead to the embedded database. */
  isConfigured: boolean
}

/** The database cannot be used. The code says whether a retry may help. */
export class DatabaseUnusable extends Error {
  readonly code: string
  constructor(setting: string, reason: string, cause?: unknown) {
    super(`${setting}: ${reason}`, { cause })
    this.name = "DatabaseUnusable"
    this.code = String((cause as { code?: unknown } | undefined)?.code ?? "UNUSABLE")
  }
}

/** Throws an error that names the setting if the database is unreachable, too old, or only behind a pooler. */
export async function checkDatabase({ url, directUrl, isConfigured }: Addresses): Promise<void> {
  if (!isConfigured) return
  const server = await checkSession(directUrl ?? url, directUrl ? "DATABASE_DIRECT_URL" : "DATABASE_URL")
  if (directUrl === undefined) return
  const pooled = await using(url, {}, "DATABASE_URL", async (client) => {
    const isAware = await followsPrepared(client)
    if (!isAware) prepareNothing(url)
    return identify(client)
  })
  if (pooled !== server)
    throw new DatabaseUnusable("DATABASE_DIRECT_URL", "leads to a different database than DATABASE_URL")
}

/** Checks an address that must lead to the database itself. Returns what distinguishes this database from others. */
export function checkSession(url: string, setting: string): Promise<string> {
  return using(url, sessionSettings(LIMITS), setting, async (client) => {
    const [row] = await client<{ version: string; num: number }[]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as num`
    if (row!.num < LEAST_VERSION * 10_000) {
      throw new DatabaseUnusable(
        setting,
        `the server is PostgreSQL ${row!.version}; Vouch needs ${LEAST_VERSION} or newer`,
      )
    }
    if (await isShared(url, client)) throw new DatabaseUnusable(setting, behindPooler(setting))
    return identify(client)
  })
}

/** Uses one connection, and says what is wrong with the setting if that fails. */
async function using<T>(
  url: string,
  settings: Record<string, string>,
  setting: string,
  work: (client: postgres.Sql<Types>) => Promise<T>,
): Promise<T> {
  const client = openClient(url, { settings })
  try {
    return await work(client)
  } catch (error) {
    if (error instanceof DatabaseUnusable) throw error
    throw new DatabaseUnusable(setting, reasonFor(setting, error as Error), error)
  } finally {
    await client.end({ timeout: 1 })
  }
}

async function identify(client: postgres.Sql<Types>): Promise<string> {
  const [row] = await client<{ identity: string }[]>`
    select current_database() || ' ' || extract(epoch from pg_postmaster_start_time()) as identity`
  return row!.identity
}

/** Whether two clients get the same session, as from a pooler in transaction mode. */
async function isShared(url: string, first: postgres.Sql<Types>): Promise<boolean> {
  const second = openClient(url, {})
  try {
    const [before] = await first<{ pid: number }[]>`select pg_backend_pid() as pid`
    return await second.begin(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      return row!.pid === before!.pid
    })
  } finally {
    await second.end({ timeout: 1 })
  }
}

/**
 * Whether a pooler tracks prepared statements per server, like PgBouncer since 1.21: then it renames them. A pooler
 * that passes our name on either does not track them or gives whole sessions. Unnamed statements work with both.
 */
async function followsPrepared(client: postgres.Sql<Types>): Promise<boolean> {
  const found = await client<{ name: string }[]>`select name from pg_prepared_statements`
  const { name } = found.statement as unknown as { name: string }
  return found.length > 0 && !found.some((row) => row.name === name)
}

const behindPooler = (setting: string): string =>
  setting === "DATABASE_URL"
    ? "leads to a pooler such as PgBouncer. Set DATABASE_DIRECT_URL to the address of the database itself: LISTEN and migrations need a session"
    : "leads to a pooler such as PgBouncer. It must be the address of the database itself: LISTEN and migrations need a session"

/** The reason and what to do about it, by the error code of the server or the system. */
function reasonFor(setting: string, error: Error): string {
  const { code = "" } = error as { code?: string }
  const { message } = error
  // https://www.pgbouncer.org/config.html#ignore_startup_parameters
  if (code === "08P01" && message.includes("startup parameter")) {
    const parameter = message.split(": ").at(-1)
    return parameter === "options"
      ? `its pooler refuses the parameter options (${message})`
      : `${behindPooler(setting)} (${message})`
  }
  const hint = HINTS.find(({ codes }) => codes.test(code))?.hint
  if (hint !== undefined) return `${message}. ${hint}`
  return isDatabaseUnavailable(error) ? `${message}. Check that it leads to a PostgreSQL server` : message
}

const HINTS = [
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, hint: "No host has this name: check its spelling" },
  { codes: /^ECONNREFUSED$/, hint: "Nothing listens there: check the host, the port and that the database runs" },
  {
    codes: /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    hint: "Nothing answers there: check the host, the port and any firewall in between",
  },
  { codes: /^(ENOENT|EACCES)$/, hint: "Check the path of the socket" },
  { codes: /^28P01$/, hint: "Check user and password" },
  { codes: /^28000$/, hint: "Check the user; if the server demands encryption, add sslmode=require" },
  { codes: /^3D000$/, hint: "Create the database, or correct its name" },
  { codes: /^CONNECTION_FAILED$/, hint: "See docs/production.md#tls-to-postgres" },
]
