import type { AddressInfo } from "node:net"
import { disconnectDatabase } from "#db/client.ts"
import { clockDoubt, leaveDatabaseClock } from "#db/clock.ts"
import { durabilityWarnings } from "#db/durability.ts"
import { connectPubsub, disconnectPubsub } from "#db/pubsub.ts"
import { deployment } from "#domain/deployment"
import { readHealth } from "#domain/health"
import { FormDelivery } from "#domain/kyc"
import { operations } from "#domain/operations"
import { settingWarnings } from "#domain/providers"
import { ListWatch } from "#domain/screening"
import { paymentMintTrouble } from "#domain/treasury"
import { WebhookWorker } from "#domain/webhooks"
import { endWatches } from "#server/dashboard/activity.ts"
import { connectionLimit, watchConnections } from "#server/http/connections.ts"
import { refuse } from "#server/http/reply.ts"
import { createHttpServer } from "#server/http/server.ts"
import { endWaits, LedgerWorker, reportOn, troubleIn } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { parseNetworks } from "#server/lib/networks.ts"
import { RateLimiter } from "#server/lib/rate-limit.ts"
import { sayWhenSlow } from "#server/lib/say-when-slow.ts"
import { sleep } from "#server/lib/time.ts"
import { setTracer } from "#server/lib/trace.ts"
import type { PageHandler } from "#server/pages/pages.ts"
import { Adapter } from "#server/rest/adapter.ts"
import { documents } from "#server/rest/openapi.ts"
import { RequestLog } from "#server/rest/request-log/record.ts"
import { RouteTable } from "#server/rest/routes.ts"
import { limitsStrangers, type Settings } from "#server/settings/env.ts"
import { checkTls } from "#server/settings/tls.ts"
import { bindChain, type Chain } from "#server/solana/chain.ts"
import { WrongChain } from "#server/solana/rpc/errors.ts"
import { appRouter } from "#server/trpc/router.ts"
import type { LedgerReport } from "#shared/ledger-report.ts"
import { modes } from "#shared/mode.ts"
import { Housekeeping, type Report } from "./housekeeping.ts"
import { listen } from "./listen.ts"
import { createListener, type ListenerOptions } from "./listener.ts"
import { type MetricsOptions, type MetricsServer, serveMetrics } from "./metrics/serve.ts"
import { type PrepareOptions, prepare } from "./prepare.ts"

export type StartOptions = PrepareOptions & {
  pages: PageHandler
  /** Whether the start has ended and the end has not begun. */
  isUp?: () => boolean
}

export type Running = {
  origin: string
  port: number
  /** Null where metrics are not served. */
  metricsPort: number | null
  /** Shown to the operator at once: fee payers without SOL. */
  shortages: string[]
  /** Resolves when everything that its workers have begun, other than requests, has ended. */
  passesEnded(): Promise<void>
  stop(): Promise<void>
}

/** How long the start waits for its workers to report their state. */
const FIRST_REPORT_MS = 1000
/** How long a stopping server waits for operations that clients wait for. */
const LAST_WAIT_MS = 2000
/** Maximum connections to the form's webhook endpoint; it delivers 16 decisions at a time. */
const FORM_CONNECTIONS = 64
const WEBHOOKS = "/v1/kyc/webhook"
/** Maximum fee payers without SOL to report, for each mode. */
const MOST_LOW_PAYERS = 100
/** Pause before Vouch tries an unreachable chain again. */
const REBIND_MS = 2000

