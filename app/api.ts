import type { TRPCClient } from "@trpc/client"
import type { inferRouterOutputs } from "@trpc/server"
import type { AppRouter } from "#server/trpc/router.ts"

export type Api = TRPCClient<AppRouter>
/** What each procedure answers: `RouterOutputs["key"]["list"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>

/** A call that brought no result: `refusal` is what the server said, if it said anything in JSON. */
export class CallError extends Error {
  /** Null when nobody answered. */
  readonly status: number | null
  readonly refusal: unknown
  constructor(status: number | null, refusal: unknown, options?: ErrorOptions) {
    super(status === null ? "The server is unreachable" : `The server answered ${status}`, options)
    this.status = status
    this.refusal = refusal
  }
}

/**
 * The procedures, with the types that @trpc/client gives them: `api.key.list.query({})`. It speaks tRPC's protocol for
 * a single call in a thirtieth of that package's code, which comes as a whole, with batches and sockets, or not at all.
 * Streams are for that package itself (`stream.ts`).
 */
export function createApi(headers: Record<string, string> = {}): Api {
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      // Nobody mistakes it for a promise.
      get: (_target, name) => (typeof name === "string" && name !== "then" ? at([...path, name]) : undefined),
      apply: (_target, _this, [input, options]) =>
        call(path.slice(0, -1).join("."), path.at(-1) === "query", input, {
          headers: { ...headers, ...headersOf(options?.context) },
          signal: options?.signal,
        }),
    })
  return at([]) as Api
}

/** What a call says beyond its input, as `options.context` of @trpc/client. */
type CallContext = {
  /** One to each thing that somebody wants done: whatever comes again with it joins what was begun. */
  idempotencyKey?: string
  /** Answers once it has begun, and not once the chain has confirmed. */
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
  const response = await fetch(request, signal ? { signal } : {}).catch((cause) => {
    throw new CallError(null, null, { cause })
  })
  const answer = await response.json().catch(() => null)
  if (response.ok && answer?.result) return answer.result.data
  // Before a procedure is reached (too many requests, say), the server answers as it does over REST.
  throw new CallError(response.status, answer?.error?.data ?? answer)
}

/** The pages' API client outside of a workspace. */
export const api = createApi()

/** Sends a file as it is, and gives what the server answers. Errors: CallError. */
export async function upload<T>(url: string, file: File): Promise<T> {
  const response = await fetch(url, { method: "POST", body: file }).catch((cause) => {
    throw new CallError(null, null, { cause })
  })
  const answer = await response.json().catch(() => null)
  if (!response.ok) throw new CallError(response.status, answer)
  return answer
}
