import type { IdempotencyClaim } from "#server/domain/context.ts"
import { findRecord, KeyBusy, KeyClaimed, keyWait, storeAnswer } from "#server/domain/idempotency.ts"
import { sleep } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { type Call, run, type SentAnswer, sendAnswer, sendReplay } from "./call.ts"
import { toFailure } from "./failure.ts"

/** Pause before asking again for a key that another request holds. */
const BUSY_MS = 100

/** Runs the request once for its key: the first answer below 500 is stored, and every repeat gets that one. */
export async function once(call: Call, prepare: () => void, claim: IdempotencyClaim): Promise<void> {
  const giveUpAt_ms = performance.now() + keyWait.ms
  for (;;) {
    const record = await findRecord(claim)
    if (record?.answer) return sendReplay(call, record.answer)
    try {
      claim.begun = record?.begun ?? null
      const answer = await firstAnswer(call, prepare, claim)
      if (answer.status >= 500 || (await storeAnswer(claim, answer))) return sendAnswer(call, answer)
    } catch (error) {
      if (hasCause(error, KeyClaimed)) continue
      if (!hasCause(error, KeyBusy)) throw error
      // No connection is held meanwhile.
      if (performance.now() >= giveUpAt_ms) inProgress(error)
      await sleep(BUSY_MS)
    }
  }
}

const inProgress = (cause: unknown): never =>
  fail("idempotency_in_progress", "Idempotency-Key: the first request with this key is still running.", {
    retryAfterSeconds: 5,
    cause,
  })

async function firstAnswer(
  call: Call,
  prepare: () => void,
  idempotency: IdempotencyClaim,
): Promise<SentAnswer> {
  try {
    prepare()
    return await run(call, { idempotency })
  } catch (error) {
    if (hasCause(error, KeyClaimed) || hasCause(error, KeyBusy)) throw error
    const failure = toFailure(error, { requestId: call.reply.requestId, input: call.input, hasKey: true })
    // These two speak of this attempt, not of the request: they are never stored.
    if (failure.code === "idempotency_in_progress" || failure.code === "idempotency_key_reused") throw failure
    return { ...call.reply.failureBody(failure), failure }
  }
}

/** Whether it is such an error, or stands for one: tRPC puts its own around what a procedure throws. */
const hasCause = (error: unknown, kind: typeof KeyClaimed | typeof KeyBusy): boolean =>
  error instanceof kind || (error instanceof Error && error.cause instanceof kind)
