import { Command } from "commander"
import { version } from "#server/lib/version.ts"
import { addAccountCommands } from "./account.ts"
import { addAuditCommands, type RunAlone } from "./audit.ts"
import { addDataKeyCommands } from "./data-key.ts"
import { addKeyCommands } from "./key.ts"
import { addLedgerCommands } from "./ledger.ts"
import { addMigrateCommand, type RunOnDatabase } from "./migrate.ts"
import { addMintConfigCommands } from "./mint-config.ts"
import { addProviderCommands } from "./provider.ts"
import type { Run } from "./run.ts"
import { addSignerCommands } from "./signer.ts"
import { addTestCommands } from "./test-session.ts"
import { addUserCommands } from "./user.ts"
import { addWalletCommands } from "./wallet.ts"

/** Runs a command. `json` selects output for programs. */
type Runner = {
  run: (json: boolean, ...work: Parameters<Run>) => Promise<void>
  runWithDatabase: (json: boolean, work: Parameters<RunOnDatabase>[0]) => Promise<void>
  runAlone: (json: boolean, work: Parameters<RunAlone>[0]) => Promise<void>
}

/** The command line: every command with its arguments and options. */
export function vouchProgram({ run, runWithDatabase, runAlone }: Runner): Command {
  const program = new Command("vouch")
    .description("Manage a Vouch deployment. Works with or without a running server.")
    .version(version)
    .option("--json", "print JSON")
    .showHelpAfterError("(add --help to see the options)")
    .configureHelp({ showGlobalOptions: true })
  const wantsJson = () => program.opts<{ json?: boolean }>().json ?? false
  // In the order of --help.
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
    addTestCommands,
  ]
  for (const add of nouns) add(program, (...work) => run(wantsJson(), ...work))
  addAuditCommands(program, (work) => runAlone(wantsJson(), work))
  addMigrateCommand(program, (work) => runWithDatabase(wantsJson(), work))
  return program
}

/** The program and every command below it. */
export const allCommands = (program: Command): Command[] => [
  program,
  ...program.commands.flatMap((noun) => [noun, ...noun.commands]),
]
