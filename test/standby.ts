import { execFileSync } from "node:child_process"
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { socketOptions } from "#db/socket.ts"
import { type RunningPostgres, startPostgres } from "#server/embedded/postgres.ts"
import { postgresAccount } from "#server/embedded/postgres-account.ts"
import { socketDirectory, socketUrl } from "#server/embedded/socket.ts"
import { waitFor } from "./app.ts"

const log = { info: () => {}, warn: console.warn, error: console.error }

/** A Postgres that a standby streams from. */
export class Primary {
  readonly #home: string
  readonly #server: RunningPostgres
  readonly #admin: postgres.Sql
  #standby: Standby | null = null

  private constructor(home: string, server: RunningPostgres) {
    this.#home = home
    this.#server = server
    this.#admin = postgres(server.url, { ...socketOptions(server.url), max: 1, onnotice: () => {} })
  }

  static async start(): Promise<Primary> {
    const home = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
    return new Primary(home, await startPostgres({ dataDir: home, durable: false, log }))
  }

  get url(): string {
    return this.#server.url
  }

  /** Starts a standby, and returns once it streams. */
  async replicate(): Promise<Standby> {
    const home = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
    const sql = await this.#admin.reserve()
    await sql`select pg_backup_start('standby', fast => true)`
    execFileSync("cp", ["-a", `${this.#home}/.`, home])
    const [backup] = await sql<
      { labelfile: string }[]
    >`select labelfile from pg_backup_stop(wait_for_archive => false)`
    sql.release()
    const cluster = join(home, "postgres")
    rmSync(join(cluster, "postmaster.pid"))
    const { hostname, port, username, password } = new URL(this.url)
    const primary = `host=${decodeURIComponent(hostname)} port=${port} user=${username} password=${decodeURIComponent(password)}`
    const settings = readFileSync(join(cluster, "postgresql.auto.conf"), "utf8")
    writeFileSync(join(cluster, "postgresql.auto.conf"), `${settings}primary_conninfo = '${primary}'\n`)
    const { uid, gid } = postgresAccount(cluster, log)
    for (const [name, content] of Object.entries({ backup_label: backup!.labelfile, "standby.signal": "" })) {
      writeFileSync(join(cluster, name), content)
      chownSync(join(cluster, name), uid, gid)
    }
    this.#standby = new Standby(home)
    await waitFor(
      async () => (await this.#admin`select from pg_stat_replication where state = 'streaming'`).length > 0,
      "the standby to stream",
    )
    return this.#standby
  }

  /** Whether the standby has replayed everything that is committed now. */
  async caughtUp(): Promise<void> {
    const [{ lsn }] = (await this.#admin`select pg_current_wal_lsn()::text as lsn`) as unknown as [
      { lsn: string },
    ]
    await waitFor(
      async () =>
        (await this.#admin`select from pg_stat_replication where replay_lsn >= ${lsn}::pg_lsn`).length > 0,
      "the standby to catch up",
    )
  }

  /** Also if it has stopped already. */
  async stop(): Promise<void> {
    await this.#admin.end()
    await this.#server.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

export class Standby {
  readonly #home: string
  readonly #server: Promise<RunningPostgres>
  readonly url: string

  constructor(home: string) {
    this.#home = home
    const cluster = join(home, "postgres")
    const directory = socketDirectory(cluster, postgresAccount(cluster, log))
    this.url = socketUrl(directory, readFileSync(join(home, "postgres-password"), "utf8").trim(), "vouch")
    // Ready once it answers reads.
    this.#server = startPostgres({ dataDir: home, durable: false, log })
  }

  /** From now on it loses what the primary commits. */
  async cut(): Promise<void> {
    await this.#ask(async (sql) => {
      await sql`alter system set primary_conninfo = ''`
      await sql`select pg_reload_conf()`
      await waitFor(
        async () => (await sql`select from pg_stat_wal_receiver`).length === 0,
        "the stream to end",
      )
    })
  }

  async promote(): Promise<void> {
    await this.#ask(async (sql) => {
      const [row] = await sql<{ promoted: boolean }[]>`select pg_promote() as promoted`
      if (!row!.promoted) throw new Error("The standby was not promoted within a minute.")
    })
  }

  async stop(): Promise<void> {
    await (await this.#server).stop()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #ask(work: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
    await this.#server
    const sql = postgres(this.url, { ...socketOptions(this.url), max: 1, onnotice: () => {} })
    try {
      await work(sql)
    } finally {
      await sql.end()
    }
  }
}
