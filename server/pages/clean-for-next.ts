import type { IncomingMessage } from "node:http"
import flightState from "next/dist/server/app-render/parse-and-validate-flight-router-state.js"

const ROUTER_STATE = "next-router-state-tree"

/** Headers that browsers and Next's router send for pages and files, plus our policy. */
const known = new Set([
  ...["host", "connection", "user-agent", "accept", "accept-encoding", "accept-language", "cookie"],
  ...["cache-control", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"],
  ...["if-range", "range", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user"],
  ...["rsc", "next-router-prefetch", "next-router-segment-prefetch", "next-url", ROUTER_STATE],
  "content-security-policy",
])

/** Next's own error page. Anyone could request it by name and get status 500. */
const FAILURE = "/_global-error"

/**
 * Removes all headers that a page does not need. Next accepts its internal headers from any client, and fails on a
 * router state that it cannot read. Without one, it answers with the whole page.
 */
export function cleanForNext(request: Pick<IncomingMessage, "headers" | "url">): void {
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
