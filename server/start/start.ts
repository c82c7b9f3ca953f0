import type { AddressInfo } from "node:net"
import { connectDatabase, disconnectDatabase } from "#db/client.ts"
import { clockDoubt, followDatabaseClock, leaveDatabaseClock } from "#db/clock.ts"
import { migrate } from "#db/migrate.ts"
import { connectPubsub, disconnectPubsub } from "#db/pubsub.ts"
import { endWatches } from "#server/dashboard/activity.ts"
import { deployment, setDeployment } from "#server/domain/deployment.ts"
import { FormDelivery } from "#server/domain/kyc/hosted-page/form-delivery.ts"
import { chooseProviders } from "#server/domain/kyc/providers/choose.ts"
import type { ProviderDefinition } from "#server/domain/kyc/providers/provider.ts"
import { requireChosenSchemas } from "#server/domain/kyc/schemas/chosen.ts"
import { operations } from "#server/domain/operations.ts"
import { parseTrustedProxies } from "#server/http/client.ts"
import { connectionLimit, watchConnections } from "#server/http/connections.ts"
import { refuse } from "#server/http/reply.ts"
import { createHttpServer } from "#server/http/server.ts"
import { endWaits } from "#server/ledger/wait.ts"
import { LedgerWorker } from "#server/ledger/worker.ts"
import { logger } from "#server/lib/log.ts"
import { RateLimiter } from "#server/lib/rate-limit.ts"
import { sayWhenSlow } from "#server/lib/slow.ts"
import { sleep } from "#server/lib/time.ts"
import type { PageHandler } from "#server/pages/pages.ts"
import { Adapter } from "#server/rest/adapter.ts"
import { documents } from "#server/rest/openapi.ts"
import { RequestLog } from "#server/rest/request-log/record.ts"
import { RouteTable } from "#server/rest/routes.ts"
import { limitsStrangers, originOf, type Settings } from "#server/settings/env.ts"
import { loadSecrets } from "#server/settings/secrets.ts"
import { bindChain, type Chain, openChain, WrongChain } from "#server/solana/chain.ts"
import { type Keys, localKeys } from "#server/solana/keys.ts"
import { appRouter } from "#server/trpc/router.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { Housekeeping } from "./housekeeping.ts"
import { createListener, type ListenerOptions } from "./listener.ts"

export type StartOptions = {
  settings: Settings
  databaseUrl: string
  /** JSON-RPC of the embedded local network, where one runs. */
  localnetUrl: string | null
  pages: PageHandler
  /** What signs: the keys that derive from the secret, unless others are given. */
  keysOf?: (secret: Uint8Array) => Keys
  /** The KYC providers that the settings choose from; tests add doubles of vendors. */
  providers?: readonly ProviderDefinition[]
}

export type Running = {
  origin: string
  port: number
  stop(): Promise<void>
}

/** A cluster's slot, in milliseconds. */
const CLUSTER_SLOT_MS = 400
/** How long the start waits for its workers to know how they are. */
const FIRST_REPORT_MS = 1000
/** How long operations that are waited for have left to end once the server stops. */
const LAST_WAIT_MS = 2000
/** Maximum connections to the form's webhook endpoint; it delivers 16 decisions at a time. */
const DOOR_CONNECTIONS = 64
const WEBHOOKS = "/v1/kyc/webhook"
/** Pause before a chain that did not answer is asked again. */
const REBIND_MS = 2000

/**
 * Prepares what the domain needs from the settings, and connects the database, for the server and the command line.
 * A command is `patient`: it waits for the database. Its links lead to the `origin` of the running server.
 */
