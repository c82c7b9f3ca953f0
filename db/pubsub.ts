import { EventEmitter } from "node:events"
import { logger } from "#server/lib/log.ts"
import { open, background as sql } from "./client.ts"

/**
 * Notifications between the processes of a deployment: `ledger` (there is work), `settled` (operations ended),
 * `keys` (a key changed), `submissions` (a hosted page's form was sent), `webhooks` (there is something to deliver). A
 * notification can be lost, so listeners also poll every second.
 */
export type Channel = "ledger" | "settled" | "keys" | "submissions" | "webhooks"

const PG_CHANNEL = "vouch"
/** Notices of one channel that are sent together: NOTIFY locks the whole database at commit. */
const GATHER_MS = 10

/** Changes in workspaces are only shown to people, and may gather for longer. */
const ACTIVITY = "activity"
const ACTIVITY_GATHER_MS = 250
/** Maximum workspaces in one notice: Postgres allows 8000 bytes, and an id has at most 25. */
const ACTIVITY_WORKSPACES = 250

const emitter = new EventEmitter().setMaxListeners(0)
let listener: ReturnType<typeof open> | undefined
const origin = crypto.randomUUID()

/** Gathers what to send for a moment. */
class Gathered {
  readonly #names = new Set<string>()
  readonly #wait_ms: number
  readonly #perNotice: number
  readonly #prefix: string[]
  #timer: NodeJS.Timeout | undefined

  constructor(wait_ms: number, perNotice: number, ...prefix: string[]) {
    this.#wait_ms = wait_ms
    this.#perNotice = perNotice
    this.#prefix = prefix
  }

  add(name: string): void {
    this.#names.add(name)
    this.#timer ??= setTimeout(() => this.flush(), this.#wait_ms)
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const names = [...this.#names]
    this.#names.clear()
    const notices: string[] = []
    while (names.length > 0) notices.push([...this.#prefix, ...names.splice(0, this.#perNotice)].join(" "))
    await notify(notices)
  }
}

const channels = new Gathered(GATHER_MS, 1)
const activity = new Gathered(ACTIVITY_GATHER_MS, ACTIVITY_WORKSPACES, ACTIVITY)

/** Notifies this process at once and the others soon. Call it after the commit. */
export function publish(channel: Channel): void {
  emitter.emit(channel)
  channels.add(channel)
}

/** Sends gathered notices. A process awaits it before it ends. */
export const flush = (): Promise<void> => channels.flush()

/** Notifies listeners that a workspace has changed: this process at once, others soon. Call it after the commit. */
export function publishActivity(workspaceId: string): void {
  emitter.emit(activityOf(workspaceId))
  activity.add(workspaceId)
}

/** Notifies every process that a person lost a right, so that open streams are checked again at once. */
export async function publishAccessLoss(userId: string): Promise<void> {
  emitter.emit(lossOf(userId))
  await notify([lossOf(userId)])
}

/** Calls `listener` at each event. Returns a function that stops it. */
function listenTo(event: string, listener: () => void): () => void {
  emitter.on(event, listener)
  return () => emitter.off(event, listener)
}

/** Calls `listener` when a person loses a membership. */
export const subscribeAccessLoss = (userId: string, listener: () => void) => listenTo(lossOf(userId), listener)

const LOSS = "loss"
const lossOf = (userId: string): string => `${LOSS} ${userId}`

const activityOf = (workspaceId: string): string => `${ACTIVITY} ${workspaceId}`

async function notify(notices: readonly string[]): Promise<void> {
  if (notices.length === 0) return
  try {
    await sql`select pg_notify(${PG_CHANNEL}, ${`${origin} `} || notice) from unnest(${notices as string[]}::text[]) notice`
  } catch (error) {
    logger.debug({ err: error }, "a notification was lost")
  }
}

/** Calls `listener` for every notice of the channel. */
export const subscribe = (channel: Channel, listener: () => void) => listenTo(channel, listener)

/** Calls `listener` whenever something in the workspace has changed. */
export const subscribeActivity = (workspaceId: string, listener: () => void) =>
  listenTo(activityOf(workspaceId), listener)

/** How many listeners the workspace has in this process. */
export const watchers = (workspaceId: string): number => emitter.listenerCount(activityOf(workspaceId))

/** Resolves at the next notice of the channel, or after `timeoutMs`. */
export function nextMessage(channel: Channel, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timeout)
      emitter.off(channel, done)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timeout = setTimeout(done, timeoutMs)
    emitter.once(channel, done)
    signal?.addEventListener("abort", done, { once: true })
    if (signal?.aborted) done()
  })
}

/** Connects to the deployment's other processes. `url` must reach the database itself, not a pooler. */
export async function connectPubsub(url: string): Promise<void> {
  listener = open(url, 1)
  await listener.listen(PG_CHANNEL, (payload) => {
    const [from, channel, ...workspaces] = payload.split(" ")
    if (from === origin) return
    if (channel === ACTIVITY) for (const id of workspaces) emitter.emit(activityOf(id))
    else if (channel === LOSS) for (const id of workspaces) emitter.emit(lossOf(id))
    else emitter.emit(channel as Channel)
  })
}

export async function disconnectPubsub(): Promise<void> {
  await Promise.all([channels.flush(), activity.flush()])
  await listener?.end({ timeout: 1 })
  listener = undefined
}
