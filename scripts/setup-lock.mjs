import { createHash } from "node:crypto"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Runs `work` while no other setup of this checkout runs. The lock is outside the checkout, because an installation
 * replaces node_modules.
 * @param {string} root
 * @param {(line: string) => void} say
 * @param {() => Promise<void>} work
 */
export async function withSetupLock(root, say, work) {
  const checkout = createHash("sha256").update(root).digest("hex").slice(0, 12)
  const lock = join(tmpdir(), `vouch-setup-${checkout}-${process.getuid?.() ?? 0}`)
  for (let isAnnounced = false; ; ) {
    const holder = take(lock)
    if (!holder) break
    if (!isAnnounced) say(`Another setup of this checkout is running (pid ${holder}). Waiting for it (${lock})…`)
    isAnnounced = true
    await sleep(200)
  }
  const release = () => rmSync(lock, { force: true })
  // `stop` and failures exit the process directly.
  process.once("exit", release)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))
  await work()
}

/**
 * Takes the lock, even from a dead process. Otherwise returns the pid of its holder.
 * @param {string} lock
 */
function take(lock) {
  const draft = `${lock}.${process.pid}`
  // A link creates the file with its content in one step, so that a lock always names its holder.
  writeFileSync(draft, String(process.pid), { mode: 0o600 })
  try {
    linkSync(draft, lock)
    return undefined
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const holder = pidIn(lock)
  if (holder !== undefined && isAlive(holder)) return holder
  setAside(lock)
  return take(lock)
}

/**
 * If two processes find the same dead holder, the second must not remove the lock that the first has just taken.
 * @param {string} lock
 */
function setAside(lock) {
  const aside = `${lock}.dead.${process.pid}`
  try {
    renameSync(lock, aside)
    const moved = pidIn(aside)
    if (moved !== undefined && isAlive(moved)) linkSync(aside, lock)
  } catch {
    // Another process was faster: the next attempt sees the result.
  } finally {
    rmSync(aside, { force: true })
  }
}

/** @param {string} file */
function pidIn(file) {
  try {
    return Number(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM"
  }
}
