import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import bs58 from "bs58"

/** An Ed25519 key of an external key service. */
export function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const spki = publicKey.export({ format: "der", type: "spki" })
  return {
    raw: spki.subarray(-32),
    spki,
    pem: publicKey.export({ format: "pem", type: "spki" }) as string,
    address: bs58.encode(spki.subarray(-32)),
    sign: (message: Uint8Array) => sign(null, message, privateKey),
  }
}
export type Key = ReturnType<typeof newKey>

/**
 * What is wrong with the service: it is unreachable for a number of requests, hangs, makes wrong signatures, has
 * another key, or corrupts its responses.
 */
export type Fault = { away: number } | "hangs" | "signs wrong" | "other key" | "damages" | null

export type Question = { method: string; url: URL; headers: IncomingMessage["headers"]; body: Buffer }
export type Answer = { status: number; headers?: Record<string, string>; json: unknown }

/** A key service over real HTTP. `answer` and the form of an outage depend on the company. */
export async function startKeyService(
  answer: (question: Question, key: { of: (key: Key) => Key; isDamaged: boolean }) => Answer,
  away: Answer,
) {
  const other = newKey()
  const requests: { path: string; status: number; body: Buffer }[] = []
  let fault: Fault = null
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (fault === "hangs") return
    const isAway = typeof fault === "object" && fault !== null && fault.away-- > 0
    const url = new URL(request.url!, origin)
    const { status, headers, json } = isAway
      ? away
      : answer(
          { method: request.method!, url, headers: request.headers, body },
          {
            // A wrong signature comes from an unknown key.
            of: (key) => (fault === "other key" ? other : fault === "signs wrong" ? { ...key, sign: other.sign } : key),
            isDamaged: fault === "damages",
          },
        )
    requests.push({ path: url.pathname, status, body })
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /** All answered requests. */
    requests,
    misbehave(next: Fault): void {
      fault = next
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex")
