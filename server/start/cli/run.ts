import { DatabaseUnusable } from "#db/check.ts"
import { disconnectDatabase } from "#db/client.ts"
import { leaveDatabaseClock } from "#db/clock.ts"
import { EarlierDatabase, TablesInUse } from "#db/migrate.ts"
import { flush } from "#db/pubsub.ts"
import { AccountExists } from "#domain/onboarding"
import { runningServer, type Services, startServices } from "#server/embedded/services.ts"
import { logToStandardError } from "#server/lib/log.ts"
import { parseSettings, type Settings, SettingsError } from "#server/settings/env.ts"
import { SignerFailure } from "#server/solana/signers/definition.ts"
import { prepare } from "#server/start/prepare.ts"
import { Failure } from "#shared/errors.ts"

/** What a command prints: JSON for programs, text or a table for people. */
export type Output = { json: unknown; text?: string; table?: Record<string, string | number>[]; exitCode?: number }

/** Does a command's work on the deployment and returns what to print. */
export type Run = (work: () => Promise<Output>, options?: { needsChain?: boolean }) => Promise<void>

/** The command cannot be carried out. The message is for the person who ran it. */
export class CommandError extends Error {}

/** Errors whose message is enough. A `Failure` has the message of the API. */
const EXPECTED = [
  CommandError,
  SettingsError,
  SignerFailure,
  DatabaseUnusable,
  EarlierDatabase,
  TablesInUse,
  AccountExists,
  Failure,
]

const quiet = {
  info: () => {},
  warn: (...parts: unknown[]) => console.error(...parts),
  error: (...parts: unknown[]) => console.error(...parts),
}

/** Does a command's work with the services of the running server, or its own. Returns the exit code. */
export const withDeployment = (
  work: () => Promise<Output>,
  { needsChain, json }: { needsChain: boolean; json: boolean },
): Promise<number> =>
  withServices(
    async (services, settings) => {
      const localnetUrl = services.embedded.localnet ? services.rpcUrl : null
      const origin = settings.VOUCH_PUBLIC_URL ?? runningServer(settings.VOUCH_DATA_DIR)?.origin
      await prepare({ settings, databaseUrl: services.databaseUrl, localnetUrl, patient: true, origin })
      const output = await work()
      await flush()
      return output
    },
    { needsChain, json },
  )

/** The same for commands that need no secret, only the database's address, which is in the setting `setting`. */
export const withDatabase = (
  work: (url: string, setting: string) => Promise<Output>,
  { json }: { json: boolean },
): Promise<number> =>
  withServices(
    (services, { DATABASE_DIRECT_URL: direct }) =>
      work(direct ?? services.databaseUrl, direct ? "DATABASE_DIRECT_URL" : "DATABASE_URL"),
    { needsChain: false, json },
  )

async function withServices(
  work: (services: Services, settings: Settings) => Promise<Output>,
  { needsChain, json }: { needsChain: boolean; json: boolean },
): Promise<number> {
  logToStandardError()
  let services: Services | undefined
  try {
    return await printed(async () => {
      const settings = parseSettings(process.env)
      services = await startServices({
        dataDir: settings.VOUCH_DATA_DIR,
        databaseUrl: settings.DATABASE_URL,
        rpcUrl: settings.SOLANA_RPC_URL?.join(" "),
        localnetPort: settings.VOUCH_LOCALNET_PORT,
        localnetSlotMs: settings.VOUCH_LOCALNET_SLOT_MS,
        localnetFaults: settings.VOUCH_LOCALNET_FAULTS,
        log: quiet,
        purpose: "cli",
        needsChain,
      })
      return work(services, settings)
    }, json)
  } finally {
    await leaveDatabaseClock()
    await disconnectDatabase()
    await services?.stop()
  }
}

/** Does the work, prints its output or its error, and returns the exit code. */
export async function printed(work: () => Promise<Output>, json: boolean): Promise<number> {
  try {
    const output = await work()
    print(output, json)
    return output.exitCode ?? 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const expected = EXPECTED.some((kind) => error instanceof kind)
    if (json) console.log(JSON.stringify({ error: error.message }))
    else console.error(expected ? error.message : `Failed: ${error.message}`)
    return expected ? 2 : 3
  }
}

function print({ json, text, table }: Output, asJson: boolean): void {
  if (asJson) console.log(JSON.stringify(json))
  else if (table) printTable(table)
  else console.log(text)
}

function printTable(rows: Record<string, string | number>[]): void {
  if (rows.length === 0) {
    console.log("None yet.")
    return
  }
  const columns = Object.keys(rows[0]!)
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)))
  for (const line of cells)
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
}
