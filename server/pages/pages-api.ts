import type { IncomingMessage, ServerResponse } from "node:http"
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http"
import { setLogo } from "#domain/accounts"
import { exportAttestations, orderedSearch } from "#domain/attestations"
import { auditFilter, exportAuditLog } from "#domain/audit-log"
import { reportQuery, sendReport } from "#domain/distributions"
import { asAttempt, CLIENT_ADDRESS, openAuth, principalIn, signedInUser } from "#domain/people"
import type { Principal, SignedIn } from "#domain/requests"
import { exportSnapshot, snapshotQuery } from "#domain/snapshots"
import { exportHolders, exportRegister, registerAtQuery, registerQuery } from "#domain/tokens"
import { MAX_BODY_BYTES, readBody } from "#server/http/body.ts"
import type { Client } from "#server/http/client.ts"
import { logFailure, toFailure } from "#server/http/failure.ts"
import { prefersAsync } from "#server/http/prefer.ts"
import { Reply } from "#server/http/reply.ts"
import { StreamPlaces } from "#server/http/streams.ts"
import { readQuery } from "#server/lib/csv.ts"
import type { RateLimiter, RateLimitStatus } from "#server/lib/rate-limit.ts"
import { readText } from "#server/lib/text.ts"
import { traced } from "#server/lib/trace.ts"
import { appRouter } from "#server/trpc/router.ts"
import { Failure, fail, statusOf } from "#shared/errors.ts"
import { MAX_LOGO_BYTES } from "#shared/logo.ts"
import { checkAuthRequest, correctAuthResponse, isAuthEndpoint, methodOf } from "./auth-requests.ts"
import { LOGOS } from "./files.ts"
import { listExports, sendList } from "./list-exports.ts"

/** Settings and limits of pages. */
export type PageOptions = {
  /** The public origin, or null if only this machine is served. */
  publicOrigin: string | null
  /** Where to report a vulnerability, or null if not set. */
  securityContact: string | null
  /** Per network: the hosted page, sign-in, and procedures without sign-in. */
  anonymousLimiter: RateLimiter | null
  /** Per network: all other pages. */
  pageLimiter: RateLimiter | null
  /** Per network: the files that pages load. */
  assetLimiter: RateLimiter | null
  /** Per signed-in person. */
  userLimiter: RateLimiter | null
}

/** A request from a page, or from a client that poses as one. */
export type IncomingPage = {
  request: IncomingMessage
  response: ServerResponse
  url: string
  requestId: string
  client: Client
  options: PageOptions
}

/** The header in which a page names its workspace. */
const WORKSPACE_HEADER = "x-vouch-workspace"

/** Event streams: one for each visible tab. A minute longer than tRPC's own limit (`trpc.ts`). */
const streams = new StreamPlaces("event streams", { person: 20, workspace: 100, process: 500 }, 16 * 60_000)
const files = new StreamPlaces("downloads", { person: 4, workspace: 8, process: 50 }, 60 * 60_000)

const table = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
/** Names of all procedures. */
export const procedures: ReadonlySet<string> = new Set(table.map(([path]) => path))
/** Procedures that answer with a stream. */
const streamed = new Set(table.filter(([, { _def }]) => _def.type === "subscription").map(([path]) => path))

/** Answers requests below /api: procedures, sign-in, downloads, uploads. Errors: those of the request, as a Failure. */
export async function answerPage(incoming: IncomingPage): Promise<void> {
  const { request, response, url, client, options } = incoming
  response.setHeader("Cache-Control", "no-store")
  const user = await signedInUser(request.headers)
  limitRate(incoming, user)
  if (isAuthEndpoint(url.split("?", 1)[0]!)) {
    return asAttempt(client.network, () => authenticatePerson(incoming))
  }
  if (isCrossSite(request, options.publicOrigin)) {
    fail("cross_site_request", "Refused: the request came from another site. Open the dashboard and try again there.")
  }
  if (url.startsWith("/api/trpc/")) return asAttempt(client.network, () => callProcedure(incoming, user))
  const path = url.split("?", 1)[0]!
  if (Object.hasOwn(downloads, path)) return download(incoming, user, downloads[path]!)
  if (path === LOGO_UPLOAD) return receiveLogo(incoming, user)
  fail("route_not_found", "Nothing found at this address. Check the path.")
}

/** Limits requests for pages and their files. Errors: rate_limited. */
export async function limitPageRate(incoming: IncomingPage): Promise<void> {
  const { request, url, client, options } = incoming
  const limiter = isFile(url)
    ? options.assetLimiter
    : url.startsWith("/verify/")
      ? options.anonymousLimiter
      : options.pageLimiter
  const rate = limiter?.take(client.network)
  if (!rate || rate.allowed) return
  const user = await signedInUser(request.headers)
  if (user) limitRate(incoming, user)
  else refuseIfExceeded(rate)
}

