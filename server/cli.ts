import "./start/quiet-imports.ts"
import { allCommands, vouchProgram } from "./start/cli/program.ts"
import { withDatabase, withDeployment } from "./start/cli/run.ts"

const program = vouchProgram({
  run: async (json, work, { needsChain = false } = {}) => {
    process.exitCode = await withDeployment(work, { needsChain, json })
  },
  runWithDatabase: async (json, work) => {
    process.exitCode = await withDatabase(work, { json })
  },
})

// 1 is of `ledger audit`, for a difference, and of `provider check`, for one that fails.
const USAGE = 2
for (const command of allCommands(program)) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE))
}
await program.parseAsync()
