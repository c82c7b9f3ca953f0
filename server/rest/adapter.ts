import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { onBehalfOf } from "#db/client.ts"
import { authenticate } from "#domain/accounts"
import { claimOf, fingerprintOf, type Principal, readIdempotencyKey, requireScope } from "#domain/requests"
import { MAX_BODY_BYTES, MAX_WEBHOOK_BYTES, RequestAborted, readBody, requireJson } from "#server/http/body.ts"
import type { Client } from "#server/http/client.ts"
import { logFailure, toFailure } from "#server/http/failure.ts"
import { UNMATCHED } from "#server/http/metrics.ts"
import { Reply } from "#server/http/reply.ts"
import { newId } from "#server/lib/ids.ts"
import { readJsonObject } from "#server/lib/json.ts"
import type { RateLimiter, RateLimitStatus } from "#server/lib/rate-limit.ts"
import { clock, sleep } from "#server/lib/time.ts"
import { currentSpan } from "#server/lib/trace.ts"
import { refuseQuery } from "#server/lib/validation.ts"
import { fail } from "#shared/errors.ts"
import { type Call, run, runOnce, sendAnswer } from "./call.ts"
import { addBody, addQuery, readParameters } from "./input.ts"
import type { RequestLog } from "./request-log/record.ts"
import type { Match, Route, RouteTable } from "./routes.ts"
import { explainUnknownPath } from "./unknown-path.ts"

/** Text that is served unchanged, such as the OpenAPI document. */
export type Document = { type: string; body: Buffer }

/** How long a rate limit refusal is delayed. */
const REFUSAL_MS = 250

export type AdapterOptions = {
  table: RouteTable
  /** Documents by path below /v1. */
  documents: ReadonlyMap<string, Document>
  /** Limit per key. Null if rates are not limited. */
  keyLimiter: RateLimiter | null
  /** Limit per network for wrong keys. */
  wrongKeyLimiter: RateLimiter | null
  /** Limit per network for webhooks: anyone may send one, and a vendor may send many at once. */
  webhookLimiter: RateLimiter | null
  /** Limit per network for paths without a key: health, the document, and unknown paths. */
  openLimiter: RateLimiter | null
  requests: RequestLog
}

/** Connects HTTP to procedures: request id, limits, key, idempotency, error body, in the order of the contract. */
export class Adapter {
  readonly #options: AdapterOptions

  constructor(options: AdapterOptions) {
    this.#options = options
  }

  /** Whether this path belongs to the API, below /v1. */
  knows(path: string): boolean {
    return this.#options.documents.has(path) || this.#options.table.match(path) !== null
  }