/** Files of pages, and those in public/. Only files have a dot in the first part of their path. */
export const isFile = (url: string): boolean =>
  url.startsWith("/_next/static/") || url.startsWith(LOGOS) || /^\/[\w-]+\.\w+(?:\?|$)/.test(url)

/**
 * Limits requests per person, or per network if not signed in, so that strangers on the same network cannot use up a
 * person's rate. Errors: rate_limited.
 */
function limitRate({ options: { anonymousLimiter, userLimiter }, client }: IncomingPage, user: SignedIn | null): void {
  const rate = user ? userLimiter?.take(user.id) : anonymousLimiter?.take(client.network)
  if (rate) refuseIfExceeded(rate)
}

function refuseIfExceeded({ allowed, resetSeconds }: RateLimitStatus): void {
  if (allowed) return
  const detail = `Too many requests. Retry in ${resetSeconds} s.`
  fail("rate_limited", detail, { retryAfterSeconds: resetSeconds })
}

async function callProcedure(incoming: IncomingPage, user: SignedIn | null): Promise<void> {
  const { request, response, url, requestId } = incoming
  await bufferBody(incoming)
  const end = url.indexOf("?")
  const query = new URLSearchParams(end < 0 ? "" : url.slice(end))
  // A request counts as one call, so it may contain only one.
  if (query.has("batch")) {
    fail("malformed_request", "batch: not supported. Send each call as a separate request.")
  }
  const path = url.slice("/api/trpc/".length, end < 0 ? undefined : end)
  const workspaceId = request.headers[WORKSPACE_HEADER] ?? query.get("workspace")
  const principal = user && workspaceId ? principalIn(user, String(workspaceId)) : Promise.resolve(null)
  // If this fails, `createContext` below fails too, and tRPC reports why.
  const member = await principal.catch(() => null)
  const isStream = streamed.has(path)
  if (isStream && user && member) {
    const watcher = { userId: user.id, workspaceId: member.workspaceId }
    if (!streams.take(request, response, watcher)) return
  }
  const call = () =>
    nodeHTTPRequestHandler({
      router: appRouter,
      req: request,
      res: response,
      path,
      allowMethodOverride: true,
      allowBatching: false,
      onError: ({ error }) => logFailure(toFailure(error), requestId),
      responseMeta: ({ errors: [error], ctx }) => {
        if (!error) return ctx ? { status: ctx.answer.status } : {}
        const { code, retryAfterSeconds } = toFailure(error)
        const status = statusOf(code)
        return retryAfterSeconds === undefined
          ? { status }
          : { status, headers: new Headers({ "retry-after": String(retryAfterSeconds) }) }
      },
      createContext: async ({ info }) => ({
        requestId,
        transport: "pages" as const,
        user,
        // An encoded name of a stream would bypass the stream limits above.
        principal: info.type === "subscription" && !isStream ? null : await principal,
        idempotencyKey: request.headers["idempotency-key"],
        idempotency: null,
        webhook: null,
        respondAsync: prefersAsync(request.headers.prefer),
        answer: { status: 200 },
      }),
    })
  // Unknown procedures get no span: their names are unbounded.
  const answered = procedures.has(path) ? traced(path, call) : call()
  // tRPC's promise never settles if the client disconnects first. The stream has ended when the response closes.
  await (isStream ? Promise.race([answered, closed(response)]) : answered)
}

const closed = (response: ServerResponse): Promise<void> =>
  response.closed ? Promise.resolve() : new Promise((resolve) => response.once("close", resolve))

/**
 * Whether another site's page sent the request. Cookies are SameSite=Lax, so cross-site requests that change something
 * carry none. This check also covers sibling subdomains and old browsers. A GET changes nothing.
 */
function isCrossSite({ method, headers }: IncomingMessage, publicOrigin: string | null): boolean {
  if (method === "GET" || method === "HEAD" || headers.origin === undefined) return false
  if (publicOrigin !== null) return headers.origin !== publicOrigin
  return !/^https?:\/\//.test(headers.origin) || headers.origin.replace(/^https?:\/\//, "") !== headers.host
}

type Download = (
  principal: Principal,
  query: URLSearchParams,
  response: ServerResponse,
  /** Reads the person and their rights again. Errors: not_signed_in, and those of `principalIn`. */
  principalNow: () => Promise<Principal>,
  asked: { user: SignedIn; requestId: string },
) => Promise<void>

