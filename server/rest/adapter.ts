import type { IncomingMessage, ServerResponse } from "node:http"
import { onBehalfOf } from "#db/client.ts"
import { MAX_BODY_BYTES, MAX_WEBHOOK_BYTES, RequestAborted, readBody, requireJson } from "#server/body.ts"
import type { Context, IdempotencyClaim, Principal } from "#server/context.ts"
import { type Failure, fail } from "#server/errors.ts"
import { newId } from "#server/ids.ts"
import { readJsonObject } from "#server/json.ts"
import { authenticate } from "#server/keys/authenticate.ts"
import type { RequestLog } from "#server/requests/record.ts"
import { clock, sleep } from "#server/time.ts"
import { requireScope } from "#server/trpc.ts"
import { secondsLeftIn } from "#server/usage/period.ts"
import type { Client } from "./client.ts"
import { toFailure } from "./failure.ts"
import {
  type Answer,
  findRecord,
  fingerprintOf,
  KeyBusy,
  KeyClaimed,
  keyWait,
  readIdempotencyKey,
  storeAnswer,
} from "./idempotency.ts"
import { addBody, addQuery, readParameters, refuseQuery } from "./input.ts"
import { invoke } from "./invoke.ts"
import type { RateLimiter, Standing } from "./rate-limit.ts"
import { Reply } from "./reply.ts"
import type { Match, Route, RouteTable } from "./routes.ts"

/** A text that is served as it is, such as the OpenAPI document. */
export type Document = { type: string; body: Buffer }

/** How long a refusal for too many requests is held back. */
const REFUSAL_MS = 250
/** Pause before asking again for a key that another request holds. */
const BUSY_MS = 100

export type AdapterOptions = {
  table: RouteTable
  /** By path below /v1. */
  documents: ReadonlyMap<string, Document>
  /** Per key; null where rates are not limited. */
  keyLimiter: RateLimiter | null
  /** Per network, for wrong keys. */
  wrongKeyLimiter: RateLimiter | null
  /** Per network, for webhooks: anybody may send one, and a vendor many at once. */
  webhookLimiter: RateLimiter | null
  /** Per network, for what needs no key: health, the document, and addresses that do not exist. */
  openLimiter: RateLimiter | null
  requests: RequestLog
}

/**
 * HTTP ⇄ procedures: the request id, limits, key, idempotency and the error body live here and nowhere else.
 * Checks run in the order that the contract promises.
 */
export class Adapter {
  readonly #options: AdapterOptions

  constructor(options: AdapterOptions) {
    this.#options = options
  }