/** Starts serving. The function it returns stops everything, and loses nothing that was acknowledged. */
export async function start(options: StartOptions): Promise<Running> {
  const { settings } = options
  for (const warning of settingWarnings(settings, options.providers)) logger.warn(warning)
  parseNetworks("VOUCH_WEBHOOK_NETWORKS", settings.VOUCH_WEBHOOK_NETWORKS)
  checkTls(settings)
  const tracing = await startTracing(settings)
  await prepare(options)
  const lists = await ListWatch.start(settings)
  for (const warning of await durabilityWarnings()) logger.warn(warning)
  await connectPubsub(settings.DATABASE_DIRECT_URL ?? options.databaseUrl)
  const chains = modes.flatMap((mode) => deployment.chains[mode] ?? [])
  await sayWhenSlow("the chain to answer", Promise.all(chains.map(bindOrWait)))

  const rate = settings.VOUCH_RATE_LIMIT
  const isLimited = limitsStrangers(settings)
  const limiter = (perSecond: number, burst: number) => (isLimited ? new RateLimiter(perSecond, burst) : null)
  const requests = new RequestLog({ bytesPerDay: settings.VOUCH_REQUEST_LOG_MIB_PER_DAY * 1024 * 1024 })
  requests.start()
  const api = {
    table: new RouteTable(appRouter),
    documents: documents(),
    keyLimiter: rate > 0 ? new RateLimiter(rate, rate * 2) : null,
    wrongKeyLimiter: limiter(10, 100),
    webhookLimiter: limiter(100, 1000),
    openLimiter: limiter(50, 500),
    requests,
  }
  const http = {
    adapter: new Adapter(api),
    pages: options.pages,
    trustedProxies: parseNetworks("VOUCH_TRUSTED_PROXIES", settings.VOUCH_TRUSTED_PROXIES),
    publicOrigin: settings.VOUCH_PUBLIC_URL ?? null,
    securityContact: settings.VOUCH_SECURITY_CONTACT ?? null,
    anonymousLimiter: limiter(20, 200),
    pageLimiter: limiter(50, 500),
    assetLimiter: limiter(200, 2000),
    userLimiter: limiter(50, 500),
  }
  // Only this process can reach the form's webhook endpoint, so it needs no rate limit.
  const formHttp = { ...http, adapter: new Adapter({ ...api, webhookLimiter: null }), publicOrigin: null }
  const stops: (() => Promise<void>)[] = []
  const { VOUCH_TLS_CERT: cert, VOUCH_TLS_KEY: key } = settings
  const server = createHttpServer(createListener(http), cert && key ? { cert, key } : null)
  if (settings.VOUCH_ROLE !== "worker") {
    const max = connectionLimit()
    const connections = watchConnections(server, { max, trusted: http.trustedProxies })
    const host = deployment.isPublic ? undefined : "127.0.0.1"
    await listen(server, { port: settings.PORT, host, setting: "PORT" })
    logger.info({ connections: max }, "listening")
    stops.push(() => {
      const closed = connections.close()
      // Responses that stay open as long as their client wants.
      endWatches()
      // Requests that wait for the chain: their clients get the operation in its current state.
      const waits = setInterval(endWaits, LAST_WAIT_MS)
      return closed.finally(() => clearInterval(waits))
    })
  }
  const port = (server.address() as AddressInfo | null)?.port ?? settings.PORT
  let workers: Workers | null = null
  const metrics = await openMetrics(settings, {
    chains,
    ledgers: () => workers?.ledgers ?? [],
    isReady: async () => (options.isUp?.() ?? true) && (await readHealth()).checks.database === "ok",
  })
  if (settings.VOUCH_ROLE !== "web") workers = await startWorkers(chains, options, formHttp)
  stops.push(...(workers?.stops ?? []))
  return {
    origin: deployment.origin,
    port,
    metricsPort: metrics?.port ?? null,
    shortages: (workers?.ledgers ?? []).flatMap(({ chain, funds }) =>
      chain.embedded ? [] : funds.report("trouble").map((trouble) => `${chain.mode}: ${trouble}`),
    ),
    async passesEnded() {
      await Promise.all(workers?.passing.map((worker) => worker.passesEnded()) ?? [])
    },
    async stop() {
      // Stop the listener first, then the workers, then the services that both use.
      for (const stop of stops) await stop()
      await metrics?.close()
      await lists.stop()
      await requests.stop()
      await disconnectPubsub()
      await leaveDatabaseClock()
      await disconnectDatabase()
      await tracing?.close()
    },
  }
}

