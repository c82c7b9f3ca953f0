import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { ended, type Holder, isAlive, readJson, releaseLock, takeLock, writeJson } from "../server/embedded/lock.ts"
import { runningPostmaster } from "../server/embedded/postmaster.ts"
import { signal, startMark } from "../server/embedded/process.ts"

/** What the demo has to remember between runs. */
export type State = {
  begunAt: number
  isFilled: boolean
  password: string
  /** Null until the account exists, with its keys. */
  account: { ownerLink: string; workspace: string; apiKey: string; readingKey: string } | null
  hasMembers: boolean
  /** Where the demo receives webhooks. */
  receiverPort: number
  /** The pages of the last run. */
  origin: string
}

const STATE = "demo.json"
const LOCK = "demo.lock"

export type Folder = { state: State; save: () => void }

/** Takes the folder of a demo until this process ends. Throws what to do if that is impossible. */
export async function openFolder(data: string, { origin, reset }: { origin: string; reset: boolean }): Promise<Folder> {
  if (data === "") throw new Error("--data: name a folder, such as .demo.")
  const stat = statSync(data, { throwIfNoEntry: false })
  const names = stat?.isDirectory() ? readdirSync(data) : []
  const isOurs = names.length === 0 || names.includes(STATE) || names.includes(LOCK)
  if (stat !== undefined && !(stat.isDirectory() && isOurs))
    throw new Error(`${data} is not the folder of a demo. Choose another with --data.`)
  mkdirSync(data, { recursive: true })
  const file = join(data, STATE)
  lock(data, file)

  const known = readJson<State>(file)
  const isBroken = existsSync(file) && typeof known?.begunAt !== "number"
  if (isBroken && !reset) throw new Error(`${file} cannot be read. Start over with: npm run demo -- --reset`)
  // The account's links and keys are shown only once. Until they are saved there is nothing else, so a new start is quick.
  const isKept = !reset && known !== undefined && known.account !== null
  if (!isKept) await empty(data)
  const state: State = isKept
    ? { ...known, origin }
    : {
        begunAt: Date.now(),
        isFilled: false,
        password: randomBytes(9).toString("base64url"),
        account: null,
        hasMembers: false,
        receiverPort: 0,
        origin,
      }
  const save = () => writeJson(file, state)
  save()
  return { state, save }
}

/** A server outlives a demo that was killed, so its lock counts as well. */
function lock(data: string, file: string): void {
  const path = join(data, LOCK)
  const runningDemo = takeLock(path)
  if (runningDemo === undefined) process.once("exit", () => releaseLock(path))
  const server = readJson<Holder>(join(data, "server.lock"))
  const holder = runningDemo ?? (server && isAlive(server) ? server : undefined)
  if (holder === undefined) return
  const { origin } = readJson<State>(file) ?? {}
  throw new Error(
    `${data} is in use: ${runningDemo ? "a demo" : "the server of an earlier demo"} runs as process ${holder.pid}` +
      `${origin === undefined ? "" : `, at ${origin}`}. Open it there, or end it with Ctrl-C in its terminal or with ` +
      `"kill ${holder.pid}". For a second one, choose another folder with --data, and other ports.`,
  )
}

/** Deletes everything except for the lock. */
async function empty(data: string): Promise<void> {
  // A killed server leaves its database running, which must not write to the folder any more.
  const postmaster = runningPostmaster(join(resolve(data), "postgres"))
  if (postmaster !== undefined) {
    const holder = { pid: postmaster.pid, mark: startMark(postmaster.pid) ?? "" }
    signal(postmaster.pid, "SIGQUIT")
    await ended(holder)
  }
  for (const name of readdirSync(data)) if (name !== LOCK) rmSync(join(data, name), { recursive: true, force: true })
}
