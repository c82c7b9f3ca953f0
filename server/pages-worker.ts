import { timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { parentPort, workerData } from "node:worker_threads"
import { logger } from "./log.ts"

export type WorkerData = {
  /** What the server sends with each request: everybody on the machine can open a port, and may not pass by its checks. */
  pass: string
}

/** The request header of the pass. */
export const PASS_HEADER = "x-vouch-pass"

/** Serves the built pages on a port of its own, and tells the server which one that is. */
async function main(port: NonNullable<typeof parentPort>, { pass }: WorkerData): Promise<void> {
  process.env.NEXT_TELEMETRY_DISABLED = "1"
  const dir = fileURLToPath(new URL("..", import.meta.url))
  // The settings as the build left them: to read them again, Next would load its compiler.
  const built = JSON.parse(readFileSync(`${dir}/.next/required-server-files.json`, "utf8"))
  const { default: module } = await import("next")
  // Its types speak of a default export that the CommonJS module does not have.
  const next = module as unknown as typeof module.default
  const app = next({ dev: false, dir, quiet: true, conf: built.config })
  await app.prepare()
  const handle = app.getRequestHandler()

  const server = createServer({ requestTimeout: 60_000, keepAliveTimeout: 65_000 }, (request, response) => {
    if (!hasPass(request, pass)) return void response.writeHead(404).end()
    handle(request, response).catch((error) => {
      logger.error({ err: error }, "a page failed")
      response.destroy()
    })
  })
  server.listen({ port: 0, host: "127.0.0.1" }, () => {
    port.postMessage((server.address() as AddressInfo).port)
  })
}

function hasPass(request: IncomingMessage, pass: string): boolean {
  const given = Buffer.from(String(request.headers[PASS_HEADER] ?? ""))
  const wanted = Buffer.from(pass)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

if (parentPort) await main(parentPort, workerData)