export async function prepare({
  settings,
  databaseUrl,
  localnetUrl,
  keysOf = localKeys,
  providers: table,
  patient = false,
  origin = originOf(settings),
}: Omit<StartOptions, "pages"> & { patient?: boolean; origin?: string | undefined }): Promise<void> {
  const secrets = loadSecrets(settings)
  const keys = keysOf(secrets.signer)
  const providers = chooseProviders(settings, secrets.generated, table)
  connectDatabase(databaseUrl, {
    max: settings.VOUCH_DATABASE_POOL,
    pooled: settings.DATABASE_DIRECT_URL !== undefined,
    patient,
  })
  await sayWhenSlow("the database and its migrations", migrate(settings.DATABASE_DIRECT_URL ?? databaseUrl))
  await followDatabaseClock(databaseUrl)
  await requireChosenSchemas(providers)
  const isPublic = settings.VOUCH_PUBLIC_URL !== undefined
  setDeployment({
    settings,
    origin,
    isPublic,
    keys,
    dataKey: secrets.dataKey,
    chains: forEachMode((mode) => chainFor(mode, settings, { keys, localnetUrl })),
    providers,
  })
}

const forEachMode = <T>(value: (mode: Mode) => T): Record<Mode, T> => ({
  live: value("live"),
  test: value("test"),
})

/**
 * The chain of a mode: the configured one, else the local network, but never that for live cases of a public
 * deployment.
 */
function chainFor(
  mode: Mode,
  settings: Settings,
  { keys, localnetUrl }: { keys: Keys; localnetUrl: string | null },
): Chain | null {
  const own = mode === "live" ? settings.VOUCH_LIVE_SOLANA_RPC_URL : settings.VOUCH_TEST_SOLANA_RPC_URL
  const configured = own ?? settings.SOLANA_RPC_URL
  if (configured)
    return openChain({ mode, rpcUrl: configured, keys, embedded: false, slotMs: CLUSTER_SLOT_MS })
  if (localnetUrl === null || (mode === "live" && settings.VOUCH_PUBLIC_URL)) return null
  return openChain({
    mode,
    rpcUrl: localnetUrl,
    keys,
    embedded: true,
    slotMs: settings.VOUCH_LOCALNET_SLOT_MS,
  })
}

/** Starts serving. What it returns stops everything again, and loses nothing that was acknowledged. */
export async function start(options: StartOptions): Promise<Running> {
  const { settings } = options
  await prepare(options)
  await connectPubsub(settings.DATABASE_DIRECT_URL ?? options.databaseUrl)
  const chains = modes.flatMap((mode) => deployment.chains[mode] ?? [])
  await sayWhenSlow("the chain to answer", Promise.all(chains.map(bindOrWait)))

  const rate = settings.VOUCH_RATE_LIMIT
  const isLimited = limitsStrangers(settings)
  const limiter = (perSecond: number, burst: number) => (isLimited ? new RateLimiter(perSecond, burst) : null)
  const requests = new RequestLog()
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
    trustedProxies: parseTrustedProxies(settings.VOUCH_TRUSTED_PROXIES),
    publicOrigin: settings.VOUCH_PUBLIC_URL ?? null,
    securityContact: settings.VOUCH_SECURITY_CONTACT ?? null,
    strangerLimiter: limiter(20, 200),
    pageLimiter: limiter(50, 500),
    assetLimiter: limiter(200, 2000),
    userLimiter: limiter(50, 500),
  }
  // Only this process can reach the form's webhook endpoint, so it needs no rate limit.
  const door = { ...http, adapter: new Adapter({ ...api, webhookLimiter: null }), publicOrigin: null }
  const stops: (() => Promise<void>)[] = []
  const { VOUCH_TLS_CERT: cert, VOUCH_TLS_KEY: key } = settings
  const server = createHttpServer(createListener(http), cert && key ? { cert, key } : null)
  if (settings.VOUCH_ROLE !== "worker") {
    const max = connectionLimit()
    const connections = watchConnections(server, { max, trusted: http.trustedProxies })
    await listen(server, settings.PORT, deployment.isPublic ? undefined : "127.0.0.1")
    logger.info({ connections: max }, "listening")
    stops.push(() => {
      const closed = connections.close()
      // Responses that last as long as their client wants.
      endWatches()
      // Requests that wait for the chain: their clients get the operation so far.
      const waits = setInterval(endWaits, LAST_WAIT_MS)
      return closed.finally(() => clearInterval(waits))
    })
  }
  const port = (server.address() as AddressInfo | null)?.port ?? settings.PORT
  if (settings.VOUCH_ROLE !== "web") stops.push(...(await startWorkers(chains, settings, door)))
  return {
    origin: deployment.origin,
    port,
    async stop() {
      // Stop the listener first, then the workers, then the services that both use.
      for (const stop of stops) await stop()
      await requests.stop()
      await disconnectPubsub()
      await leaveDatabaseClock()
      await disconnectDatabase()
    },
  }
}

