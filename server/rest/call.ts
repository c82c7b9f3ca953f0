import type { IncomingMessage } from "node:http"
import { authenticate, inOtherMode, secondsLeftIn } from "#domain/accounts"
import { type ApprovalRecord, AwaitingApproval } from "#domain/approvals"
import { resumeCursorIn } from "#domain/events"
import {
  type Answer,
  type Context,
  type IdempotencyClaim,
  isContended,
  type Principal,
  storeAnswer,
  withKey,
} from "#domain/requests"
import type { Client } from "#server/http/client.ts"
import { logFailure, toFailure } from "#server/http/failure.ts"
import { prefersAsync } from "#server/http/prefer.ts"
import type { Reply } from "#server/http/reply.ts"
import { clock } from "#server/lib/time.ts"
import { traced } from "#server/lib/trace.ts"
import { errors, type Failure } from "#shared/errors.ts"
import { invoke } from "./invoke.ts"
import type { Route } from "./routes.ts"

/** A request for a procedure. */
export type Call = {
  request: IncomingMessage
  reply: Reply
  route: Route
  path: string
  client: Client
  principal: Principal | null
  raw: readonly string[]
  query: string
  input: Record<string, unknown> | null
  /** The raw body, once received. */
  received: Buffer | null
}

const JSON_TYPE = "application/json"

type SentAnswer = Answer & { failure?: Failure; parts?: AsyncIterable<string> }

export async function sendAnswer(call: Call, answer: SentAnswer): Promise<void> {
  const { status, body, failure, parts } = answer
  if (failure) call.reply.failure(failure)
  else if (parts) {
    const requireAccess = () => authenticate(call.request.headers.authorization)
    await call.reply.sendParts(status, parts, `${call.route.meta.media}; charset=utf-8`, requireAccess)
  } else call.reply.send(status, body, JSON_TYPE, { extra: headersOf(call, answer) })
}

/** Sends the stored bytes again, with the headers of the first response. */
function sendReplay(call: Call, answer: Answer): void {
  call.reply.send(answer.status, answer.body, JSON_TYPE, { replayed: true, extra: headersOf(call, answer) })
}

/** Runs the request once for its key. Its first answer below 500 is replayed, unless its error says otherwise. */
export const runOnce = (call: Call, prepare: () => void, claim: IdempotencyClaim): Promise<void> =>
  withKey(claim, async (stored) => {
    if (stored) return sendReplay(call, stored)
    const isBegun = claim.begun !== null
    const answer = await firstAnswer(call, prepare, claim)
    if (call.route.meta.holdsSecret && answer.status === 200)
      return isBegun ? sendReplay(call, answer) : sendAnswer(call, answer)
    const isReplayed = answer.failure === undefined || errors[answer.failure.code].isReplayed
    if (answer.status < 500 && isReplayed) await storeAnswer(claim, answer)
    return sendAnswer(call, answer)
  })

async function firstAnswer(call: Call, prepare: () => void, idempotency: IdempotencyClaim): Promise<SentAnswer> {
  try {
    prepare()
    return await run(call, { idempotency })
  } catch (error) {
    if (isContended(error)) throw error
    const failure = toFailure(error, { hasKey: true })
    logFailure(failure, call.reply.requestId)
    return { ...call.reply.failureBody(failure), failure }
  }
}

/** Headers that follow from the status and body of an answer, so that they need not be stored. */
function headersOf({ route, request }: Call, { status, body }: Answer): string[] {
  // Of all stored errors, only `quota_exceeded` and `events_rewound` have a header.
  if (status === 429) return ["Retry-After", String(secondsLeftIn(clock.now()))]
  if (status === 410) {
    const resumeCursor = resumeCursorIn(body)
    return resumeCursor === null ? [] : ["Resume-Cursor", resumeCursor]
  }
  const { accepted, needsApproval } = route.meta
  if (status !== 202 || !(accepted || needsApproval)) return []
  const record = JSON.parse(body) as Record<string, unknown>
  const isWaiting = record.status === "awaiting_approval" || !accepted
  const path = isWaiting ? "/approval/{approval_id}" : accepted
  const location = `/v1${path.replace(/\{(\w+)\}/g, (_, field: string) => String(record[field]))}`
  const applied = prefersAsync(request.headers.prefer) ? ["Preference-Applied", "respond-async"] : []
  return ["Location", location, "Retry-After", "1", ...applied]
}

/** Runs the procedure. Rejects with its error. */
export async function run(call: Call, more: Partial<Context>): Promise<SentAnswer> {
  const { route, reply, principal, input } = call
  const answer: Context["answer"] = { status: 200 }
  const context: Context = {
    requestId: reply.requestId,
    transport: "api",
    principal,
    user: null,
    idempotency: more.idempotency ?? null,
    webhook: more.webhook ?? null,
    respondAsync: prefersAsync(call.request.headers.prefer),
    answer,
  }
  const output = await traced(route.name, () => invoke(route.procedure, route.name, context, input)).catch(
    async (error) => {
      const approval = approvalIn(error)
      if (approval !== null) {
        answer.status = 202
        return approval
      }
      if (principal === null || input === null || isContended(error)) throw error
      throw (await inOtherMode(toFailure(error).code, principal, input)) ?? error
    },
  )
  return { ...answer, body: answer.parts ? "" : JSON.stringify(output) }
}

/** The approval that an act waits for. */
function approvalIn(error: unknown): ApprovalRecord | null {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof AwaitingApproval ? cause.approval : null
}