/** Files for the browser to save. Procedures cannot send them, because tRPC holds a whole answer in memory. */
export const downloads: Record<string, Download> = {
  "/api/export/attestations.csv": (principal, query, response, principalNow) =>
    exportAttestations(principal, readQuery(orderedSearch, query), response, principalNow),
  "/api/export/audit.csv": (principal, query, response, principalNow) =>
    exportAuditLog(principal, readQuery(auditFilter, query), response, principalNow),
  "/api/export/holders.csv": (principal, query, response, principalNow) =>
    exportHolders(principal, readQuery(registerQuery, query), response, principalNow),
  "/api/export/register.csv": (principal, query, response, principalNow) =>
    exportRegister(principal, readQuery(registerAtQuery, query), response, principalNow),
  "/api/export/snapshot.csv": (principal, query, response, principalNow) =>
    exportSnapshot(principal, readQuery(snapshotQuery, query), response, principalNow),
  "/api/export/distribution.csv": (principal, query, response, principalNow) =>
    sendReport(principal, readQuery(reportQuery, query), response, principalNow),
  ...Object.fromEntries(
    Object.entries(listExports).map(([name, list]): [string, Download] => [
      `/api/export/${name}.csv`,
      (principal, query, response, principalNow, asked) =>
        sendList(list, name, query, {
          response,
          reader: { ...asked, principal },
          readerNow: async () => ({ ...asked, principal: await principalNow() }),
        }),
    ]),
  ),
}

/** Uploads an account's logo as raw bytes. It is too large for the body of a procedure. */
export const LOGO_UPLOAD = "/api/upload/logo"

async function receiveLogo(
  { request, response, url, requestId, client }: IncomingPage,
  user: SignedIn | null,
): Promise<void> {
  if (request.method !== "POST") fail("method_not_allowed", "Use POST for this address.")
  if (user === null) return fail("not_signed_in", "Sign in first.")
  const principal = await principalIn(user, new URLSearchParams(url.split("?")[1]).get("workspace") ?? "")
  if (!principal.scopes.has("member:write")) {
    fail("insufficient_scope", "Only owners can change the hosted page. Ask an owner of this account.")
  }
  const logo = await readBody(request, { limit: MAX_LOGO_BYTES, network: client.network })
  const brand = await setLogo({ principal, requestId }, logo)
  new Reply(response, requestId, false).send(200, JSON.stringify(brand), "application/json")
}

async function download(
  { request, response, url, requestId }: IncomingPage,
  user: SignedIn | null,
  send: Download,
): Promise<void> {
  if (request.method !== "GET") fail("method_not_allowed", "Use GET for this address.")
  if (user === null) return fail("not_signed_in", "Sign in first.")
  const query = new URLSearchParams(url.split("?")[1])
  const principal = await principalIn(user, query.get("workspace") ?? "")
  const { workspaceId } = principal
  const principalNow = async () => {
    const still = await signedInUser(request.headers)
    if (still === null) return fail("not_signed_in", "Sign in first.")
    return principalIn(still, workspaceId)
  }
  if (files.take(request, response, { userId: user.id, workspaceId }))
    await send(principal, query, response, principalNow, { user, requestId })
}

/** Leaves the body where tRPC and better-auth expect it. Their own readers do not limit the memory of all clients. */
async function bufferBody({ request, client }: IncomingPage): Promise<Buffer> {
  if (request.method === "GET" || request.method === "HEAD") return Buffer.alloc(0)
  const bytes = await readBody(request, { limit: MAX_BODY_BYTES, network: client.network })
  Object.assign(request, { body: bytes.length > 0 ? readText(bytes) : undefined })
  return bytes
}

/** Sign-in, sign-out, passwords and second factors, by better-auth. */
async function authenticatePerson(incoming: IncomingPage): Promise<void> {
  const { request, response, url, requestId, client } = incoming
  const method = methodOf(url.split("?", 1)[0]!)
  if (request.method !== method) {
    const reply = new Reply(response, requestId, request.method === "HEAD")
    reply.allow = method
    return reply.failure(new Failure("method_not_allowed", `Use ${method} for this address.`))
  }
  checkAuthRequest(url, request, await bufferBody(incoming))
  request.headers[CLIENT_ADDRESS] = client.address
  // better-auth accepts this header from any client.
  request.headers["x-forwarded-proto"] = client.secure ? "https" : "http"
  const [auth, { toNodeHandler }] = await Promise.all([openAuth(), import("better-auth/node")])
  const handler = async (request: Request) => correctAuthResponse(await auth.handler(request))
  await toNodeHandler(handler)(request, response)
}
