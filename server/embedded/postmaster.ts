import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { commandLine, signal, startMark } from "./process.ts"
import { socketPort } from "./socket.ts"

export type Postmaster = { pid: number; socketDirectory: string; status: string }

/**
 * The content of `postmaster.pid`, which a crash may have left. Its lines:
 * https://www.postgresql.org/docs/18/storage-file-layout.html, src/include/utils/pidfile.h
 */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const lines = readLines(join(cluster, "postmaster.pid"))
  const pid = pidIn(lines)
  if (pid === undefined) return undefined
  return { pid, socketDirectory: lines[4]?.trim() ?? "", status: lines[7]?.trim() ?? "" }
}

/** The live postmaster of this cluster. A pid counts only if its process has our arguments. */
export function runningPostmaster(cluster: string): Postmaster | undefined {
  const postmaster = readPostmaster(cluster)
  return postmaster && isPostmaster(postmaster.pid, cluster) ? postmaster : undefined
}

function isPostmaster(pid: number, cluster: string): boolean {
  if (startMark(pid) === undefined) return false
  const argv = commandLine(pid)
  return (argv[0]?.endsWith("postgres") ?? false) && argv.includes("-D") && argv.includes(cluster)
}

/**
 * Removes a `postmaster.pid` or socket lock that would keep Postgres from starting: its pid now belongs to another
 * process, or a crash left it empty. Postgres removes all other leftovers itself.
 */
export function clearStaleLocks(cluster: string, socketDirectory: string): void {
  for (const file of [join(cluster, "postmaster.pid"), join(socketDirectory, `.s.PGSQL.${socketPort}.lock`)]) {
    const stat = statSync(file, { throwIfNoEntry: false })
    const written = stat && (stat.size > 0 || Date.now() - stat.mtimeMs > 2_000)
    if (!written) continue
    const pid = pidIn(readLines(file))
    if (pid === undefined || (startMark(pid) !== undefined && !isPostmaster(pid, cluster))) {
      rmSync(file, { force: true })
    }
  }
}

/** The lines of a file; none if it cannot be read. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n")
  } catch {
    return []
  }
}

/** The first line of both files is the pid. */
function pidIn([first]: string[]): number | undefined {
  const pid = Number(first)
  return Number.isInteger(pid) && pid > 1 ? pid : undefined
}

/**
 * Ends the sessions that a killed postmaster left behind. Returns true while any remain. Idle ones end by themselves,
 * but a busy one holds the cluster's files until its query is done. Linux only: elsewhere Postgres refuses to start
 * until they are gone.
 */
export function endOrphans(cluster: string): boolean {
  const orphans = orphansOf(cluster)
  for (const pid of orphans) signal(pid, "SIGKILL")
  return orphans.length > 0
}

/** Every Postgres process works in its cluster's directory. An orphan's parent is not a postmaster. */
function orphansOf(cluster: string): number[] {
  if (process.platform !== "linux") return []
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`) === cluster &&
          commandLine(pid)[0]?.startsWith("postgres: ") &&
          !commandLine(parentOf(pid)).includes(cluster)
        )
      } catch {
        return false
      }
    })
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
}
