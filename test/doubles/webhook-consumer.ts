import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"

export type Received = {
  id: string
  /** The header's time, in seconds since 1970. */
  timestamp: number
  signatures: string[]
  event: {
    id: string
    sequence?: number
    cursor?: string
    type: string
    occurred_at: string
    data: Record<string, unknown>
  }
}

/** A consumer's handler: writes the response itself, or returns a status. */
type Answer = (received: Received, response: ServerResponse) => number | "answered"

/**
 * A customer's server that receives webhooks and verifies them with its library. It answers 401 to webhooks that are
 * too old or not signed with its secret, and counts them.
 */
export async function startConsumer() {
  const received: Received[] = []
  let refused = 0
  let secret: string | null = null
  let answer: Answer = () => 204
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const headers = request.headers as Record<string, string>
      let event: Received["event"]
      try {
        if (secret === null) throw new Error("no secret yet")
        event = new Webhook(secret).verify(body, headers) as Received["event"]
      } catch {
        refused++
        response.writeHead(401).end()
        return
      }
      const one: Received = {
        id: headers["webhook-id"]!,
        timestamp: Number(headers["webhook-timestamp"]),
        signatures: headers["webhook-signature"]!.split(" "),
        event,
      }
      received.push(one)
      const status = answer(one, response)
      if (status !== "answered") response.writeHead(status).end(status === 204 ? undefined : `answer ${status}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    /** The events it received and verified, repeats included. */
    received,
    /** The number of refused webhooks. */
    refused: () => refused,
    /** Changes the secret that it verifies with. */
    expect(one: string): void {
      secret = one
    },
    answer(how: Answer): void {
      answer = how
    },
    sequences: () => received.map(({ event }) => event.sequence),
    close(): Promise<void> {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export type Consumer = Awaited<ReturnType<typeof startConsumer>>
