import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import type { Span, SpanOptions, Tracer } from "#server/lib/trace.ts"
import { version } from "#server/lib/version.ts"
import type { Settings } from "#server/settings/env.ts"
import { readTraceparent, sampler } from "./sample.ts"

/** Maximum spans waiting to be sent; more are dropped. */
const MOST_WAITING = 4096
/** Maximum spans of one message, the interval between messages, and the timeout of one. */
const BATCH = 512
const SEND_EVERY_MS = 2000
const SEND_WITHIN_MS = 5000
/** How long a stopping process waits to send its last spans. */
const LAST_MS = 1000

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

/** Sends traces to the configured collector. Loaded only if one is configured. */
export function openTracing(settings: Settings, url: string): { tracer: Tracer; close(): Promise<void> } {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: SEND_WITHIN_MS }), {
    maxQueueSize: MOST_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_WITHIN_MS,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": settings.OTEL_SERVICE_NAME,
      "service.version": version,
      "vouch.role": settings.VOUCH_ROLE,
    }),
    spanProcessors: [processor],
  })
  const otel = provider.getTracer("vouch", version)
  const isSampled = sampler(settings)

  const start = (name: string, { kind = "internal", attributes = {}, from }: SpanOptions, parent: Context) =>
    otel.startSpan(name, { kind: KINDS[kind], attributes, ...(from && { startTime: from }) }, parent)

  const open = (name: string, options: SpanOptions, parent: Context): Span => {
    const own = start(name, options, parent)
    let below: Context | null = null
    const { traceId, spanId } = own.spanContext()
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-01`,
      child(name, options = {}) {
        if (!own.isRecording()) return null
        below ??= trace.setSpan(ROOT_CONTEXT, own)
        return open(name, options, below)
      },
      rename: (name) => void own.updateName(name),
      set: (attributes) => void own.setAttributes(attributes),
      end({ error, at } = {}) {
        if (error !== undefined) fail(own, error)
        own.end(at)
      },
    }
  }

  const parentOf = (traceparent: string | undefined) => {
    const parent = readTraceparent(traceparent)
    return parent && { ...parent, isRemote: true }
  }
  const tracer: Tracer = {
    begin(name, traceparent, options) {
      const parent = parentOf(traceparent)
      if (!isSampled(parent)) return null
      return open(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, sampled(parent)) : ROOT_CONTEXT)
    },
    below(traceparent, name, options) {
      const parent = parentOf(traceparent)
      return parent && open(name, options, trace.setSpanContext(ROOT_CONTEXT, sampled(parent)))
    },
  }
  return {
    tracer,
    async close() {
      const last = provider.shutdown().catch((error) => logger.debug({ err: error }, "the last traces were not sent"))
      await Promise.race([last, sleep(LAST_MS)])
    },
  }
}

/** The library samples by the parent, and Vouch has already decided to record this. */
const sampled = <T extends object>(parent: T) => ({ ...parent, traceFlags: 1 })

/** Only the name: an error's text may contain what a client sent. */
function fail(span: OtelSpan, error: unknown): void {
  const type = error instanceof Error ? String((error as { code?: unknown }).code ?? error.name) : String(error)
  span.setStatus({ code: SpanStatusCode.ERROR, message: type })
  span.setAttribute("error.type", type)
}
