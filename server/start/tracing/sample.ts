import type { Settings } from "#server/settings/env.ts"

export type Parent = { traceId: string; spanId: string; traceFlags: number }

const FORMAT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** A `traceparent` header (https://www.w3.org/TR/trace-context/#traceparent-header); null if it is invalid. */
export function readTraceparent(header: string | undefined): Parent | null {
  const [, version, traceId, spanId, flags, more] = FORMAT.exec(header ?? "") ?? []
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  // Later versions may append fields; version 00 has none.
  if (version === "00" && more !== undefined) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) }
}

/**
 * Whether to record a request, by OTEL_TRACES_SAMPLER
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Decided before anything is
 * created for it, so an unrecorded request costs nothing.
 */
export function sampler({
  OTEL_TRACES_SAMPLER: kind,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: Pick<Settings, "OTEL_TRACES_SAMPLER" | "OTEL_TRACES_SAMPLER_ARG">): (parent: Parent | null) => boolean {
  const own = ownSampler(kind.replace("parentbased_", ""), ratio)
  if (!kind.startsWith("parentbased_")) return own
  return (parent) => (parent === null ? own(null) : (parent.traceFlags & SAMPLED) !== 0)
}

function ownSampler(kind: string, ratio: number): (parent: Parent | null) => boolean {
  if (kind === "always_on") return () => true
  if (kind === "always_off") return () => false
  // By the trace's id if there is one, so that all services of the trace decide the same way.
  return (parent) =>
    (parent === null ? Math.random() : Number.parseInt(parent.traceId.slice(-13), 16) / 2 ** 52) < ratio
}
