import type { TRPCClient } from "@trpc/client"
import type { AppRouter } from "#server/trpc/router.ts"

export type Api = TRPCClient<AppRouter>

/** A call without a result. `refusal` is the server's JSON answer, if any. */
export class CallError extends Error {
  /** Null if there was no answer. */
  readonly status: number | null
  readonly refusal: unknown
  constructor(status: number | null, refusal: unknown, options?: ErrorOptions) {
    super(status === null ? "The server is unreachable" : `The server answered ${status}`, options)
    this.status = status
    this.refusal = refusal
  }
}

export function unanswered(cause: unknown): never {
  throw new CallError(null, null, { cause })
}

/**
 * The procedures, with the types of @trpc/client: `api.key.list.query({})`. It implements single calls of tRPC's
 * protocol in a thirtieth of that package's code, which includes batches and sockets and cannot be split. Streams use
 * the package itself (`stream.ts`).
 */
export function createApi(headers: Record<string, string> = {}): Api {
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      // So that `await` does not treat it as a promise.
      get: (_target, name) => (typeof name === "string" && name !== "then" ? at([...path, name]) : undefined),
      apply: (_target, _this, [input, options]) =>
        call(path.slice(0, -1).join("."), path.at(-1) === "query", input, {
          headers: { ...headers, ...headersOf(options?.context) },
          signal: options?.signal,
        }),
    })
  return at([]) as Api
}

/** Options of a call beyond its input, like `options.context` of @trpc/client. */
type CallContext = {
  /** One per intended action: a repeated call with the same key joins the first. */
  idempotencyKey?: string
  /** Answers once the operation has begun, without waiting for the chain. */
  respondAsync?: boolean
}

const headersOf = ({ idempotencyKey, respondAsync }: CallContext = {}): Record<string, string> => ({
  ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  ...(respondAsync && { prefer: "respond-async" }),
})

type Options = { headers: Record<string, string>; signal: AbortSignal | undefined }

async function call(procedure: string, isQuery: boolean, input: unknown, { headers, signal }: Options) {
  const url = `/api/trpc/${procedure}`
  const body = input === undefined ? undefined : JSON.stringify(input)
  const request = isQuery
    ? new Request(body === undefined ? url : `${url}?input=${encodeURIComponent(body)}`, { headers })
    : new Request(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: body ?? null,
      })
  const response = await fetch(request, signal ? { signal } : {}).catch(unanswered)
  const answer = await response.json().catch(() => null)
  if (response.ok && answer?.result) return answer.result.data
  // Before a procedure is reached (too many requests, say), the server answers as it does over REST.
  throw new CallError(response.status, answer?.error?.data ?? answer)
}

/** The API client of pages outside a workspace. */
export const api = createApi()

/** Uploads a file unchanged and returns the server's answer. Errors: CallError. */
export async function upload<T>(url: string, file: File): Promise<T> {
  const response = await fetch(url, { method: "POST", body: file }).catch(unanswered)
  const answer = await response.json().catch(() => null)
  if (!response.ok) throw new CallError(response.status, answer)
  return answer
}
