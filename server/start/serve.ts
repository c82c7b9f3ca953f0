import { isDatabaseUnavailable } from "#db/client.ts"
import { deployment } from "#server/domain/deployment.ts"
import { firstStart } from "#server/domain/onboarding/first-start.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { refuseUnknownSettings } from "#server/domain/providers/setting-warnings.ts"
import { startServices } from "#server/embedded/services.ts"
import { logger } from "#server/lib/log.ts"
import { sayWhenSlow } from "#server/lib/slow.ts"
import { sleep } from "#server/lib/time.ts"
import { openPages } from "#server/pages/pages.ts"
import { originOf, parseSettings, SettingsError } from "#server/settings/env.ts"
import { loadSecrets } from "#server/settings/secrets.ts"
import { type Running, type StartOptions, start } from "./start.ts"
import { welcome } from "./welcome.ts"

// Embedded services first, then the database's schema, the port, the workers; the end goes the other way round.
const ending = new AbortController()

async function run(more: Pick<StartOptions, "keysOf" | "providers">): Promise<void> {
  const settings = parseSettings(process.env)
  refuseUnknownSettings(settings, more.providers)
  // Before anything is made: a public deployment brings its own.
  if (settings.VOUCH_PUBLIC_URL) chooseProviders(settings, loadSecrets(settings).generated, more.providers)
  const needsLocalnet = !(
    settings.SOLANA_RPC_URL ||
    (settings.VOUCH_LIVE_SOLANA_RPC_URL && settings.VOUCH_TEST_SOLANA_RPC_URL)
  )
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => ending.abort())

  const services = await startServices({
    dataDir: settings.VOUCH_DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    rpcUrl: needsLocalnet
      ? undefined
      : (settings.SOLANA_RPC_URL ?? settings.VOUCH_TEST_SOLANA_RPC_URL)?.join(" "),
    localnetPort: settings.VOUCH_LOCALNET_PORT,
    localnetSlotMs: settings.VOUCH_LOCALNET_SLOT_MS,
    localnetFaults: settings.VOUCH_LOCALNET_FAULTS,
    log: logger,
    purpose: "server",
    origin: originOf(settings),
  })
  let running: Running | undefined
  let isUp = false
  try {
    const localnetUrl = services.embedded.localnet ? services.rpcUrl : null
    const pages = openPages()
    process.on("uncaughtException", survive)
    running = await start({
      settings,
      databaseUrl: services.databaseUrl,
      localnetUrl,
      pages: pages.handle,
      isUp: () => isUp && !ending.signal.aborted,
      ending: ending.signal,
      ...more,
    })
    await sayWhenSlow("the pages to load", pages.ready()).catch((error) =>
      logger.error({ err: error }, "there are no pages; run npm run build"),
    )
    const first = await sayWhenSlow("the first account", patiently(firstStart, ending.signal))
    if (first && !ending.signal.aborted)
      welcome({ origin: deployment.origin, shortages: running.shortages, ...first })
    isUp = true
    await aborted(ending.signal)
    logger.info("stopping")
  } finally {
    await running?.stop()
    await services.stop()
  }
}

/**
 * What a library throws outside of every call, such as postgres.js when it writes to a connection that has just died,
 * ends no request but its own. What Vouch promises is in the database by then or was never promised.
 */
function survive(error: unknown): void {
  logger.error({ err: error }, "an error that nobody waited for")
}

/** Requests are answered by now: a database that is away for a moment ends them as little as it ends the start. */
async function patiently<T>(step: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await step()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      logger.warn({ err: error }, "the database is not available; the start waits for it")
      await sleep(500)
    }
  }
  return null
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })

/** Runs the whole server until a signal ends it, and with it the process. */
export async function serve(more: Pick<StartOptions, "keysOf" | "providers"> = {}): Promise<never> {
  try {
    await run(more)
    process.exit(0)
  } catch (error) {
    // A terminal's Ctrl-C reaches what was being started as well: that it failed then is what was asked for.
    if (ending.signal.aborted) process.exit(0)
    if (error instanceof SettingsError) console.error(error.message)
    else if (error instanceof Error) console.error(`Vouch cannot start: ${error.message}`)
    logger.debug({ err: error }, "the start failed")
    process.exit(1)
  }
}
