import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { forNext } from "./page-request.ts"

/** Serves a page; the path is in the request. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type Pages = {
  handle: PageHandler
  /** Resolves when pages can be served. Rejects when they were not built. */
  ready: () => Promise<unknown>
}

/** Next, with the built pages. Loaded beside the start; the API does not wait for it. */
export function openPages(): Pages {
  let handler: Promise<PageHandler> | undefined
  const load = async (): Promise<PageHandler> => {
    process.env.NEXT_TELEMETRY_DISABLED = "1"
    const dir = fileURLToPath(new URL("../..", import.meta.url))
    // The settings as the build left them, given as Next's own standalone server gives them. It would read them from
    // next.config.ts again, and keep its compiler for that: 30 MB.
    const built = JSON.parse(readFileSync(`${dir}/.next/required-server-files.json`, "utf8"))
    process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(built.config)
    const { default: module } = await import("next")
    // Its types speak of a default export that the CommonJS module does not have.
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
    forNext(request)
    await (await loaded())(request, response)
  }
  return { handle, ready: loaded }
}
