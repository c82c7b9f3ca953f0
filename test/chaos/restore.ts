import postgres from "postgres"
import { socketOptions } from "#db/socket.ts"
import { readJson } from "#server/embedded/lock.ts"
import type { Announcement } from "#server/embedded/services.ts"
import { assert } from "./assert.ts"
import { type Deployment, until } from "./deployment.ts"

/**
 * From before a backup until after it was restored: what was acknowledged in between and is not on chain may be lost.
 */
export type Loss = { from: number; to: number }

/** Whether something requested and acknowledged at these times may be lost. Everything else must not. */
export const mayBeLost = (losses: readonly Loss[], asked: number, acknowledged: number): boolean =>
  losses.some(({ from, to }) => acknowledged >= from && asked <= to)

/** Backups of a deployment's database, made and restored while servers run. */
export class Backups {
  readonly #deployment: Deployment
  #count = 0

  constructor(deployment: Deployment) {
    this.#deployment = deployment
  }

  /** A copy as of now. Cuts connections, because Postgres copies no database in use. */
  async make(): Promise<string> {
    const backup = `backup_${++this.#count}`
    await this.#asAdmin(async (sql, database) => {
      await sql`drop database if exists ${sql(backup)}`
      await alone(sql, database)
      await sql`create database ${sql(backup)} template ${sql(database)}`
      await sql`alter database ${sql(database)} allow_connections true`
    })
    return backup
  }

  /** It replaces the database, as a promoted standby does. */
  async putBack(backup: string): Promise<void> {
    await this.#asAdmin(async (sql, database) => {
      const has = async (name: string) => (await sql`select from pg_database where datname = ${name}`).length > 0
      // Another hit may have interrupted this one or the one before anywhere.
      if (await has(database)) await sql`drop database if exists lost`
      if (!(await has(backup))) return
      if (await has(database)) {
        await alone(sql, database)
        await sql`alter database ${sql(database)} rename to lost`
      }
      await sql`alter database ${sql(backup)} rename to ${sql(database)}`
      await sql`drop database lost`
    })
  }

  /** Until it has been compared with the chain. Decides what needs a person as a person would. */
  async settle(): Promise<void> {
    const looked = await until("the database to be compared with the chain", async () => {
      const { exitCode, stdout, stderr } = await this.#deployment.command(["ledger", "reconcile", "--json"])
      if (exitCode === 0) return "nothing to decide"
      const found = stdout === "" ? null : (JSON.parse(stdout) as { quarantines?: Found[] })
      const waits = found?.quarantines?.some(({ waits_for }) => waits_for !== null) ?? true
      return waits ? null : { found, stderr }
    })
    if (looked === "nothing to decide") return
    for (const { workspaces } of looked.found!.quarantines!)
      for (const one of workspaces.flatMap(({ differences }) => differences))
        assert(one.id.startsWith("att_"), () => `only credentials need a person, not ${JSON.stringify(one)}`)
    await until("what was found to be accepted", async () => {
      const why = ["--accept", "--reason", "Their verifications were made after the backup"]
      return (await this.#deployment.command(["ledger", "reconcile", ...why])).exitCode === 0
    })
  }

  /** Tries until it succeeds: the database may still recover from another hit. */
  async #asAdmin(work: (sql: postgres.Sql, database: string) => Promise<void>): Promise<void> {
    const { databaseUrl } = readJson<Announcement>(`${this.#deployment.dataDir}/services.json`)!
    const options = socketOptions(databaseUrl)
    await until("the database's server", async () => {
      const sql = postgres(databaseUrl, { ...options, database: "template1", max: 1, onnotice: () => {} })
      try {
        await work(sql, new URL(databaseUrl).pathname.slice(1))
        return true
      } catch (error) {
        if (error instanceof TypeError) throw error
        return false
      } finally {
        await sql.end({ timeout: 1 })
      }
    })
  }
}

type Found = { waits_for: string | null; workspaces: { differences: { id: string }[] }[] }

/** Terminates connections and blocks new ones. */
async function alone(sql: postgres.Sql, database: string): Promise<void> {
  await sql`alter database ${sql(database)} allow_connections false`
  await until("its connections to end", async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`
    return (await sql`select from pg_stat_activity where datname = ${database}`).length === 0
  })
}
