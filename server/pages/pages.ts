import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import flightState from "next/dist/server/app-render/parse-and-validate-flight-router-state.js"

/** Serves a page. The path is in the request. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

type Pages = {
  handle: PageHandler
  /** Resolves when pages can be served. Rejects if they have not been built. */
  ready: () => Promise<unknown>
}

/** Next with the built pages. It loads in the background; the API does not wait for it. */
export function openPages(): Pages {
  let handler: Promise<PageHandler> | undefined
  const load = async (): Promise<PageHandler> => {
    process.env.NEXT_TELEMETRY_DISABLED = "1"
    const dir = fileURLToPath(new URL("../..", import.meta.url))
    // Passes the settings of the build, as Next's own standalone server does. Otherwise Next would read next.config.ts
    // again and keep its compiler in memory (30 MB).
    const built = JSON.parse(readFileSync(`${dir}/.next/required-server-files.json`, "utf8"))
    process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(built.config)
    const { default: module } = await import("next")
    // Next's types declare a default export that its CommonJS module lacks.
    const next = module as unknown as typeof module.default
    const app = next({ dev: false, dir, quiet: true })
    await app.prepare()
    return app.getRequestHandler()
  }
  const loaded = () => {
    handler ??= load().catch((error) => {
      handler = undefined
      throw error
    })
    return handler
  }
  const handle: PageHandler = async (request, response) => {
    cleanForNext(request)
    await (await loaded())(request, response)
  }
  return { handle, ready: loaded }
}

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
