import type { ErrorCode } from "./contract.ts"
import { type Event, type Methods, type MintConfig, type Operation, routes, type WalletStatus } from "./contract.ts"
import { type ClientErrorCode, VouchError } from "./errors.ts"
import { EventReader, type Rewound } from "./events.ts"
import type { AsyncOptions, RequestOptions, WaitOptions } from "./options.ts"
import { eventPages, type Params, pages } from "./pages.ts"
import { type Connection, comeBackAfter, send } from "./request.ts"
import { sleep } from "./time.ts"

export type VouchOptions = {
  /** The address of Vouch, with or without the version: `https://vouch.example.com/v1`. */
  baseUrl: string
  /** `vouch_live_…` or `vouch_test_…`. Anyone who has it can act for the workspace, so use it on servers, not in pages. */
  apiKey?: string | undefined
  /** Default of `timeoutMs` of every request. */
  timeoutMs?: number | undefined
  /** Default of `maxRetries` of every request. */
  maxRetries?: number | undefined
  /** Allows a key in a page. Only for tests with a DOM and desktop programs. */
  dangerouslyAllowBrowser?: boolean | undefined
  /** Sends requests in place of the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Called when events that you have read were lost, before the client continues. Default: a console warning. */
  onRewound?: ((rewound: Rewound) => void) | undefined
}

const WAIT_MS = 120_000
const FIRST_POLL_MS = 500
const SLOWEST_POLL_MS = 5_000
const FOLLOW_MS = 2_000

/** Methods in addition to the API's endpoints. */
class Client {
  readonly #connection: Connection
  readonly #onRewound: VouchOptions["onRewound"]

