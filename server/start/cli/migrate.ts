import type { Command } from "commander"
import { checkSession } from "#db/check.ts"
import { isDatabaseUnavailable } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { sleep } from "#server/lib/time.ts"
import { parseDuration } from "./arguments.ts"
import { CommandError, type Output } from "./run.ts"

/** Like `Run`, with only the address of the database. */
export type RunOnDatabase = (work: (url: string, setting: string) => Promise<Output>) => Promise<void>

const PAUSE_MS = 1000

/** `vouch migrate`: migrates the database, as a server does when it starts. For deployments that migrate first. */
export function addMigrateCommand(program: Command, run: RunOnDatabase): void {
  program
    .command("migrate")
    .description("migrate the database to this version; a server also does this when it starts")
    .option("--wait <duration>", "how long to wait for a database that does not respond", parseDuration, 0)
    .action(({ wait }: { wait: number }) =>
      run(async (url, setting) => {
        const migrated = await patiently(async () => {
          await checkSession(url, setting)
          return migrate(url)
        }, wait)
        const { applied, functions, total } = migrated
        const isNew = applied + functions > 0
        const found = isNew ? `is up to date: ${applied} applied, ${functions} function files` : "was up to date"
        return { json: migrated, text: `The database ${found} (${total} migrations).` }
      }),
    )
}

async function patiently<T>(step: () => Promise<T>, seconds: number): Promise<T> {
  const until = performance.now() + seconds * 1000
  for (let said = false; ; said = true) {
    try {
      return await step()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      if (performance.now() >= until)
        throw new CommandError(
          `The database does not respond. ${(error as Error).message}. To wait for it, add --wait 60s.`,
        )
      if (!said) console.error(`Waiting up to ${seconds} s for the database`)
      await sleep(PAUSE_MS)
    }
  }
}
