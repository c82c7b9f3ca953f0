import { createHash } from "node:crypto"
import { chmodSync, chownSync, lstatSync, mkdirSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Account } from "./postgres-account.ts"
import { canEnter } from "./postgres-account.ts"

/** Part of the socket's file name (`.s.PGSQL.5432`). No TCP port is opened. */
export const socketPort = 5432

/** sockaddr_un has 104 bytes on macOS and 108 on Linux, including the file's name and a final zero. */
const longestDirectory = 85

/**
 * The private directory (mode 700) for the Unix socket of one data directory, created if missing. It is in the shared
 * temporary directory, because a socket's path must be short.
 */
export function socketDirectory(cluster: string, account: Account): string {
  const name = `vouch-${createHash("sha256").update(cluster).digest("hex").slice(0, 12)}-${account.uid}`
  const own = join(tmpdir(), name)
  const directory = own.length <= longestDirectory && canEnter(tmpdir(), account) ? own : join("/tmp", name)
  try {
    mkdirSync(directory, { mode: 0o700 })
    if (process.getuid?.() === 0) chownSync(directory, account.uid, account.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  // Another user could create this directory first. A socket in it would give them our password exchange.
  const found = lstatSync(directory)
  if (!found.isDirectory() || found.uid !== account.uid) {
    throw new Error(
      `${directory} belongs to another user (uid ${found.uid}), so Postgres cannot put its socket there. ` +
        "Remove it, or set TMPDIR to your own directory.",
    )
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(directory, 0o700)
  return directory
}

export function removeSocketDirectory(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Not empty: another Postgres of the same data directory uses it.
  }
}

/** A libpq URL for a database behind that socket: the directory is percent-encoded as the host. */
export function socketUrl(directory: string, password: string, database: string): string {
  return `postgres://vouch:${encodeURIComponent(password)}@${encodeURIComponent(directory)}:${socketPort}/${database}`
}
