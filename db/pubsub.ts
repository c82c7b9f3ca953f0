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
const pending = new Set<Channel>()
const active = new Set<string>()
let timer: NodeJS.Timeout | undefined
let activityTimer: NodeJS.Timeout | undefined
let listener: ReturnType<typeof open> | undefined
const origin = crypto.randomUUID()

/** Notifies this process at once and the others soon. Call it after the commit. */
export function publish(channel: Channel): void {
  emitter.emit(channel)
  pending.add(channel)
  timer ??= setTimeout(flush, GATHER_MS)
}

/** Sends gathered notices. A process awaits it before it ends. */
export async function flush(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const channels = [...pending]
  pending.clear()
  await notify(channels)
}

/** Notifies listeners that a workspace has changed: this process at once, others soon. Call it after the commit. */
export function publishActivity(workspaceId: string): void {
  emitter.emit(activityOf(workspaceId))
  active.add(workspaceId)
  activityTimer ??= setTimeout(flushActivity, ACTIVITY_GATHER_MS)
}

/** Notifies every process that a person lost a right, so that open streams are checked again at once. */
export async function publishAccessLoss(userId: string): Promise<void> {
  emitter.emit(lossOf(userId))
  await notify([`${LOSS} ${userId}`])
}

/** Calls `hear` when a person loses a membership. Returns a function that stops it. */
export function subscribeAccessLoss(userId: string, listener: () => void): () => void {
  emitter.on(lossOf(userId), listener)
  return () => emitter.off(lossOf(userId), listener)
}

async function flushActivity(): Promise<void> {
  clearTimeout(activityTimer)
  activityTimer = undefined
  const workspaces = [...active]
  active.clear()
  const notices: string[] = []
  for (let from = 0; from < workspaces.length; from += ACTIVITY_WORKSPACES) {
    notices.push([ACTIVITY, ...workspaces.slice(from, from + ACTIVITY_WORKSPACES)].join(" "))
  }
  await notify(notices)
}

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

/** Calls `hear` for every notice of the channel. Returns a function that stops it. */
export function subscribe(channel: Channel, listener: () => void): () => void {
  emitter.on(channel, listener)
  return () => emitter.off(channel, listener)
}

/** Calls `hear` whenever something in the workspace has changed. Returns a function that stops it. */
export function subscribeActivity(workspaceId: string, listener: () => void): () => void {
  emitter.on(activityOf(workspaceId), listener)
  return () => emitter.off(activityOf(workspaceId), listener)
}

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
  await Promise.all([flush(), flushActivity()])
  await listener?.end({ timeout: 1 })
  listener = undefined
}
