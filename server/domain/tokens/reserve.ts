import { isDatabaseUnavailable, isLockOf, isUndone, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import type { ApprovalRow } from "#domain/approvals"
import { type IdempotencyClaim, isContended, KeyClaimed } from "#domain/requests"
import { noteRefused } from "#domain/screening"
import { batchSize } from "#server/ledger/index.ts"
import { sleep } from "#server/lib/time.ts"
import { currentTraceparent } from "#server/lib/trace.ts"
import { Failure } from "#shared/errors.ts"
import { endsOf } from "#shared/movements.ts"
import type { OperationRow } from "./operation.ts"
import { Reservations } from "./reservations.ts"
import type { ReservationResult, TokenRequest } from "./token-request.ts"

/** Requests of one workspace that are decided in one commit. */
const BATCH = { least: 4, most: 128 }
/** The most requests of one workspace that can wait to be decided. */
const MOST_WAITING = 4096
/** How long a request waits for earlier ones, and in total after a lock, in milliseconds. Tests raise both. */
export const reservationWait = { ms: 3000, longest_ms: 5000 }
/** How often to check for requests that have waited too long. */
const LOOK_MS = 250
/** How long a request waits for a lock after its batch could not get one. */
const LOCK_AGAIN_MS = 100

/** What a request began. Taking an approval that was not the last one needed begins nothing. */
export type Begun = { row: OperationRow } | { approval: ApprovalRow } | { taken: true }

type Waiting = {
  request: TokenRequest
  /** Arrival time, by `performance.now()`. */
  since: number
  resolve: (begun: Begun) => void
  reject: (error: unknown) => void
}

const waiting = new Map<string, Waiting[]>()

/** Claims of keys that another transaction held. They are decided separately, so that no batch waits for them again. */
const contended = new WeakSet<IdempotencyClaim>()

/**
 * Decides a request: checks every rule, reserves what counts and queues the operation, in one commit that also claims
 * the idempotency key. Returns the operation as it began, or the approval that it waits for.
 *
 * Requests of a workspace share commits: those that arrive while one is written are decided in the next. So the
 * configuration's lock is taken once for many, and no request waits for others to arrive. A workspace has only one
 * transaction here at a time, whatever it waits for. A request that fails does not fail those that share its commit.
 * Errors: unknown_mint_config, invalid_amount, invalid_public_key, sol_budget_exceeded, those of the rules;
 * chain_unavailable in quarantine; database_unavailable if rows stay locked, and then nothing has begun. If the
 * connection breaks during the commit, the operation may exist: the same idempotency key joins it.
 */
export function reserveMovement(workspaceId: string, request: TokenRequest): Promise<Begun> {
  const { promise, resolve, reject } = Promise.withResolvers<Begun>()
  const traceparent = currentTraceparent()
  const one = { request: { ...request, traceparent }, since: performance.now(), resolve, reject }
  const queue = waiting.get(workspaceId)
  if (!queue) {
    waiting.set(workspaceId, [one])
    void reserveQueued(workspaceId)
  } else if (queue.length < MOST_WAITING) queue.push(one)
  else reject(tooLong())
  return promise
}

async function reserveQueued(workspaceId: string): Promise<void> {
  const queue = waiting.get(workspaceId)!
  // Requests from the same tick of the event loop share a commit from the start.
  await new Promise((next) => setImmediate(next))
  const timer = setInterval(() => refuseLate(queue), LOOK_MS)
  while (queue.length > 0) {
    const began = performance.now()
    const size = batchSize(workspaceId, BATCH)
    const { apart = [], together = [] } = Object.groupBy(queue.splice(0, size), ({ request: { idempotency } }) =>
      idempotency !== null && contended.has(idempotency) ? "apart" : "together",
    )
    if (together.length > 0) await reserveBatch(workspaceId, together)
    const alone = apart.map((one) => [one])
    await reserveParts(workspaceId, alone)
    // If other workspaces have cut its batches short, a queue leaves them half of the time.
    if (size < BATCH.most && queue.length > size) await sleep(performance.now() - began)
  }
  clearInterval(timer)
  waiting.delete(workspaceId)
}

const tooLong = () =>
  new Failure("database_unavailable", "This workspace has too many requests waiting. Retry in a moment.", {
    retryAfterSeconds: 1,
  })

/** Refuses requests that have waited too long, and have not begun. They are at the front of a queue. */
function refuseLate(queue: Waiting[], wait_ms = reservationWait.ms): void {
  const before = performance.now() - wait_ms
  while (queue.length > 0 && queue[0]!.since < before) queue.shift()!.reject(tooLong())
}

async function reserveBatch(workspaceId: string, batch: readonly Waiting[], lock_ms?: number): Promise<void> {
  const requests = batch.map((one) => one.request)
  let isDecided = false
  let outcomes: ReservationResult[]
  try {
    outcomes = await repeatOnDeadlock(() =>
      sql.begin(async (sql) => {
        if (lock_ms !== undefined) await sql.unsafe(`set local lock_timeout = ${lock_ms}`)
        const outcomes = await new Reservations(sql, workspaceId, requests).make()
        isDecided = true
        return outcomes
      }),
    )
  } catch (error) {
    // A commit that fails may still have taken effect, so it is never retried here.
    const parts = isDecided ? [] : partsAfter(error, batch)
    if (parts.length > 1) return reserveParts(workspaceId, parts)
    for (const { request, reject } of batch) {
      if (request.idempotency && isContended(error)) contended.add(request.idempotency)
      reject(error)
    }
    return
  }
  publish("ledger")
  publishActivity(workspaceId)
  for (const [i, outcome] of outcomes.entries()) settle(batch[i]!, outcome)
  const sanctioned = requests.filter((_request, i) => {
    const outcome = outcomes[i]!
    return "refusal" in outcome && outcome.refusal.code === "wallet_sanctioned"
  })
  const wallets = sanctioned.flatMap(({ movement }) => endsOf(movement))
  if (wallets.length > 0) noteRefused(workspaceId, wallets)
}

async function reserveParts(workspaceId: string, parts: Waiting[][]): Promise<void> {
  for (const part of parts) {
    refuseLate(part, reservationWait.longest_ms)
    if (part.length > 0) await reserveBatch(workspaceId, part, LOCK_AGAIN_MS)
  }
}

/**
 * What to decide separately after a batch failed: each configuration, then each request. Nothing if all are affected.
 */
function partsAfter(error: unknown, batch: readonly Waiting[]): Waiting[][] {
  if (isDatabaseUnavailable(error) && !isUndone(error)) return []
  const byConfig = [...Map.groupBy(batch, ({ request }) => request.config).values()]
  return byConfig.length > 1 || isLockOf(error, "mint_configs") ? byConfig : batch.map((one) => [one])
}

function settle({ request, resolve, reject }: Waiting, outcome: ReservationResult): void {
  if ("operationId" in outcome) {
    if (request.idempotency) request.idempotency.begun = outcome.operationId
    resolve({ row: outcome.row! })
  } else if ("approval" in outcome) {
    if (request.idempotency) request.idempotency.begun = outcome.approval.subject
    resolve(outcome)
  } else if ("taken" in outcome) resolve(outcome)
  else if ("keyClaimed" in outcome) reject(new KeyClaimed())
  else reject(new Failure(outcome.refusal.code, outcome.refusal.detail))
}
