import { CommanderError } from "commander"
import { allCommands, vouchProgram } from "./program.ts"
import { printed, withDatabase, withDeployment } from "./run.ts"

// 1 means that `ledger audit` found a difference, that `audit verify` did, or that a check of `provider check` failed.
const USAGE = 2

/** Where commands do their work. */
type Place = { withDeployment: typeof withDeployment; withDatabase: typeof withDatabase }

/** Runs a command, by default on the deployment of the environment. Returns the exit code. */
export async function runCommand(args: string[], place: Place = { withDeployment, withDatabase }): Promise<number> {
  let exitCode = 0
  const program = vouchProgram({
    run: async (json, work, { needsChain = false } = {}) => {
      exitCode = await place.withDeployment(work, { needsChain, json })
    },
    runWithDatabase: async (json, work) => {
      exitCode = await place.withDatabase(work, { json })
    },
    runAlone: async (json, work) => {
      exitCode = await printed(work, json)
    },
  })
  for (const command of allCommands(program)) command.exitOverride()
  try {
    await program.parseAsync(args, { from: "user" })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : USAGE
  }
}
