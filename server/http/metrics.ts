import type { IncomingMessage, ServerResponse } from "node:http"
import { type Count, counter, histogram, type Spread } from "#server/lib/metrics.ts"
import { type ErrorCode, errors } from "#shared/errors.ts"

/** The route of what leads nowhere, and of what is refused before it is looked at. */
export const UNMATCHED = "unmatched"

const requests = counter({
  name: "vouch_http_requests_total",
  help: "Requests by method, route and status; 499 where the client was gone before the answer",
  labels: ["method", "route", "status"],
})
const durations = histogram({
  name: "vouch_http_request_duration_seconds",
  help: "Time from a request to its answer, without event streams",
  labels: ["method", "route"],
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})
const failures = counter({
  name: "vouch_errors_total",
  help: "Requests that were refused or failed, by the error's code",
  labels: ["code"],
})

// From the beginning, so that Prometheus sees the first of each as an increase.
for (const code of Object.keys(errors)) failures.of(code)

/** A method that nobody has is one, whatever its name. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const GONE = 499

type OfRoute = { duration: Spread; byStatus: Map<number, Count> }

/** By method and route: what a request needs is found without making a key of it. */
const known = new Map<string, Map<string, OfRoute>>()

/** Where nobody can read them, requests are not counted. */
let isCounting = false
const nothing = (): void => {}

export function countRequests(): void {
  isCounting = true
}

/** Requests that have come and have no answer yet, those that wait for their turn among them. */
export const underWay = { count: 0 }

/**
 * Counts a request from now on. What it returns is called once at its end, with the template of its address: one of a
 * table's, never the address itself.
 */
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

/** A stream lasts for as long as its client wants. */
const isStream = (response: ServerResponse): boolean =>
  response.getHeader("content-type") === "text/event-stream"

export const noteFailure = (code: ErrorCode): void => failures.of(code).add()
