import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { freePorts } from "#test/free-ports.ts"
import type { Traffic } from "./load.ts"
import { type Contest, contest, median, type Ratio } from "./rounds.ts"
import type { Stage } from "./stage.ts"

/** As Prometheus does by default. */
const SCRAPE_EVERY_MS = 15_000
const TRAFFIC = [
  { title: "GET /kyc/status", traffic: "status" },
  { title: "POST /kyc/start", traffic: "start" },
] as const satisfies { title: string; traffic: Traffic }[]

/** What a request costs with metrics and traces, against what it costs without; `cpu` is null where that cannot be told. */
export type Observed = Contest & { cpu: Ratio | null }

/**
 * Two servers without workers on one database: one as it is by default, and one whose metrics are scraped and whose traces are
 * sent to a collector, both with their default settings. They take turns.
 */
export async function measureObserved(options: {
  stage: Stage
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<Observed[]> {
  const { stage, ...how } = options
  const collector = createServer((request, response) => {
    request
      .resume()
      .on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  })
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  const metricsPort = await freePorts(1)
  const { port } = collector.address() as AddressInfo
  const plain = await stage.replica({ name: "plain", settings: { VOUCH_ROLE: "web" } })
  const observed = await stage.replica({
    name: "observed",
    settings: {
      VOUCH_ROLE: "web",
      VOUCH_METRICS_PORT: String(metricsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    },
  })
  const scraping = setInterval(async () => {
    await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text())
  }, SCRAPE_EVERY_MS)
  const done: Observed[] = []
  for (const { title, traffic } of TRAFFIC) {
    const name = `${title}, observed`
    const result = await contest({ name, traffic, servers: [plain, observed], ...how })
    done.push({ ...result, cpu: cpuRatio(result) })
  }
  clearInterval(scraping)
  await Promise.all([plain.stop(), observed.stop()])
  collector.close()
  collector.closeAllConnections()
  return done
}

/** Of the processor time for a request, within each round. */
function cpuRatio({ contestants }: Contest): Ratio | null {
  const [plain, observed] = contestants.map(({ rounds }) => rounds.map(({ cpu_us }) => cpu_us))
  const pairs = plain!.flatMap((one, n) => (one === null || observed![n] === null ? [] : observed![n]! / one))
  if (pairs.length === 0) return null
  return { median: median(pairs), lowest: Math.min(...pairs), highest: Math.max(...pairs) }
}