  /** Answers a request below /v1. `target` is the part of its address after `/v1`. Never rejects. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    target: string,
    client: Client,
  ): Promise<void> {
    const reply = new Reply(response, newId("req"), request.method === "HEAD")
    const at_ms = clock.now().getTime()
    const since_ms = performance.now()
    let principal: Principal | null = null
    let route: Route | null = null
    let isLost = false
    let call: Call | null = null
    try {
      const cut = target.indexOf("?")
      const path = cut < 0 ? target : target.slice(0, cut)
      const query = cut < 0 ? "" : target.slice(cut + 1)
      const document = this.#options.documents.get(path)
      const match = document ? null : this.#options.table.match(path)
      route = match ? routeOf(request, match) : null
      // A webhook has its own limit.
      if (!route || (route.meta.open && !route.meta.raw)) await this.#limitStranger(client)
      isLost = route === null
      if (document) return this.#document(request, reply, document, query)
      if (!match)
        return fail(
          "route_not_found",
          `There is no ${path.length > 100 ? "such path" : `path /v1${printable(path)}`}.`,
        )
      if (!route) return void allows(request, reply, [...match.routes.keys()])
      principal = route.meta.open ? null : await this.#principal(request, client)
      if (principal) {
        await this.#limit(principal, reply)
        requireScope(principal, route.meta.scope)
      }
      const answering: Call = {
        request,
        reply,
        route,
        path,
        client,
        principal,
        raw: match.raw,
        query,
        input: null,
        received: null,
      }
      call = answering
      await onBehalfOf(principal?.workspaceId ?? client.address, () => this.#answer(answering))
    } catch (error) {
      if (error instanceof RequestAborted) return reply.abandon()
      reply.failure(
        toFailure(error, {
          requestId: reply.requestId,
          input: call?.input ?? null,
          hasKey: carriesKey(request, route),
        }),
      )
      // A wrong path or method is refused before the key is read: the log of its workspace has it all the same.
      if (isLost) principal = await authenticate(request.headers.authorization).catch(() => null)
    }
    if (principal?.via.kind === "key") {
      this.#options.requests.note({
        workspaceId: principal.workspaceId,
        keyId: principal.via.keyId,
        requestId: reply.requestId,
        at_ms,
        duration_us: Math.round((performance.now() - since_ms) * 1000),
        method: request.method ?? "GET",
        target,
        fields: route?.fields ?? null,
        headers: request.headers,
        received: call?.received ?? null,
        status: reply.status,
        body: reply.body,
      })
    }
  }

  #document(request: IncomingMessage, reply: Reply, { type, body }: Document, query: string): void {
    if (!allows(request, reply, ["GET"])) return
    refuseQuery(query)
    reply.send(200, body, type)
  }

  async #principal(request: IncomingMessage, client: Client): Promise<Principal> {
    try {
      return await authenticate(request.headers.authorization)
    } catch (error) {
      const standing = this.#options.wrongKeyLimiter?.take(client.network)
      if (standing && !standing.allowed)
        await rateLimited(standing, "Too many requests with a wrong key from this address.")
      throw error
    }
  }

  async #limitStranger(client: Client): Promise<void> {
    const standing = this.#options.openLimiter?.take(client.network)
    if (standing && !standing.allowed) await rateLimited(standing, "Too many requests from this address.")
  }

  async #limit(principal: Principal, reply: Reply): Promise<void> {
    const { keyLimiter } = this.#options
    if (!keyLimiter || principal.via.kind !== "key") return
    const standing = keyLimiter.take(principal.via.keyId)
    reply.rate = standing
    if (!standing.allowed) await rateLimited(standing, "This key sends more requests than it may.")
  }

  async #answer(call: Call): Promise<void> {
    const { request, route } = call
    if (route.meta.raw) {
      const standing = this.#options.webhookLimiter?.take(call.client.network)
      if (standing && !standing.allowed)
        await rateLimited(standing, "Too many webhooks come from this address.")
      const body = await readBody(request, { limit: MAX_WEBHOOK_BYTES, network: call.client.network })
      call.input = readParameters(route, call.raw)
      refuseQuery(call.query)
      return sendAnswer(call, await run(call, { webhook: { headers: request.headers, body } }))
    }
    if (route.method === "GET") {
      call.input = readParameters(route, call.raw)
      if (call.query !== "") addQuery(call.input, route, call.query)
      return sendAnswer(call, await run(call, {}))
    }
    const bytes = await readBody(request, { limit: MAX_BODY_BYTES, network: call.client.network })
    call.received = bytes
    requireJson(request, bytes)
    const mayBeEmpty = request.headers["content-type"] === undefined || bodyFields(route) === 0
    const body = bytes.length === 0 && mayBeEmpty ? {} : readJsonObject(bytes)
    const key = route.meta.idempotent ? readIdempotencyKey(request.headers["idempotency-key"]) : null
    const prepare = () => {
      call.input = readParameters(route, call.raw)
      refuseQuery(call.query)
      addBody(call.input, route, body)
    }
    if (key === null) {
      prepare()
      return sendAnswer(call, await run(call, {}))
    }
    const { principal } = call
    if (principal?.via.kind !== "key")
      return fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
    const fingerprint = fingerprintOf(route.method, call.path, body)
    await once(call, prepare, {
      workspaceId: principal.workspaceId,
      keyId: principal.via.keyId,
      idempotencyKey: key,
      fingerprint,
      begun: null,
    })
  }
}

type Call = {
  request: IncomingMessage
  reply: Reply
  route: Route
  path: string
  client: Client
  principal: Principal | null
  raw: readonly string[]
  query: string
  input: Record<string, unknown> | null
  /** The body as it came, once it is here. */
  received: Buffer | null
}

