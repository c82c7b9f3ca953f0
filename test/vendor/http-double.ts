import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Fault } from "./server.ts"

export type Asked = {
  method: string
  /** Path and query as received, which a signature covers. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown
}
export type Answered = { status: number; json?: unknown }

/** A vendor's response to a request that it refuses. */
export const refused = (status: number, message: string): Answered => ({ status, json: { message } })

/**
 * Another company's API, over real HTTP. Faults affect only the response: every request is executed, and the caller
 * cannot know whether it took effect.
 */
export async function startHttpDouble(answer: (asked: Asked) => Answered) {
  const requests: { method: string; path: string; status: number }[] = []
  const held: (() => void)[] = []
  let fault: Fault | null = null
  let goodOnes = 0
  let altered: ((text: string) => string) | null = null

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request
    const body = await bytesOf(request)
    const answered = answer({ method, path, headers, body, json: jsonOf(body) })
    const say = (status: number, text: string) => {
      requests.push({ method, path, status })
      response.writeHead(status, { "content-type": "application/json" }).end(text)
    }
    const said = answered.json === undefined ? "" : JSON.stringify(answered.json)
    const text = altered === null ? said : altered(said)
    switch (goodOnes-- > 0 ? null : fault) {
      case "hangs":
        requests.push({ method, path, status: 0 })
        await new Promise<void>((resolve) => held.push(resolve))
        return void response.destroy()
      case "fails":
        return say(500, `{"message":"out of order"}`)
      case "rubbish":
        return say(200, "<html>Welcome to nginx</html>")
      case "lacks":
        return say(200, "{}")
      case "floods":
        return say(200, `{"more":"${"x".repeat(1024 * 1024)}"}`)
      case "redirects":
        requests.push({ method, path, status: 307 })
        return void response.writeHead(307, { location: `${origin}/elsewhere` }).end()
      case "unsafe":
        return say(answered.status, text.replaceAll(`${origin}/page/`, "javascript:alert(1)//"))
      default:
        return say(answered.status, text)
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin,
    /** The vendor's page for the investor. */
    pageUrl: (path: string) => `${origin}/page/${path}`,
    /** Every call of its API with the status of the response; 0 for none. */
    requests,
    /** Makes responses faulty, at once or after this many good ones. */
    misbehave(as: Fault | null, after = 0): void {
      fault = as
      goodOnes = after
      for (const release of held.splice(0)) release()
    },
    /** Changes each response before it is sent; null stops that. */
    alter(how: ((text: string) => string) | null): void {
      altered = how
    },
    async stop(): Promise<void> {
      for (const release of held.splice(0)) release()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}
