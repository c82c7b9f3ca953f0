import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { cleanForNext } from "./clean-for-next.ts"

/** Serves a page. The path is in the request. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type Pages = {
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