/** Runs the request once for its key: the first answer below 500 is stored, and every repeat gets that one. */
async function once(call: Call, prepare: () => void, claim: IdempotencyClaim): Promise<void> {
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
  fail("idempotency_in_progress", "The first request with this Idempotency-Key is still running.", {
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

const carriesKey = (request: IncomingMessage, route: Route | null): boolean =>
  route?.meta.idempotent === true && request.headers["idempotency-key"] !== undefined

/** Whether it is such an error, or stands for one: tRPC puts its own around what a procedure throws. */
const hasCause = (error: unknown, kind: typeof KeyClaimed | typeof KeyBusy): boolean =>
  error instanceof kind || (error instanceof Error && error.cause instanceof kind)

const JSON_TYPE = "application/json"

type SentAnswer = Answer & { failure?: Failure }

function sendAnswer(call: Call, answer: SentAnswer): void {
  const { status, body, failure } = answer
  if (failure) call.reply.failure(failure)
  else call.reply.send(status, body, JSON_TYPE, { extra: headersOf(call, answer) })
}

/** The stored bytes again, with the headers that they had the first time. */
function sendReplay(call: Call, answer: Answer): void {
  call.reply.send(answer.status, answer.body, JSON_TYPE, { replayed: true, extra: headersOf(call, answer) })
}

/** Headers that an answer has by its status and body alone, so that nothing more is stored of it. */
function headersOf({ route, request }: Call, { status, body }: Answer): string[] {
  // Of all errors that are stored, only `quota_exceeded` has a header of its own.
  if (status === 429) return ["Retry-After", String(secondsLeftIn(clock.now()))]
  const { accepted } = route.meta
  if (status !== 202 || !accepted) return []
  const record = JSON.parse(body) as Record<string, unknown>
  const location = `/v1${accepted.replace(/\{(\w+)\}/g, (_, field: string) => String(record[field]))}`
  const applied = prefersAsync(request.headers.prefer) ? ["Preference-Applied", "respond-async"] : []
  return ["Location", location, ...applied]
}

async function run(call: Call, more: Partial<Context>): Promise<Answer> {
  const { route, reply, principal, input } = call
  const answer = { status: 200 }
  const context: Context = {
    requestId: reply.requestId,
    door: "api",
    principal,
    user: null,
    idempotency: more.idempotency ?? null,
    webhook: more.webhook ?? null,
    respondAsync: prefersAsync(call.request.headers.prefer),
    answer,
  }
  const output = await invoke(route.procedure, route.name, context, input)
  return { status: answer.status, body: JSON.stringify(output) }
}

/** `respond-async` among the preferences of RFC 7240. */
const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  prefer !== undefined && /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(String(prefer))

const routeOf = ({ method = "GET" }: IncomingMessage, match: Match): Route | null =>
  match.routes.get(method === "HEAD" ? "GET" : method) ?? null

/** Whether the method is one of these; answers OPTIONS by itself. Errors: method_not_allowed. */
function allows(request: IncomingMessage, reply: Reply, methods: string[]): boolean {
  const { method = "GET" } = request
  if (methods.includes(method) || (method === "HEAD" && methods.includes("GET"))) return true
  reply.allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
  if (method === "OPTIONS") {
    reply.send(204, "", null)
    return false
  }
  return fail("method_not_allowed", `This endpoint takes ${reply.allow}.`)
}

const bodyFields = (route: Route): number => route.fields.size - route.parameters.length

/** Refuses, but not at once: who goes on all the same would keep the process busy with refusals alone. */
async function rateLimited(standing: Standing, detail: string): Promise<never> {
  await sleep(REFUSAL_MS)
  return fail("rate_limited", `${detail} Retry in ${standing.resetSeconds} s.`, {
    retryAfterSeconds: standing.resetSeconds,
  })
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?")