/** A chain that is the wrong one stops the start; one that does not answer now is bound when it does. */
async function bindOrWait(chain: Chain): Promise<void> {
  try {
    await bindChain(chain)
  } catch (error) {
    if (error instanceof WrongChain) throw error
    logger.warn({ err: error, mode: chain.mode }, "the chain does not respond yet")
    setTimeout(
      () => bindOrWait(chain).catch((wrong) => logger.error({ err: wrong }, "wrong chain")),
      REBIND_MS,
    ).unref()
  }
}

async function startWorkers(
  chains: Chain[],
  settings: Settings,
  http: ListenerOptions,
): Promise<(() => Promise<void>)[]> {
  const ledgers = chains.map(
    (chain) =>
      new LedgerWorker(chain, {
        kinds: operations,
        priorityFeeMicroLamports: settings.VOUCH_PRIORITY_FEE_MICROLAMPORTS,
        lowBalanceSol: settings.VOUCH_LOW_BALANCE_SOL,
      }),
  )
  const housekeeping = new Housekeeping(() => troubleOf(ledgers))
  // The hosted page's form reports over HTTP like any vendor, to its own listener: the public one may require HTTPS.
  const door = await openWebhookDoor(http)
  const delivery = new FormDelivery(door.url)
  for (const ledger of ledgers) ledger.start()
  housekeeping.start()
  delivery.start()
  // Report as alive before the server is announced as ready.
  await Promise.race([Promise.all(ledgers.map((ledger) => ledger.known)), sleep(FIRST_REPORT_MS)])
  await housekeeping
    .beat()
    .catch((error) => logger.warn({ err: error }, "could not write the first health report"))
  return [
    () => delivery.stop(),
    () => Promise.all(ledgers.map((ledger) => ledger.stop())).then(() => {}),
    () => housekeeping.stop(),
    door.close,
  ]
}

function troubleOf(ledgers: readonly LedgerWorker[]): string | null {
  const doubt = clockDoubt()
  if (doubt !== null) return doubt
  for (const ledger of ledgers) {
    if (ledger.trouble !== null) return `${ledger.chain.mode}: ${ledger.trouble}`
  }
  const low = ledgers.find((ledger) => ledger.isLow)
  return low ? `${low.chain.mode}: the fee payer is low on SOL (${low.balanceSol})` : null
}

async function openWebhookDoor(http: ListenerOptions) {
  const listener = createListener(http)
  const server = createHttpServer((request, response) => {
    if (request.url?.startsWith(`${WEBHOOKS}/`)) return listener(request, response)
    refuse(
      request,
      response,
      "route_not_found",
      "This endpoint only accepts webhooks of the hosted page's form.",
    )
  }, null)
  const connections = watchConnections(server, { max: DOOR_CONNECTIONS, trusted: null })
  await listen(server, 0, "127.0.0.1")
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${WEBHOOKS}`, close: () => connections.close() }
}

type Listening = ReturnType<typeof createHttpServer>

const listen = (server: Listening, port: number, host: string | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explainListen(error, port)))
    server.listen({ port, ...(host ? { host } : {}) }, () => {
      server.removeAllListeners("error")
      resolve()
    })
  })

function explainListen(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(`Port ${port} is in use. Stop the other program, or set PORT to a free port.`)
  }
  if (error.code === "EACCES") {
    return new Error(`This user may not open port ${port}. Set PORT to a port above 1023.`)
  }
  return error
}
