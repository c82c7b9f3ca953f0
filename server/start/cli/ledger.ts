import type { Command } from "commander"
import { auditLedger } from "#server/domain/reconcile.ts"
import { nonEmpty } from "./arguments.ts"
import type { Run } from "./run.ts"

/** `vouch ledger …`: the chain and the database, compared. */
export function addLedgerCommands(program: Command, run: Run): void {
  const ledger = program.command("ledger").description("compare the chain with the database")

  ledger
    .command("audit")
    .description("compare the chain with the database; exits 1 if they differ")
    .option("--account <name>", "only one customer", nonEmpty)
    .action((options: { account?: string }) =>
      run(
        async () => {
          const report = await auditLedger({
            account: options.account ?? null,
            progress: (text) => console.error(text),
          })
          const { differences, information, checked } = report
          const lines = differences.map((one) => `${one.kind}: ${one.detail}`)
          const summary = `${checked.credentials} credentials, ${checked.holdings} holdings, ${checked.operations} operations and ${checked.transactions} transactions compared: ${differences.length === 0 ? "no difference." : `${differences.length} differences.`}`
          return {
            json: { ok: differences.length === 0, checked, differences, information },
            text: [...lines, ...information.map((one) => `note: ${one}`), summary].join("\n"),
            exitCode: differences.length === 0 ? 0 : 1,
          }
        },
        { needsChain: true },
      ),
    )
}
