import { request as httpRequest, type IncomingHttpHeaders } from "node:http"

export type Sent = {
  method: string
  /** Path below /v1, as it goes over the wire. */
  path: string
  key?: string
  headers?: Record<string, string | string[]>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: string | Buffer
  idempotencyKey?: string
}

export type Response = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  json: any
}

/** One request over real HTTP, exactly as given: no client library tidies up what a test sends. */
export function send(origin: string, sent: Sent): Promise<Response> {
  const { method, path, key, json, idempotencyKey } = sent
  const body = json === undefined ? sent.body : JSON.stringify(json)
  const headers: Record<string, string | string[]> = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(json === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...sent.headers,
  }
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path: `/v1${path}`, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const isJson = response.headers["content-type"] === "application/json" && text !== ""
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        })
      })
    })
    request.on("error", reject)
    if (body !== undefined) request.write(body)
    request.end()
  })
}
