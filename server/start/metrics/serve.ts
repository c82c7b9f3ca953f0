import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readHealth } from "#domain/health"
import { countRequests } from "#server/http/metrics.ts"
import { logger } from "#server/lib/log.ts"
import { families, render } from "#server/lib/metrics.ts"
import { listen } from "#server/start/listen.ts"
import { DeploymentFigures } from "./deployment.ts"
import { type GaugeOptions, gaugesOf } from "./gauges.ts"
import { processFigures } from "./process.ts"

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const TYPE = "text/plain; version=0.0.4; charset=utf-8"
const CONNECTIONS = 16

export type MetricsOptions = Omit<GaugeOptions, "deployment"> & {
  port: number
  host: string
  /** Whether this process is ready for requests and work. */
  isReady: () => Promise<boolean>
}

const JSON_TYPE = "application/json"

type Answer = { status: number; body: string; type?: string }

export type MetricsServer = { port: number; close(): Promise<void> }

/**
 * Serves the metrics of this process at /metrics on a separate port. They contain no secret and no customer data,
 * because anyone who reaches the port can read them. /health returns what GET /v1/health returns with a key. For
 * supervisors, /livez returns 200 while the process can answer, and /readyz returns 503 until it is ready. Rejects if
 * the port is in use.
 */
export async function serveMetrics({ port, host, isReady, ...options }: MetricsOptions): Promise<MetricsServer> {
  countRequests()
  const deployment = new DeploymentFigures()
  const process = processFigures()
  const gauges = [...gaugesOf({ ...options, deployment }), ...process.gauges]
  const text = async () => {
    await deployment.refresh()
    return render([...families(), ...gauges])
  }
  const answers: Record<string, () => Promise<Answer>> = {
    "/metrics": async () => ({ status: 200, body: await text() }),
    "/health": async () => ({ status: 200, body: `${JSON.stringify(await readHealth())}\n`, type: JSON_TYPE }),
    "/livez": async () => ({ status: 200, body: "ok\n" }),
    "/readyz": async () => ((await isReady()) ? { status: 200, body: "ok\n" } : { status: 503, body: "not ready\n" }),
  }
  const server = createServer({ headersTimeout: 5000, requestTimeout: 5000 }, async (request, response) => {
    request.resume()
    const { method, url = "" } = request
    const answer = answers[url.split("?", 1)[0]!]
    if (answer === undefined) return void response.writeHead(404).end()
    if (method !== "GET" && method !== "HEAD") return void response.writeHead(405, { Allow: "GET, HEAD" }).end()
    try {
      const { status, body, type = TYPE } = await answer()
      response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) })
      response.end(method === "HEAD" ? undefined : body)
    } catch (error) {
      logger.error({ err: error }, "could not read the metrics")
      response.writeHead(500).end()
    }
  })
  server.maxConnections = CONNECTIONS
  server.timeout = 30_000
  await listen(server, { port, host, setting: "VOUCH_METRICS_PORT" })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        process.stop()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
