import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Account, postgresAccount } from "#server/embedded/postgres-account.ts"
import { runAs } from "#server/embedded/postgres-cluster.ts"
import { findPgbouncer, POSTGRES } from "../../scripts/postgres-15.mjs"
import { freePorts } from "../fixtures/free-ports.ts"

const quiet = { info: () => {}, warn: console.warn, error: console.error }
export const PASSWORD = "p@ss:w/rd#?"
const encoded = encodeURIComponent(PASSWORD)

/** Files and processes of a test file or run, owned by a user that Postgres accepts. `close` ends and removes them. */
export class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), `vouch-pg15-${process.pid}-`))
  readonly #account: Account = postgresAccount(this.directory, quiet)
  readonly #running: ChildProcess[] = []

  /** The directory with certificates. */
  readonly certificates: string

  constructor(certificates?: string) {
    this.certificates = certificates ?? this.directory
    this.#own(this.directory, 0o755)
  }

  certificate(name: string): string {
    return join(this.certificates, name)
  }

  path(name: string): string {
    return join(this.directory, name)
  }

  write(name: string, text: string, mode = 0o600): string {
    writeFileSync(this.path(name), text)
    this.#own(this.path(name), mode)
    return this.path(name)
  }

  run(program: string, ...args: string[]): void {
    execFileSync(program, args, { ...runAs(this.#account), stdio: ["ignore", "ignore", "pipe"] })
  }

  start(program: string, ...args: string[]): ChildProcess {
    const child = spawn(program, args, { ...runAs(this.#account), stdio: "ignore" })
    this.#running.push(child)
    return child
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }

  /** The last started ends first: a pooler before its database. */
  async close(): Promise<void> {
    for (const child of this.#running.reverse()) await this.stop(child)
    rmSync(this.directory, { recursive: true, force: true })
  }

  #own(path: string, mode: number): void {
    if (process.getuid?.() === 0) chownSync(path, this.#account.uid, this.#account.gid)
    chmodSync(path, mode)
  }
}

/**
 * A certificate authority, its certificates for `localhost` and for the database user `certified`, and a second
 * authority.
 */
export function makeCertificates(machine: Machine): void {
  const openssl = (...args: string[]) => machine.run("openssl", ...args)
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
  for (const name of ["authority", "other"]) {
    const files = ["-keyout", machine.path(`${name}.key`), "-out", machine.path(`${name}.pem`)]
    openssl("req", "-x509", ...newKey, "-subj", `/CN=${name}`, ...files)
  }
  const ofAuthority = ["-CA", machine.path("authority.pem"), "-CAkey", machine.path("authority.key")]
  for (const [name, subject] of [
    ["server", "localhost"],
    ["client", "certified"],
  ] as const) {
    const request = machine.path(`${name}.csr`)
    openssl("req", ...newKey, "-subj", `/CN=${subject}`, "-keyout", machine.path(`${name}.key`), "-out", request)
    const extensions = machine.write(`${name}.ext`, `subjectAltName=DNS:${subject}\n`)
    const signed = ["-extfile", extensions, "-out", machine.path(`${name}.pem`)]
    openssl("x509", "-req", "-in", request, "-days", "2", "-CAcreateserial", ...ofAuthority, ...signed)
  }
}

/** How each user authenticates. Users are named after the required method. */
const HBA = `
local all all trust
hostssl all certified 127.0.0.1/32 cert
hostnossl all unencrypted 127.0.0.1/32 scram-sha-256
host all unencrypted 127.0.0.1/32 reject
host all hashed 127.0.0.1/32 md5
host all clear 127.0.0.1/32 password
host replication all 127.0.0.1/32 trust
hostssl all all 127.0.0.1/32 scram-sha-256
`

export type Cluster = { port: number; child: ChildProcess; url: (query?: string, host?: string) => string }

/** A cluster of Debian's Postgres 15 with TLS. Its superuser is `vouch`. */
export async function startCluster(machine: Machine): Promise<Cluster> {
  const data = machine.path("data")
  const password = machine.write("password", `${PASSWORD}\n`)
  machine.run(
    join(POSTGRES, "initdb"),
    ...["-D", data, "-U", "vouch", "--pwfile", password, "--no-sync", "--locale=C", "-E", "UTF8"],
    "--auth-host=scram-sha-256",
  )
  return startServer(machine, data)
}

/** A read-only standby of the cluster. */
export async function startStandby(machine: Machine, primary: Cluster): Promise<Cluster> {
  const data = machine.path("standby")
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "vouch"]
  machine.run(join(POSTGRES, "pg_basebackup"), ...from, "-D", data, "-R", "--checkpoint=fast", "--no-sync")
  return startServer(machine, data)
}

async function startServer(machine: Machine, data: string): Promise<Cluster> {
  const port = await freePorts(1)
  machine.write("hba.conf", HBA)
  const settings = {
    ...{ port, listen_addresses: "127.0.0.1", unix_socket_directories: machine.directory, fsync: "off" },
    ...{
      ssl: "on",
      ssl_cert_file: machine.certificate("server.pem"),
      ssl_key_file: machine.certificate("server.key"),
    },
    ...{
      ssl_ca_file: machine.certificate("authority.pem"),
      hba_file: machine.path("hba.conf"),
      max_connections: 200,
    },
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const child = machine.start(join(POSTGRES, "postgres"), "-D", data, ...options)
  const url = (query = "sslmode=require", host = `127.0.0.1:${port}`) =>
    `postgres://vouch:${encoded}@${host}/postgres?${query}`
  await isReady(port)
  return { port, child, url }
}

/** PgBouncer in transaction mode in front of a cluster, with TLS on both sides. Returns the same database's address. */
export async function startPgbouncer(
  machine: Machine,
  { port: serverPort }: Pick<Cluster, "port">,
  more = "",
): Promise<(url: string) => string> {
  const port = await freePorts(1)
  machine.write("users.txt", `"vouch" "${PASSWORD}"\n`)
  const isDebians = process.env.PGBOUNCER === undefined
  const tls = `
client_tls_sslmode = require
client_tls_cert_file = ${machine.certificate("server.pem")}
client_tls_key_file = ${machine.certificate("server.key")}
server_tls_sslmode = verify-ca
server_tls_ca_file = ${machine.certificate("authority.pem")}
`
  const file = machine.write(
    `pgbouncer-${port}.ini`,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${machine.path("users.txt")}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
${isDebians || process.env.PGBOUNCER_TLS ? tls : ""}
${more}
`,
  )
  machine.start(findPgbouncer()!, file)
  const through = (url: string) => url.replace(`:${serverPort}/`, `:${port}/`)
  await isReady(port)
  return through
}

/** Whether this PgBouncer tracks prepared statements, which it does since 1.21. */
export function followsPrepared(machine: Machine): boolean {
  const shown = execFileSync(findPgbouncer()!, ["--version"], { cwd: machine.directory, encoding: "utf8" })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(shown)!
  return Number(major) > 1 || Number(minor) >= 21
}

async function isReady(port: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { status } = spawnSync(join(POSTGRES, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)])
    if (status === 0) return
    if (tries === 600) throw new Error(`port ${port} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
