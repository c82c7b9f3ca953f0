import type { IncomingMessage, ServerResponse } from "node:http"
import { type Count, counter, histogram, type Spread } from "#server/lib/metrics.ts"
import { type ErrorCode, errors } from "#shared/errors.ts"

/** The route of unknown paths, and of requests refused before routing. */
export const UNMATCHED = "unmatched"

const requests = counter({
  name: "vouch_http_requests_total",
  help: "Requests by method, route and status; 499 if the client left before the answer",
  labels: ["method", "route", "status"],
})
const durations = histogram({
  name: "vouch_http_request_duration_seconds",
  help: "Time from a request to its answer, excluding event streams",
  labels: ["method", "route"],
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})
const failures = counter({
  name: "vouch_errors_total",
  help: "Refused and failed requests by error code",
  labels: ["code"],
})

// Created at the start, so that Prometheus sees the first of each as an increase.
for (const code of Object.keys(errors)) failures.of(code)

/** All unknown methods count as one. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const GONE = 499

type RouteMetrics = { duration: Spread; byStatus: Map<number, Count> }

/** By method, then route, so that a request needs no combined key. */
const known = new Map<string, Map<string, RouteMetrics>>()

/** Requests are counted only if metrics are served. */
let isCounting = false
const nothing = (): void => {}

export function countRequests(): void {
  isCounting = true
}

/** Requests without an answer yet, including waiting ones. */
export const underWay = { count: 0 }

/** Counts a request from now on. Call the result once at its end, with the route's template, never the path. */
export function beginRequest(request: IncomingMessage, response: ServerResponse): (route: string) => void {
  if (!isCounting) return nothing
  const began_ms = performance.now()
  underWay.count++
  return (route) => {
    underWay.count--
    note(request, response, { route, seconds: (performance.now() - began_ms) / 1000 })
  }
}

function note(
  { method: sent = "GET" }: IncomingMessage,
  response: ServerResponse,
  { route, seconds }: { route: string; seconds: number },
): void {
  const method = METHODS.has(sent) ? sent : "other"
  let ofMethod = known.get(method)
  if (!ofMethod) {
    ofMethod = new Map()
    known.set(method, ofMethod)
  }
  let one = ofMethod.get(route)
  if (!one) {
    one = { duration: durations.of(method, route), byStatus: new Map() }
    ofMethod.set(route, one)
  }
  const status = response.headersSent ? response.statusCode : GONE
  let count = one.byStatus.get(status)
  if (!count) {
    count = requests.of(method, route, String(status))
    one.byStatus.set(status, count)
  }
  count.add()
  if (!isStream(response)) one.duration.note(seconds)
}

/** A stream lasts as long as its client wants. */
const isStream = (response: ServerResponse): boolean => response.getHeader("content-type") === "text/event-stream"

export const noteFailure = (code: ErrorCode): void => failures.of(code).add()