  /** Answers a request. `target` is the part of its address after `/v1`. Returns its endpoint's path. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse, target: string, client: Client): Promise<string> {
    const reply = new Reply(response, newId("req"), request.method === "HEAD")
    currentSpan()?.set({ "vouch.request_id": reply.requestId })
    const at_ms = clock.now().getTime()
    const since_ms = performance.now()
    let principal: Principal | null = null
    let route: Route | null = null
    let isUnmatched = false
    let call: Call | null = null
    const cut = target.indexOf("?")
    const path = cut < 0 ? target : target.slice(0, cut)
    let endpoint = UNMATCHED
    try {
      const query = cut < 0 ? "" : target.slice(cut + 1)
      const document = this.#options.documents.get(path)
      const match = document ? null : this.#options.table.match(path)
      route = match ? routeOf(request, match) : null
      // Webhooks have their own limit.
      if (!route || (route.meta.open && !route.meta.raw))
        await limit(this.#options.openLimiter, client, "Too many requests from this address.")
      isUnmatched = route === null
      if (document) {
        endpoint = `/v1${path}`
        this.#document(request, reply, document, query)
        return endpoint
      }
      if (!match) return fail("route_not_found", explainUnknownPath(path, this))
      const [known] = match.routes.values()
      endpoint = known!.template
      if (!route) {
        allows(request, reply, [...match.routes.keys()])
        return endpoint
      }
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
        principal: principal ?? (route.meta.knowsKeys ? await keyOf(request) : null),
        raw: match.raw,
        query,
        input: null,
        received: null,
      }
      call = answering
      await onBehalfOf(principal?.workspaceId ?? client.address, () => this.#answer(answering))
    } catch (error) {
      if (error instanceof RequestAborted) {
        reply.abandon()
        return endpoint
      }
      const failure = toFailure(error, { hasKey: carriesKey(request, route) })
      logFailure(failure, reply.requestId)
      reply.failure(failure)
      // A wrong path or method is refused before the key is read, but the workspace's request log still gets it.
      if (isUnmatched) principal = await keyOf(request)
    }
    if (principal?.via.kind === "key") {
      this.#options.requests.note({
        workspaceId: principal.workspaceId,
        keyId: principal.via.keyId,
        requestId: reply.requestId,
        at_ms,
        duration_us: Math.round((performance.now() - since_ms) * 1000),
        method: request.method ?? "GET",
        onlyReads: route !== null && (route.method === "GET" || route.meta.onlyReads === true),
        target,
        fields: route?.fields ?? null,
        headers: request.headers,
        received: call?.received ?? null,
        status: reply.status,
        body: reply.body,
        ...(route?.meta.erases && reply.status === 200 && withoutErased(route, request.headers)),
      })
    }
    return endpoint
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
      await limit(this.#options.wrongKeyLimiter, client, "Too many requests with a wrong key from this address.")
      throw error
    }
  }

  async #limit(principal: Principal, reply: Reply): Promise<void> {
    const { keyLimiter } = this.#options
    if (!keyLimiter || principal.via.kind !== "key") return
    const rate = keyLimiter.take(principal.via.keyId)
    reply.rate = rate
    if (!rate.allowed) await rateLimited(rate, "This key exceeds its rate limit.")
  }

  async #answer(call: Call): Promise<void> {
    const { request, route } = call
    if (route.meta.raw) {
      await limit(this.#options.webhookLimiter, call.client, "Too many webhooks from this address.")
      const body = await readBody(request, { limit: MAX_WEBHOOK_BYTES, network: call.client.network })
      call.input = readParameters(route, call.raw)
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
    if (principal === null) return fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
    await runOnce(call, prepare, claimOf(principal, key, fingerprintOf(route.method, call.path, body)))
  }
}

/** The principal of the request's key. Null if the key is missing or invalid, or cannot be checked. */
const keyOf = (request: IncomingMessage): Promise<Principal | null> =>
  authenticate(request.headers.authorization).catch(() => null)

/** What the request log keeps of an erasure: the address and the answer name the person, and the key may. */
const withoutErased = ({ template }: Route, { "idempotency-key": _, ...headers }: IncomingHttpHeaders) => ({
  target: template.slice("/v1".length),
  headers,
  body: "",
})

const carriesKey = (request: IncomingMessage, route: Route | null): boolean =>
  route?.meta.idempotent === true && request.headers["idempotency-key"] !== undefined

const routeOf = ({ method = "GET" }: IncomingMessage, match: Match): Route | null =>
  match.routes.get(method === "HEAD" ? "GET" : method) ?? null

/** Whether the method is supported. Answers OPTIONS itself. Errors: method_not_allowed. */
function allows(request: IncomingMessage, reply: Reply, methods: string[]): boolean {
  const { method = "GET" } = request
  if (methods.includes(method) || (method === "HEAD" && methods.includes("GET"))) return true
  reply.allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
  if (method === "OPTIONS") {
    reply.send(204, "", null)
    return false
  }
  return fail("method_not_allowed", `This endpoint supports ${reply.allow} only.`)
}

const bodyFields = (route: Route): number => route.fields.size - route.parameters.length

/** Counts a request of a network. Errors: rate_limited. */
async function limit(limiter: RateLimiter | null, { network }: Client, detail: string): Promise<void> {
  const rate = limiter?.take(network)
  if (rate && !rate.allowed) await rateLimited(rate, detail)
}

/** Refuses after a delay, so that a client that ignores refusals does not keep the process busy. */
async function rateLimited(rate: RateLimitStatus, detail: string): Promise<never> {
  await sleep(REFUSAL_MS)
  return fail("rate_limited", `${detail} Retry in ${rate.resetSeconds} s.`, { retryAfterSeconds: rate.resetSeconds })
}
