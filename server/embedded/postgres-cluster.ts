import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Log } from "./log.ts"
import type { Account, Binaries } from "./postgres-account.ts"
import { canEnter, sharedHome } from "./postgres-account.ts"

const run = promisify(execFile)
const major = "18"

export type NewCluster = { dataDir: string; account: Account; binaries: Binaries; durable: boolean; log: Log }

/**
 * The database directory, `DIR/postgres`. initdb creates it if it is missing, and a rename publishes it when it is
 * complete, so an interrupted initdb leaves nothing that looks like a database.
 */
export async function ensureCluster({ dataDir, account, binaries, durable, log }: NewCluster): Promise<string> {
  const cluster = join(dataDir, "postgres")
  if (fs.existsSync(cluster)) return checkCluster(fs.realpathSync(cluster), account)

  const began = performance.now()
  log.info(`Creating the embedded Postgres in ${cluster}`)
  const home = reachableHome(dataDir, account, log)
  const half = fs.mkdtempSync(join(home, "postgres.new-"))
  const passwordFile = join(dataDir, "postgres-password")
  try {
    if (!fs.existsSync(passwordFile)) {
      fs.writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
    }
    chown(half, account)
    // initdb reads the password as the account, which may not enter root's data directory.
    const handover = fs.mkdtempSync(join(home, "postgres.password-"))
    try {
      fs.writeFileSync(join(handover, "password"), fs.readFileSync(passwordFile), { mode: 0o600 })
      chown(handover, account)
      chown(join(handover, "password"), account)
      await run(binaries.initdb, initdbArguments(half, join(handover, "password"), durable), runAs(account))
    } finally {
      fs.rmSync(handover, { recursive: true, force: true })
    }
    await createDatabase(half, account, binaries)
    if (home === dataDir) fs.renameSync(half, cluster)
    else {
      fs.renameSync(half, join(home, "postgres"))
      fs.symlinkSync(join(home, "postgres"), cluster)
    }
  } catch (error) {
    fs.rmSync(half, { recursive: true, force: true })
    throw error
  }
  log.info(`Created the embedded Postgres (${Math.round(performance.now() - began)} ms)`)
  return fs.realpathSync(cluster)
}

function checkCluster(cluster: string, account: Account): string {
  const { uid } = fs.statSync(cluster)
  if (uid !== account.uid) {
    throw new Error(
      `${cluster} belongs to another user (uid ${uid}). Run Vouch as the user that created it, ` +
        "or set VOUCH_DATA_DIR to your own directory.",
    )
  }
  const version = fs.readFileSync(join(cluster, "PG_VERSION"), "utf8").trim()
  if (version !== major) {
    throw new Error(
      `${cluster} was created by PostgreSQL ${version}; this release of Vouch includes ${major}. ` +
        "Dump it with the release that created it and restore it, or set VOUCH_DATA_DIR to a new directory.",
    )
  }
  return cluster
}

function initdbArguments(directory: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${directory}`,
    "--username=vouch",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // Postgres' built-in rules for sort order and letter case are the same on every machine.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--set=timezone=UTC",
    "--set=log_timezone=UTC",
    ...(durable ? [] : ["--no-sync"]),
  ]
}

/** Created in single-user mode before the cluster is moved into place, so the cluster always has it. */
async function createDatabase(cluster: string, account: Account, binaries: Binaries): Promise<void> {
  const single = run(binaries.postgres, ["--single", "-D", cluster, "-j", "postgres"], runAs(account))
  single.child.stdin?.end("CREATE DATABASE vouch;\n\n")
  await single
}

/** `DIR` itself, or for root another directory if the account cannot enter `DIR`. */
function reachableHome(dataDir: string, account: Account, log: Log): string {
  if (process.getuid?.() !== 0) return dataDir
  if (canEnter(join(dataDir, ".."), account)) {
    // The account passes through to its own directory. It can neither list this one nor write to it.
    fs.chmodSync(dataDir, fs.statSync(dataDir).mode | 0o001)
    return dataDir
  }
  fs.mkdirSync(sharedHome, { recursive: true, mode: 0o755 })
  const home = fs.mkdtempSync(join(sharedHome, "data-"))
  fs.chmodSync(home, 0o711)
  log.warn(
    `${dataDir} is not accessible to the user that Postgres runs as: the database is in ${home}, ` +
      `and ${join(dataDir, "postgres")} is a link to it`,
  )
  return home
}

function chown(path: string, account: Account): void {
  if (process.getuid?.() === 0) fs.chownSync(path, account.uid, account.gid)
}

/** A minimal environment, because ours holds secrets. */
export function runAs(account: Account): { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv } {
  const identity = process.getuid?.() === 0 ? account : {}
  const { NODE_ENV, PATH } = process.env
  const env = { NODE_ENV, PATH, LC_ALL: "C", TZ: "UTC" }
  return { ...identity, cwd: "/", env }
}

/** Replaces errors that a person can fix with a message that says how. */
export function startupError(error: unknown, dataDir: string): Error {
  const text =
    error instanceof Error ? `${error.message}\n${"stderr" in error ? String(error.stderr) : ""}` : String(error)
  const fixes: [RegExp, string][] = [
    [
      /No space left|ENOSPC|Disk quota/,
      `The disk that holds ${dataDir} is full: free some space, or set VOUCH_DATA_DIR.`,
    ],
    [
      /Permission denied|EACCES|EPERM|EROFS|Read-only file system/,
      `${dataDir} cannot be written. Make it writable for this user, or set VOUCH_DATA_DIR to a writable directory.`,
    ],
    [
      /^(EEXIST|ENOTDIR)/,
      `VOUCH_DATA_DIR: ${dataDir} is not a directory. Set it to a directory that this user can write to.`,
    ],
  ]
  const fix = fixes.find(([pattern]) => pattern.test(text))?.[1]
  return new Error(fix ?? `Could not start the embedded Postgres: ${text.trim()}`, { cause: error })
}
