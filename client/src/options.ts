/** Options of every method. */
export type RequestOptions = {
  /** Ends the request, and the wait before a retry. */
  signal?: AbortSignal | undefined
  /** Milliseconds that one attempt may take. A mint or transfer waits for the chain for up to 25 s. Default: 60,000. */
  timeoutMs?: number | undefined
  /** The most retries. Default: 4. */
  maxRetries?: number | undefined
  /** Makes a write safe to repeat for 24 hours, also from another process. Default: random for each call. */
  idempotencyKey?: string | undefined
}

/** Options of methods that wait for the chain. */
export type AsyncOptions = RequestOptions & {
  /** Returns the record at once, before the chain has confirmed. `waitFor` waits for it. */
  respondAsync?: boolean | undefined
}

/** Options of methods that poll. */
export type WaitOptions = {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** Milliseconds to wait at most, before a `timeout` error. Default: 120,000. */
  timeoutMs?: number | undefined
}

/** A list: `await` gives its first page, `for await` the items of all pages. */
export type Pages<Page extends { data: readonly unknown[] }> = Promise<Page> & AsyncIterable<Page["data"][number]>

/** Events: `await` gives the first page, `for await` every event up to the latest one, in sequence. */
export type EventPages<Page extends { data: readonly unknown[] }> = Pages<Page>
