import { repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { KeyClaimed } from "#server/domain/idempotency.ts"
import { batchSize } from "#server/ledger/fair-share.ts"
import { sleep } from "#server/lib/time.ts"
import { Failure } from "#shared/errors.ts"
import type { OperationRow } from "./operation.ts"
import { type ReservationResult, Reservations, type TokenRequest } from "./reservations.ts"

/** Requests of one workspace that are decided in one commit. */
const BATCH = { least: 4, most: 128 }
/** Requests of one workspace that wait to be decided, at most. */
const MOST_WAITING = 4096
/** How long a request waits for those before it. */
const WAIT_MS = 3000
/** How often those are looked for that have waited too long. */
const LOOK_MS = 250

type Waiting = {
  request: TokenRequest
  /** When it came, by `performance.now()`. */
  since: number
  resolve: (operation: OperationRow) => void
  reject: (error: unknown) => void
}

const waiting = new Map<string, Waiting[]>()

/**
 * Decides on a request: checks every rule, reserves what counts and puts the operation into the ledger, in one commit
 * that also claims the idempotency key. Returns the operation as it began.
 *
 * Requests of a workspace share commits: whatever gathers while one is written is decided in the next. So the
 * configuration's lock is taken once for many, and nobody waits for company. A workspace has one transaction at a
 * time here, whatever that waits for. Errors: unknown_mint_config, invalid_amount, and those of the rules;
 * database_unavailable where rows stay locked, and then nothing has begun.
 */
export function reserveMovement(workspaceId: string, request: TokenRequest): Promise<OperationRow> {
  const { promise, resolve, reject } = Promise.withResolvers<OperationRow>()
  const one = { request, since: performance.now(), resolve, reject }
  const line = waiting.get(workspaceId)
  if (!line) {
    waiting.set(workspaceId, [one])
    void reserveQueued(workspaceId)
  } else if (line.length < MOST_WAITING) line.push(one)
  else reject(tooLong())
  return promise
}

async function reserveQueued(workspaceId: string): Promise<void> {
  const line = waiting.get(workspaceId)!
  // Those that come in the same turn of the event loop go together from the first.
  await new Promise((next) => setImmediate(next))
  const look = setInterval(() => refuseLate(line), LOOK_MS)
  while (line.length > 0) {
    const began = performance.now()
    const step = batchSize(workspaceId, BATCH)
    await reserveBatch(workspaceId, line.splice(0, step))
    // A line that others have cut short leaves them half of the time.
    if (step < BATCH.most && line.length > step) await sleep(performance.now() - began)
  }
  clearInterval(look)
  waiting.delete(workspaceId)
}

const tooLong = () =>
  new Failure("database_unavailable", "This workspace has too many requests waiting. Retry in a moment.", {
    retryAfterSeconds: 1,
  })

/** Those that have waited too long are told so, and have not begun. A line has them in front. */
function refuseLate(line: Waiting[]): void {
  const before = performance.now() - WAIT_MS
  while (line.length > 0 && line[0]!.since < before) line.shift()!.reject(tooLong())
}

async function reserveBatch(workspaceId: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const requests = batch.map((one) => one.request)
    const outcomes = await repeatOnDeadlock(() =>
      sql.begin((sql) => new Reservations(sql, workspaceId, requests).make()),
    )
    publish("ledger")
    publishActivity(workspaceId)
    for (const [i, outcome] of outcomes.entries()) settle(batch[i]!, outcome)
  } catch (error) {
    for (const one of batch) one.reject(error)
  }
}

function settle({ request, resolve, reject }: Waiting, outcome: ReservationResult): void {
  if ("operationId" in outcome) {
    if (request.idempotency) request.idempotency.begun = outcome.operationId
    resolve(outcome.row!)
  } else if ("keyClaimed" in outcome) reject(new KeyClaimed())
  else reject(new Failure(outcome.refusal.code, outcome.refusal.detail))
}
