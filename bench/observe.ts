import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { freePorts } from "#test/fixtures/free-ports.ts"
import type { Traffic } from "./load.ts"
import { type Contest, contest, median, type Ratio } from "./rounds.ts"
import type { Stage } from "./stage.ts"

/** Prometheus' default. */
const SCRAPE_EVERY_MS = 15_000
const TRAFFIC = [
  { title: "GET /kyc/status", traffic: "status" },
  { title: "POST /kyc/start", traffic: "start" },
] as const satisfies { title: string; traffic: Traffic }[]

/** How often the servers are restarted: code is compiled differently each time, which alone changes some percent. */
const STARTS = 4

/**
 * The processor time of a request with metrics and traces, relative to one without, within a round. `same` compares two
 * servers without them and shows how much of that is chance. Null if processor time cannot be measured.
 */
export type Observed = {
  name: string
  plain_us: number
  observed_us: number
  ratio: Ratio
  same: Ratio
} | null

/**
 * Three servers without workers on one database: two with default settings, and one whose metrics are scraped and whose
 * traces go to a collector, both with their defaults. They alternate.
 */
export async function measureObserved(options: {
  stage: Stage
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<Observed[]> {
  const { stage, ...how } = options
  const collector = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  })
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  const { port } = collector.address() as AddressInfo
  const taken: Contest[][] = TRAFFIC.map(() => [])
  for (let n = 1; n <= STARTS; n++) {
    const metricsPort = await freePorts(1)
    const plain = { VOUCH_ROLE: "web" }
    const servers = [
      await stage.replica({ name: "plain", settings: plain }),
      await stage.replica({ name: "same", settings: plain }),
      await stage.replica({
        name: "observed",
        settings: {
          ...plain,
          VOUCH_METRICS_PORT: String(metricsPort),
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        },
      }),
    ]
    const scraping = setInterval(async () => {
      await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text())
    }, SCRAPE_EVERY_MS)
    for (const [i, { title, traffic }] of TRAFFIC.entries()) {
      taken[i]!.push(await contest({ name: `${title}, start ${n} of ${STARTS}`, traffic, servers, ...how }))
    }
    clearInterval(scraping)
    await Promise.all(servers.map((server) => server.stop()))
  }
  collector.close()
  collector.closeAllConnections()
  return TRAFFIC.map(({ title }, i) => summarise(title, taken[i]!))
}

/** One ratio per start: the median of its rounds. */
function summarise(name: string, contests: readonly Contest[]): Observed {
  const starts = contests.map(({ contestants }) => contestants.map(({ rounds }) => rounds.map(({ cpu_us }) => cpu_us)))
  if (starts.flat(2).includes(null)) return null
  const known = starts as [number[], number[], number[]][]
  const overStarts = (ratioOf: (plain: number, same: number, observed: number) => number): Ratio => {
    const ratios = known.map(([plain, same, observed]) =>
      median(plain.map((one, n) => ratioOf(one, same[n]!, observed[n]!))),
    )
    return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
  }
  return {
    name,
    plain_us: median(known.flatMap(([plain, same]) => [...plain, ...same])),
    observed_us: median(known.flatMap(([, , observed]) => observed)),
    ratio: overStarts((plain, same, observed) => observed / ((plain + same) / 2)),
    same: overStarts((plain, same) => same / plain),
  }
}
