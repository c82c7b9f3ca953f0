import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** A span that a collector received. */
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  /** OTLP's numbers: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  attributes: Record<string, string | number>
  start: bigint
  end: bigint
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number }
type Encoded = Omit<ReceivedSpan, "attributes" | "start" | "end" | "parentSpanId"> & {
  parentSpanId?: string
  attributes: { key: string; value: Value }[]
  startTimeUnixNano: string
  endTimeUnixNano: string
}
type Message = { resourceSpans: { scopeSpans: { spans: Encoded[] }[] }[] }

/** A collector for OTLP over HTTP, in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp-request). */
export async function startCollector() {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    bodies.push(body)
    if (request.url === "/v1/traces") spans.push(...decode(JSON.parse(body)))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const decode = ({ resourceSpans }: Message): ReceivedSpan[] =>
  resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ attributes, parentSpanId, startTimeUnixNano, endTimeUnixNano, ...span }) => ({
      ...span,
      parentSpanId: parentSpanId || null,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, textOrNumber(value)])),
      start: BigInt(startTimeUnixNano),
      end: BigInt(endTimeUnixNano),
    }))

const textOrNumber = ({ stringValue, intValue, doubleValue }: Value): string | number =>
  stringValue ?? doubleValue ?? Number(intValue)
