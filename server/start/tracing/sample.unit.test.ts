import { expect, test } from "vitest"
import { readTraceparent, sampler } from "./sample.ts"

const ID = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"

test("a traceparent is read", () => {
  expect(readTraceparent(`00-${ID}-${SPAN}-01`)).toEqual({ traceId: ID, spanId: SPAN, traceFlags: 1 })
  expect(readTraceparent(`00-${ID}-${SPAN}-00`)?.traceFlags).toBe(0)
  expect(readTraceparent(`cc-${ID}-${SPAN}-01-more`)?.traceId).toBe(ID)
})

test.each([
  undefined,
  "",
  "nonsense",
  `ff-${ID}-${SPAN}-01`,
  `00-${ID}-${SPAN}-01-more`,
  `00-${ID.toUpperCase()}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${ID}-${"0".repeat(16)}-01`,
  `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`,
  `00-${ID.slice(1)}-${SPAN}-01`,
])("%s is not a valid traceparent", (header) => {
  expect(readTraceparent(header)).toBeNull()
})

const parent = (traceFlags: number, traceId = ID) => ({ traceId, spanId: SPAN, traceFlags })

test.each([
  ["always_on", 0, null, true],
  ["always_off", 1, parent(1), false],
  ["traceidratio", 0, parent(1), false],
  ["traceidratio", 1, parent(0), true],
  ["parentbased_always_on", 0, parent(0), false],
  ["parentbased_always_off", 0, parent(1), true],
  ["parentbased_always_off", 0, null, false],
  ["parentbased_traceidratio", 0, parent(1), true],
  ["parentbased_traceidratio", 1, parent(0), false],
  ["parentbased_traceidratio", 1, null, true],
  ["parentbased_traceidratio", 0, null, false],
] as const)("%s of %d, with the parent %o: %s", (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, of, sampled) => {
  expect(sampler({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })(of)).toBe(sampled)
})

test("a ratio is decided by the trace's id, so that all services keep the same traces", () => {
  const isSampled = sampler({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0.5 })
  expect(isSampled(parent(0, `${ID.slice(0, 19)}${"0".repeat(13)}`))).toBe(true)
  expect(isSampled(parent(1, `${ID.slice(0, 19)}${"f".repeat(13)}`))).toBe(false)
})
