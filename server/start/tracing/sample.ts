import type { Settings } from "#server/settings/env.ts"

export type Parent = { traceId: string; spanId: string; traceFlags: number }

const FORMAT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** A header `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header); null where it is none. */
export function readTraceparent(header: string | undefined): Parent | null {
  const [, version, traceId, spanId, flags, more] = FORMAT.exec(header ?? "") ?? []
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return null
  // Later versions may add something behind; this one has nothing there.
  if (version === "00" && more !== undefined) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) }
}

/**
 * Whether a request is recorded, by OTEL_TRACES_SAMPLER
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Decided before anything is made for
 * it: what is not recorded costs nothing.
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
  // The same for all services that see the trace: by its id, where it has one.
  return (parent) =>
    (parent === null ? Math.random() : Number.parseInt(parent.traceId.slice(-13), 16) / 2 ** 52) < ratio
}
