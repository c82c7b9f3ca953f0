import { randomBytes } from "node:crypto"
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as send } from "node:http"
import { pipeline } from "node:stream/promises"
import { Worker } from "node:worker_threads"
import type { PageHandler } from "./http.ts"
import { logger } from "./log.ts"
import { PASS_HEADER, type WorkerData } from "./pages-worker.ts"
import { sleep } from "./time.ts"

export type Pages = {
  handle: PageHandler
  /** Resolves when pages can be served. Rejects when they were not built. */
  ready: () => Promise<unknown>
}

type Serving = { port: number; ended: Promise<void> }

const RESTART_MS = 1000
const LONGEST_RESTART_MS = 60_000

/**
 * Next, with the built pages, in a thread of its own: what it allocates would cost the API a fifth of its time in
 * garbage collection, and what it throws would end the API with it. Started beside the server, which does not wait
 * for it, and started again when it ends.
 */
export function openPages(): Pages {
  const pass = randomBytes(32).toString("base64url")
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })
  let current = serve(pass)
  const keep = async (): Promise<never> => {
    for (let pause = RESTART_MS; ; pause = Math.min(pause * 2, LONGEST_RESTART_MS)) {
      const isReady = await current.then(
        ({ ended }) => ended.then(() => true),
        () => false,
      )
      if (isReady) pause = RESTART_MS
      await sleep(pause)
      current = serve(pass)
    }
  }
  void keep()

  return {
    ready: () => current,
    async handle(request, response) {
      const { port } = await current
      const answer = await forward(request, { port, pass, agent })
      response.writeHead(answer.statusCode!, endToEnd(answer.headers))
      // The reader may go away in the middle of a page; nothing is to be said to anybody then.
      await pipeline(answer, response).catch(() => {})
    },
  }
}

/** Starts the thread. Resolves when it can be asked. */
function serve(pass: string): Promise<Serving> {
  const workerData: WorkerData = { pass }
  const worker = new Worker(new URL("./pages-worker.ts", import.meta.url), {
    workerData,
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
  })
  // It says how long it took to read its settings, and the like.
  worker.stdout.on("data", (line) => logger.debug({ line: String(line).trim() }, "pages"))
  worker.unref()
  return new Promise((resolve, reject) => {
    const ended = new Promise<void>((end) => worker.once("exit", () => end()))
    worker.once("message", (port: number) => resolve({ port, ended }))
    worker.once("error", (error) => {
      logger.error({ err: error }, "the pages failed; they are started again")
      reject(error)
    })
    ended.then(() => reject(new Error("the pages ended before they were ready")))
  })
}

/** Sends a request to the thread. Resolves with the head of its answer, whose body is to come. */
function forward(
  request: IncomingMessage,
  { port, pass, agent }: { port: number; pass: string; agent: Agent },
): Promise<IncomingMessage> {
  const { method, url } = request
  const headers = { ...endToEnd(request.headers), [PASS_HEADER]: pass }
  return new Promise((resolve, reject) => {
    const sent = send({ host: "127.0.0.1", port, agent, method, path: url, headers }, resolve)
    sent.once("error", reject)
    request.once("close", () => {
      if (!request.complete) sent.destroy()
    })
    request.pipe(sent)
  })
}

/** Without the headers that speak of one connection only (RFC 9110, section 7.6.1). */
function endToEnd({
  connection,
  "keep-alive": keepAlive,
  "proxy-connection": proxyConnection,
  te,
  trailer,
  "transfer-encoding": transferEncoding,
  upgrade,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}