  constructor(options: VouchOptions) {
    const { baseUrl, apiKey, timeoutMs, maxRetries, fetch: given } = options
    if (apiKey !== undefined && typeof document !== "undefined" && !options.dangerouslyAllowBrowser)
      throw new TypeError(
        "apiKey: everyone can read a key in a page. Call Vouch from your server, or set dangerouslyAllowBrowser.",
      )
    // The built-in fetch of browsers and Workers must not be called as a method of another object.
    const ask = given ?? ((...args: Parameters<typeof fetch>) => fetch(...args))
    if (apiKey !== undefined) requireKey(apiKey)
    this.#connection = { baseUrl: versioned(baseUrl), apiKey, timeoutMs, maxRetries, fetch: ask }
    this.#onRewound = options.onRewound
    for (const [name, [method, path, answer]] of Object.entries(routes as Routes)) {
      const accept = answer === "csv" ? "text/csv" : "application/json"
      const read = (params: Params, options: AsyncOptions) =>
        send(this.#connection, { method, ...target(method, path, params), accept, options })
      const call = (params: Params = {}, options: AsyncOptions = {}) => {
        const page = (more: Params) => read(more, options)
        if (answer === "pages") return pages(page, params)
        return answer === "events"
          ? eventPages(() => new EventReader(page, params, this.#onRewound))
          : read(params, options)
      }
      Object.defineProperty(this, name, { value: call })
    }
  }

  /**
   * Waits until the chain has confirmed an operation, or the mint of a configuration, and returns its record. If the
   * operation fails, it throws a `VouchError` with its code, like a request that waits. It does not wait for members who
   * must approve the operation first: it throws `awaiting_approval`.
   */
  async waitFor<Awaited extends Operation | MintConfig>(
    record: Awaited | PromiseLike<Awaited>,
    options: WaitOptions = {},
  ): Promise<Awaited> {
    const begun: Operation | MintConfig = await record
    const api = this as unknown as Methods
    if ("operation_id" in begun) {
      const read = (one: RequestOptions) => api.getOperation({ id: begun.operation_id }, one)
      const ended = await poll(
        // It may have been approved since.
        begun.status === "awaiting_approval" ? null : begun,
        read,
        ({ status }) => status === "confirmed" || status === "failed" || status === "awaiting_approval",
        `Operation ${begun.operation_id} is not confirmed`,
        `Wait again, or read it later with getOperation({ id: "${begun.operation_id}" }).`,
        options,
      )
      if (ended.status === "awaiting_approval")
        throw new VouchError(
          "awaiting_approval",
          `Operation ${begun.operation_id} waits for other members (${ended.approval_id}). Wait again once they have approved it: see the event approval.decided, or getApproval.`,
          { approvalId: ended.approval_id },
        )
      if (ended.error) throw new VouchError(ended.error.error as ErrorCode | ClientErrorCode, ended.error.detail)
      return ended as Awaited
    }
    const read = (one: RequestOptions) => api.getMintConfig({ id: begun.id }, one)
    const ended = await poll(
      begun,
      read,
      ({ mint }) => mint !== null,
      `The mint of ${begun.id} does not exist`,
      `Wait again, or read it later with getMintConfig({ id: "${begun.id}" }).`,
      options,
    )
    return ended as Awaited
  }

  /** Waits until a wallet's verification is decided, and returns its status: `verified`, `rejected` or `expired`. */
  async waitForStatus(
    params: { pubkey: string; schema?: string | undefined },
    options: WaitOptions = {},
  ): Promise<WalletStatus> {
    const api = this as unknown as Methods
    const read = (one: RequestOptions) => api.getWalletStatus(params, one)
    return poll(
      null,
      read,
      ({ status }) => status !== "pending",
      `The verification of wallet ${params.pubkey} is still pending`,
      "Have the investor finish at session_url, then wait again or call getWalletStatus.",
      options,
    )
  }

  /**
   * Every event after the cursor, in sequence and without a gap, then new ones, until the signal ends it. Without a
   * cursor, it starts at the oldest event that Vouch still has. Save the `cursor` of the last event that you handled
   * and continue from it. If events after it are no longer kept, it throws a `VouchError` with the code
   * `events_expired`. If a failover lost it, the client continues from before it (`onRewound`). `after` is only a
   * number and cannot detect a loss.
   */
  async *followEvents(
    position: { cursor?: string | undefined; after?: number | undefined } = {},
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<Event, void, undefined> {
    const read = (params: Params) => (this as unknown as Methods).listEvents(params, { signal })
    const reader = new EventReader(read, { ...position, limit: 1000 }, this.#onRewound)
    for (;;) {
      yield* reader.events()
      await sleep(FOLLOW_MS, signal)
    }
  }
}

type Routes = Record<string, readonly [method: string, path: string, answer?: string]>

/** The API of one workspace: a method for each endpoint, named by its `operationId`, and methods that wait. */
export type Vouch = Client & Methods
export const Vouch = Client as unknown as new (options: VouchOptions) => Vouch

/** Refuses a placeholder before any request, because some of its characters cannot be sent. */
function requireKey(apiKey: string): void {
  if (!/^vouch_(live|test)_[0-9A-Za-z]{30,}$/.test(apiKey))
    throw new TypeError(
      "apiKey: must be a whole key, vouch_live_ or vouch_test_ and its secret, without spaces. Keys are shown once, when they are created.",
    )
}

function versioned(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new TypeError("baseUrl: must be an address such as https://vouch.example.com/v1")
  const path = url.pathname.replace(/\/+$/, "")
  return url.origin + (path.endsWith("/v1") ? path : `${path}/v1`)
}

/** The path with its parameters and query filled in, and the body of a write, which is always an object. */
function target(method: string, template: string, params: Params): { path: string; body: string | undefined } {
  const rest = { ...params }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name] ?? "")
    delete rest[name]
    // Dot segments would change the path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name}: must be given`)
    return encodeURIComponent(value)
  })
  if (method === "POST" || method === "PUT" || method === "PATCH") return { path, body: JSON.stringify(rest) }
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) given.set(name, String(value))
  const query = given.toString()
  return { path: query === "" ? path : `${path}?${query}`, body: undefined }
}

/** Polls, with growing pauses, until the record is as wanted. */
async function poll<T>(
  first: T | null,
  read: (options: RequestOptions) => Promise<T>,
  isDone: (record: T) => boolean,
  notDone: string,
  nextStep: string,
  { signal, timeoutMs = WAIT_MS }: WaitOptions,
): Promise<T> {
  const end = Date.now() + timeoutMs
  let record = first ?? (await read({ signal }))
  for (let pause = FIRST_POLL_MS; !isDone(record); pause = Math.min(pause * 1.5, SLOWEST_POLL_MS)) {
    if (Date.now() >= end) throw new VouchError("timeout", `${notDone} after ${timeoutMs} ms. ${nextStep}`)
    // Never earlier than the response asked for.
    const asked = (comeBackAfter(record) ?? 0) * 1000
    await sleep(Math.min(Math.max(pause, asked), Math.max(0, end - Date.now())), signal)
    record = await read({ signal })
  }
  return record
}
