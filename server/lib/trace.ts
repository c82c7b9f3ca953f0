import { AsyncLocalStorage } from "node:async_hooks"

/**
 * What traces are made of, without a library: `start/tracing/` brings one where a collector is configured. Until then, and
 * for every request that is not sampled, nothing here does or keeps anything.
 */

export type SpanOptions = {
  kind?: "server" | "client" | "consumer" | "internal"
  attributes?: Record<string, string | number>
  /** When it began, where that is not now. */
  from?: Date
}

export type Span = {
  readonly traceId: string
  /** It and its trace, as W3C's header says it (https://www.w3.org/TR/trace-context/#traceparent-header). */
  readonly traceparent: string
  /** Null once it has ended: what goes on longer than it, for others as well, is no part of it. */
  child(name: string, options?: SpanOptions): Span | null
  /** Names it anew. */
  rename(name: string): void
  set(attributes: Record<string, string | number>): void
  end(how?: { error?: unknown; at?: Date }): void
}

export type Tracer = {
  /** The span of a request, with the header `traceparent` that it came with. Null where it is not sampled. */
  begin(name: string, traceparent: string | undefined, options: SpanOptions): Span | null
  /** A span below one that may be another process's, and has been sampled. Null where that is none. */
  below(traceparent: string, name: string, options: SpanOptions): Span | null
}

/** Null while traces go nowhere. */
export let tracer: Tracer | null = null

export function setTracer(to: Tracer | null): void {
  tracer = to
}

const current = new AsyncLocalStorage<Span>()

/** What is being done now. */
export const currentSpan = (): Span | undefined => (tracer === null ? undefined : current.getStore())

/** What a row keeps, so that whoever goes on with it later is in the same trace. */
export const currentTraceparent = (): string | null => currentSpan()?.traceparent ?? null

/** Does `work` as a part of `span`. */
export const within = <T>(span: Span, work: () => T): T => current.run(span, work)

/** Does `work` as a span of its own below the current one, where there is one. */
export async function traced<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = currentSpan()?.child(name)
  if (!span) return work()
  try {
    const result = await within(span, work)
    span.end()
    return result
  } catch (error) {
    span.end({ error })
    throw error
  }
}
