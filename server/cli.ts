import "./start/quiet-imports.ts"
import { Command } from "commander"
import { version } from "./lib/version.ts"
import { addAccountCommands } from "./start/cli/account.ts"
import { addDataKeyCommands } from "./start/cli/data-key.ts"
import { addKeyCommands } from "./start/cli/key.ts"
import { addLedgerCommands } from "./start/cli/ledger.ts"
import { addMigrateCommand } from "./start/cli/migrate.ts"
import { addMintConfigCommands } from "./start/cli/mint-config.ts"
import { addProviderCommands } from "./start/cli/provider.ts"
import { type Run, withDatabase, withDeployment } from "./start/cli/run.ts"
import { addSignerCommands } from "./start/cli/signer.ts"
import { addUserCommands } from "./start/cli/user.ts"
import { addWalletCommands } from "./start/cli/wallet.ts"

const program = new Command("vouch")
  .description("Manage a Vouch deployment. Works whether the server runs or not.")
  .version(version)
  .option("--json", "print JSON")
  .showHelpAfterError("(add --help to see the options)")
  .configureHelp({ showGlobalOptions: true })

const wantsJson = () => program.opts<{ json?: boolean }>().json ?? false
const run: Run = async (work, { needsChain = false } = {}) => {
  process.exitCode = await withDeployment(work, { needsChain, json: wantsJson() })
}

// In the order in which --help lists them.
const nouns = [
  addAccountCommands,
  addKeyCommands,
  addWalletCommands,
  addProviderCommands,
  addLedgerCommands,
  addSignerCommands,
  addDataKeyCommands,
  addUserCommands,
  addMintConfigCommands,
]
for (const add of nouns) add(program, run)
addMigrateCommand(program, async (work) => {
  process.exitCode = await withDatabase(work, { json: wantsJson() })
})

// 1 is of `ledger audit`, for a difference, and of `provider check`, for one that fails.
const USAGE = 2
for (const command of [program, ...program.commands.flatMap((noun) => [noun, ...noun.commands])]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE))
}
await program.parseAsync()
