import { AsyncLocalStorage } from "node:async_hooks"

/** Spans without a library: `start/tracing/` provides one. Without a collector, or unsampled, it does nothing. */

export type SpanOptions = {
  kind?: "server" | "client" | "consumer" | "internal"
  attributes?: Record<string, string | number>
  /** When it began, if not now. */
  from?: Date
}

export type Span = {
  readonly traceId: string
  /** The span and its trace in the W3C header's format (https://www.w3.org/TR/trace-context/#traceparent-header). */
  readonly traceparent: string
  /** Null once the span has ended: work that begins later does not belong to it, and may be another request's. */
  child(name: string, options?: SpanOptions): Span | null
  /** Renames it. */
  rename(name: string): void
  set(attributes: Record<string, string | number>): void
  end(how?: { error?: unknown; at?: Date }): void
}

export type Tracer = {
  /** The span of a request with its `traceparent` header. Null if it is not sampled. */
  begin(name: string, traceparent: string | undefined, options: SpanOptions): Span | null
  /** A span below a sampled one, possibly of another process. Null if that is missing. */
  below(traceparent: string, name: string, options: SpanOptions): Span | null
}

/** Null without a collector. */
export let tracer: Tracer | null = null

export function setTracer(to: Tracer | null): void {
  tracer = to
}

const current = new AsyncLocalStorage<Span>()

/** The current span. */
export const currentSpan = (): Span | undefined => (tracer === null ? undefined : current.getStore())

/** The value to store in a row, so that later work on it belongs to the same trace. */
export const currentTraceparent = (): string | null => currentSpan()?.traceparent ?? null

/** Runs `work` as a part of `span`. */
export const within = <T>(span: Span, work: () => T): T => current.run(span, work)

/** Runs `work` in a new span below the current one, if there is one. */
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
