import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
// Imports only the file reader: Drizzle's migrator loads all of Drizzle, and runs a transaction that functions cannot
// join.
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator"
import type postgres from "postgres"
import { isUndone, open } from "./client.ts"
import type { Types } from "./connection.ts"

/** Any number shared by all Vouch processes: the second process to start waits for the first to finish. */
const MIGRATION_LOCK = 8_246_193

/** How long a migration waits for a table that is in use. Requests that need one of its tables wait as well. */
const LOCK_MS = 500
/** Then it lets go of all tables and tries again later, because a transaction such as a backup may take hours. */
const ATTEMPTS = 100
const PAUSE_MS = 2000

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url))
const functionsFolder = new URL("./functions/", import.meta.url)

type Transaction = postgres.TransactionSql<Types>

export type Migrated = {
  /** Migrations that were applied now. */
  applied: number
  /** Function files that were applied now. */
  functions: number
  /** All migrations of the database. More than this version has if a newer version has run. */
  total: number
}

/** The database was created before the first release, and this version cannot upgrade it. */
export class EarlierDatabase extends Error {
  constructor() {
    super(
      "The database was created by a version before 0.1.0, the first release, and cannot be upgraded. Nothing in it was changed. Start with an empty database: set DATABASE_URL to one or, if it is not set, VOUCH_DATA_DIR to an empty directory.",
    )
    this.name = "EarlierDatabase"
  }
}

/** Other transactions have kept the tables for minutes. */
export class TablesInUse extends Error {
  constructor(cause: unknown) {
    super(
      "The database was not migrated, because a long transaction uses its tables, such as a backup's. Nothing in it was changed. Wait for that transaction or end it (pg_stat_activity lists them by xact_start), then start again.",
      { cause },
    )
    this.name = "TablesInUse"
  }
}

/**
 * Migrates the database in one transaction. Safe if several processes start at once, and together with processes of the
 * previous version. Throws EarlierDatabase and TablesInUse.
 */
export async function migrate(url: string): Promise<Migrated> {
  const client = open(url, 1)
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.begin(migrateIn)
      } catch (error) {
        if (!isUndone(error)) throw error
        if (attempt === ATTEMPTS) throw new TablesInUse(error)
        await sleep(PAUSE_MS)
      }
    }
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function migrateIn(tx: Transaction): Promise<Migrated> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await tx.unsafe(`set local lock_timeout = ${LOCK_MS}`)
  const migrations = readMigrationFiles({ migrationsFolder })
  const before = await readJournal(tx)
  if (before.total > 0 && before.first < migrations[0]!.folderMillis) throw new EarlierDatabase()
  const missing = migrations.filter(({ folderMillis }) => folderMillis > before.last)
  if (missing.length > 0) await recordMigrations(tx, missing)
  // An older version leaves a newer version's functions and tables unchanged.
  const isAhead = before.last > migrations.at(-1)!.folderMillis
  const functions = isAhead ? [] : await recordFunctions(tx)
  const statements = [...missing.flatMap(({ sql }) => sql), ...functions]
  // Sent together, because requests wait for these tables. A function may call one of a later file.
  if (statements.length > 0) await tx.unsafe(`set local check_function_bodies = off;\n${statements.join(";\n")}`)
  return { applied: missing.length, functions: functions.length, total: before.total + missing.length }
}

type Journal = { first: number; last: number; total: number }

async function readJournal(tx: Transaction): Promise<Journal> {
  const [known] = await tx`select to_regclass('drizzle.__drizzle_migrations') is not null as is_there`
  if (!known!.is_there) return { first: 0, last: 0, total: 0 }
  const [journal] = await tx<Journal[]>`
    select coalesce(min(created_at), 0)::float8 as first, coalesce(max(created_at), 0)::float8 as last, count(*)::int as total
    from drizzle.__drizzle_migrations`
  return journal!
}

async function recordMigrations(tx: Transaction, migrations: MigrationMeta[]): Promise<void> {
  // Tables of Drizzle's tools, and the content of each function file. A role that may not create schemas can use one that
  // exists: "if not exists" would still be refused.
  const [known] = await tx`select to_regnamespace('drizzle') is not null as is_there`
  if (!known!.is_there) await tx`create schema drizzle`
  await tx.unsafe(`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    create table if not exists drizzle.functions (file text primary key, hash text not null);`)
  for (const { folderMillis, hash } of migrations)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`
}

/** Records and returns each file of `db/functions` whose content differs from the database's. */
async function recordFunctions(tx: Transaction): Promise<string[]> {
  const known = await tx<{ file: string; hash: string }[]>`select file, hash from drizzle.functions`
  const hashes = new Map(known.map(({ file, hash }) => [file, hash]))
  const changed = readdirSync(functionsFolder)
    .sort()
    .map((file) => ({ file, text: readFileSync(new URL(file, functionsFolder), "utf8") }))
    .map(({ file, text }) => ({ file, text, hash: createHash("sha256").update(text).digest("hex") }))
    .filter(({ file, hash }) => hashes.get(file) !== hash)
  for (const { file, hash } of changed)
    await tx`
      insert into drizzle.functions (file, hash) values (${file}, ${hash})
      on conflict (file) do update set hash = excluded.hash`
  return changed.map(({ text }) => text)
}
