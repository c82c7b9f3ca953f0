import type { IncomingMessage } from "node:http"
import flightState from "next/dist/server/app-render/parse-and-validate-flight-router-state.js"

const ROUTER_STATE = "next-router-state-tree"

/** What a browser sends for a page, for a part of one that its router asks for, and for a file; and our own policy. */
const known = new Set([
  ...["host", "connection", "user-agent", "accept", "accept-encoding", "accept-language", "cookie"],
  ...["cache-control", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"],
  ...["if-range", "range", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user"],
  ...["rsc", "next-router-prefetch", "next-router-segment-prefetch", "next-url", ROUTER_STATE],
  "content-security-policy",
])

/** Next's own error page, which anyone could request by name with status 500. */
const FAILURE = "/_global-error"

/**
 * Leaves a request what a page is made by. Next believes headers that its own parts send to each other from anybody,
 * and fails on a router's state that it cannot read: without one it answers with the whole page.
 */
export function forNext(request: Pick<IncomingMessage, "headers" | "url">): void {
  const { headers, url } = request
  for (const name of Object.keys(headers)) {
    if (!known.has(name) || (name === ROUTER_STATE && !isRouterState(headers[name]))) delete headers[name]
  }
  if (new URL(`http://localhost${url}`).pathname.startsWith(FAILURE)) request.url = "/_not-found"
}

function isRouterState(value: string | string[] | undefined): boolean {
  try {
    return flightState.parseAndValidateFlightRouterState(value) !== undefined
  } catch {
    return false
  }
}