/** Loaded only if a collector is configured. */
async function startTracing(settings: Settings): Promise<{ close(): Promise<void> } | null> {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/$/, "")}/v1/traces`)
  if (url === undefined) return null
  const { openTracing } = await import("./tracing/otel.ts")
  const { tracer, close } = openTracing(settings, url)
  setTracer(tracer)
  return {
    async close() {
      setTracer(null)
      await close()
    },
  }
}

async function openMetrics(
  { VOUCH_METRICS_PORT: port, VOUCH_METRICS_HOST: host, VOUCH_ROLE: role }: Settings,
  of: Pick<MetricsOptions, "chains" | "ledgers" | "isReady">,
): Promise<MetricsServer | null> {
  if (port === undefined) return null
  const metrics = await serveMetrics({ port, host, role, ...of })
  logger.info({ host, port: metrics.port }, "serving metrics")
  return metrics
}

/** The wrong chain stops the start. An unreachable one is bound when it answers. */
async function bindOrWait(chain: Chain): Promise<void> {
  try {
    await bindChain(chain)
  } catch (error) {
    if (error instanceof WrongChain) throw error
    logger.warn({ err: error, mode: chain.mode }, "the chain does not respond yet")
    setTimeout(() => bindOrWait(chain).catch((wrong) => logger.error({ err: wrong }, "wrong chain")), REBIND_MS).unref()
  }
}

type Workers = Awaited<ReturnType<typeof startWorkers>>

async function startWorkers(chains: Chain[], { settings }: StartOptions, http: ListenerOptions) {
  const ledgers = chains.map(
    (chain) =>
      new LedgerWorker(chain, {
        kinds: operations,
        price: {
          floor: settings.VOUCH_PRIORITY_FEE_MICROLAMPORTS,
          ceiling: settings.VOUCH_PRIORITY_FEE_MAX_MICROLAMPORTS,
          percentile: settings.VOUCH_PRIORITY_FEE_PERCENTILE,
        },
        lowFunds: { lowBalanceSol: settings.VOUCH_LOW_BALANCE_SOL, lowBalanceHours: settings.VOUCH_LOW_BALANCE_HOURS },
        commitment: settings.VOUCH_COMMITMENT,
      }),
  )
  const housekeeping = new Housekeeping(() => reportOf(ledgers))
  // The hosted page's form reports over HTTP like any vendor, to its own listener: the public one may require HTTPS.
  const formListener = await openFormListener(http)
  const delivery = new FormDelivery(formListener.url)
  for (const ledger of ledgers) ledger.start()
  housekeeping.start()
  delivery.start()
  const webhooks = new WebhookWorker()
  webhooks.start()
  // Report as alive before the server is announced as ready.
  await Promise.race([Promise.all(ledgers.map((ledger) => ledger.known)), sleep(FIRST_REPORT_MS)])
  await housekeeping.beat().catch((error) => logger.warn({ err: error }, "could not write the first health report"))
  const stops: (() => Promise<void>)[] = [
    () => delivery.stop(),
    () => webhooks.stop(),
    () => Promise.all(ledgers.map((ledger) => ledger.stop())).then(() => {}),
    () => housekeeping.stop(),
    formListener.close,
  ]
  // These run by the clock.
  return { ledgers, passing: [housekeeping, delivery, webhooks], stops }
}

async function reportOf(workers: readonly LedgerWorker[]): Promise<Report> {
  const ledgers = await reportOn(workers)
  const lowPayers = workers.flatMap(({ funds }) => funds.low(MOST_LOW_PAYERS))
  return { trouble: troubleOf(workers, ledgers), ledgers, lowPayers }
}

function troubleOf(ledgers: readonly LedgerWorker[], reports: readonly LedgerReport[]): string | null {
  const doubt = clockDoubt()
  if (doubt !== null) return doubt
  for (const ledger of ledgers) {
    if (ledger.trouble !== null) return `${ledger.chain.mode}: ${ledger.trouble}`
  }
  for (const report of reports) {
    const trouble = troubleIn(report)
    if (trouble !== null) return `${report.mode}: ${trouble}`
  }
  for (const { chain } of ledgers) {
    const trouble = paymentMintTrouble(chain.mode)
    if (trouble !== null) return `${chain.mode}: ${trouble}`
  }
  const low = ledgers.find(({ funds }) => funds.report("warning").length > 0)
  return low ? `${low.chain.mode}: ${low.funds.report("warning").join("; ")}` : null
}

async function openFormListener(http: ListenerOptions) {
  const listener = createListener(http)
  const server = createHttpServer((request, response) => {
    if (request.url?.startsWith(`${WEBHOOKS}/`)) return listener(request, response)
    refuse(request, response, "route_not_found", "This endpoint only accepts webhooks of the hosted page's form.")
  }, null)
  const connections = watchConnections(server, { max: FORM_CONNECTIONS, trusted: null })
  await listen(server, { port: 0, host: "127.0.0.1", setting: "PORT" })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${WEBHOOKS}`, close: () => connections.close() }
}
