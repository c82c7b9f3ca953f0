import { once } from "node:events"
import { isDatabaseUnavailable } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { firstStart } from "#domain/onboarding"
import { chooseProviders, refuseUnknownSettings } from "#domain/providers"
import { startServices } from "#server/embedded/services.ts"
import { logger } from "#server/lib/log.ts"
import { sayWhenSlow } from "#server/lib/say-when-slow.ts"
import { sleep } from "#server/lib/time.ts"
import { openPages } from "#server/pages/pages.ts"
import { originOf, parseSettings, SettingsError } from "#server/settings/env.ts"
import { loadSecrets } from "#server/settings/secrets.ts"
import { type Running, type StartOptions, start } from "./start.ts"
import { welcome } from "./welcome.ts"

// Starts embedded services, then the database's schema, the port and the workers, and stops them in reverse order.
const ending = new AbortController()

async function run(more: Pick<StartOptions, "keysOf" | "providers">): Promise<void> {
  const settings = parseSettings(process.env)
  refuseUnknownSettings(settings, more.providers)
  // Checked before anything is created: a public deployment brings its own services.
  if (settings.VOUCH_PUBLIC_URL) chooseProviders(settings, loadSecrets(settings).generated, more.providers)
  const needsLocalnet = !(
    settings.SOLANA_RPC_URL ||
    (settings.VOUCH_LIVE_SOLANA_RPC_URL && settings.VOUCH_TEST_SOLANA_RPC_URL)
  )
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => ending.abort())

  const services = await startServices({
    dataDir: settings.VOUCH_DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    rpcUrl: needsLocalnet ? undefined : (settings.SOLANA_RPC_URL ?? settings.VOUCH_TEST_SOLANA_RPC_URL)?.join(" "),
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
      logger.error({ err: error }, "the pages are missing; run npm run build"),
    )
    const first = await sayWhenSlow("the first account", patiently(firstStart, ending.signal))
    if (first && !ending.signal.aborted) welcome({ origin: deployment.origin, shortages: running.shortages, ...first })
    isUp = true
    if (!ending.signal.aborted) await once(ending.signal, "abort")
    logger.info("stopping")
  } finally {
    await running?.stop()
    await services.stop()
  }
}

/**
 * A library may throw outside of every call, for example postgres.js when it writes to a connection that has just died.
 * That fails only its own request. Whatever Vouch has promised is already in the database.
 */
function survive(error: unknown): void {
  logger.error({ err: error }, "unhandled error")
}

/** The server already answers requests here, so a brief outage of the database does not stop the start. */
async function patiently<T>(step: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await step()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      logger.warn({ err: error }, "the database is not available; waiting for it")
      await sleep(500)
    }
  }
  return null
}

/** Runs the server until a signal ends it, then ends the process. */
export async function serve(more: Pick<StartOptions, "keysOf" | "providers"> = {}): Promise<never> {
  try {
    await run(more)
    process.exit(0)
  } catch (error) {
    // Ctrl-C in a terminal also reaches the services that are starting. Their failure is then expected.
    if (ending.signal.aborted) process.exit(0)
    if (error instanceof SettingsError) console.error(error.message)
    else if (error instanceof Error) console.error(`Vouch cannot start: ${error.message}`)
    logger.debug({ err: error }, "the start failed")
    process.exit(1)
  }
}
