import postgres from "postgres"
import { readJson } from "#server/embedded/lock.ts"
import { type Announcement, startServices } from "#server/embedded/services.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { assert } from "./assert.ts"
import { type Deployment, until } from "./deployment.ts"

/**
 * The time from before a backup until after its restore. Anything acknowledged in between may be lost, unless it is on
 * chain.
 */
export type Loss = { from: number; to: number }

/** Whether a request acknowledged at this time may be lost. All others must not. */
export const mayBeLost = (losses: readonly Loss[], asked: number, acknowledged: number): boolean =>
  losses.some(({ from, to }) => acknowledged >= from && asked <= to)

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** Backups of a deployment's database, made and restored while servers run. */
export class Backups {
  readonly #deployment: Deployment
  #count = 0

  constructor(deployment: Deployment) {
    this.#deployment = deployment
  }

  /** Copies the current database. Ends its connections, because Postgres does not copy a database in use. */
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

  /** Replaces the database with the copy, like promoting a standby. */
  async putBack(backup: string): Promise<void> {
    // While no server runs, the last command line to end stops Postgres. This is one more user of it.
    const { dataDir, localnetPort } = this.#deployment
    const postgres = await startServices({
      ...{ dataDir, localnetPort, localnetSlotMs: 0, localnetFaults: false, log: silent },
      ...{ databaseUrl: undefined, rpcUrl: undefined, purpose: "cli", needsChain: false },
    })
    try {
      await this.#replace(backup)
    } finally {
      await postgres.stop()
    }
  }

  #replace(backup: string): Promise<void> {
    return this.#asAdmin(async (sql, database) => {
      const has = async (name: string) => (await sql`select from pg_database where datname = ${name}`).length > 0
      // Another fault may have interrupted this restore, or the one before, at any point.
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

  /** Waits until the database is compared with the chain, and makes the decisions that need a person. */
  async settle(): Promise<void> {
    const comparison = await until("the database to be compared with the chain", async () => {
      const { exitCode, stdout, stderr } = await this.#deployment.command(["ledger", "reconcile", "--json"])
      if (exitCode === 0) return "nothing to decide"
      const found = stdout === "" ? null : (JSON.parse(stdout) as { quarantines?: Found[] })
      const isWaiting = found?.quarantines?.some(({ waits_for }) => waits_for !== null) ?? true
      return isWaiting ? null : { found, stderr }
    })
    if (comparison === "nothing to decide") return
    for (const { workspaces } of comparison.found!.quarantines!)
      for (const one of workspaces.flatMap(({ differences }) => differences))
        assert(one.id.startsWith("att_"), () => `only credentials need a person, not ${JSON.stringify(one)}`)
    await until("the differences to be accepted", async () => {
      const why = ["--accept", "--reason", "Their verifications were made after the backup"]
      return (await this.#deployment.command(["ledger", "reconcile", ...why])).exitCode === 0
    })
  }

  /** Retries until it succeeds: the database may still be recovering from another fault. */
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
