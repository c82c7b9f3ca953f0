import type { Command } from "commander"
import { auditLedger } from "#domain/audits"
import { deployment } from "#domain/deployment"
import * as operations from "#domain/operations"
import { modes } from "#shared/mode.ts"
import { nonEmpty } from "./arguments.ts"
import { CommandError, type Run } from "./run.ts"

/** `vouch ledger …`: compares the chain with the database. */
export function addLedgerCommands(program: Command, run: Run): void {
  const onChain = (work: Parameters<Run>[0]) => run(work, { needsChain: true })
  const ledger = program.command("ledger").description("compare the chain with the database")

  ledger
    .command("audit")
    .description("compare the chain with the database; exits 1 if they differ")
    .option("--account <name>", "only one account", nonEmpty)
    .option(
      "--incremental",
      "compare only transactions since the last reconciliation, not accounts; the server does this every hour",
    )
    .action((options: { account?: string; incremental?: true }) =>
      onChain(async () => {
        const report = await auditLedger({
          account: options.account ?? null,
          isFull: options.incremental !== true,
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
      }),
    )

  ledger
    .command("reconcile")
    .description(
      "compare a restored database with the chain, and show why signing is stopped; exits 1 until this is resolved",
    )
    .option("--accept", "resume signing: destroy credentials without a verification, and leave the rest unchanged")
    .option("--reason <text>", "why this is right; recorded in the audit log", nonEmpty)
    .action(({ accept, reason }: { accept?: true; reason?: string }) =>
      onChain(async () => {
        if (accept && !reason) throw new CommandError("--reason: say why. The reason is recorded in the audit log.")
        const found: operations.Quarantine[] = []
        for (const mode of modes)
          if (deployment.chains[mode]) found.push(await operations.reconcileMode(mode, (text) => console.error(text)))
        const waiting = found.filter((one) => one.waits_for !== null || one.workspaces.length > 0)
        if (accept) for (const one of waiting) await operations.acceptQuarantine(one, reason!)
        return showQuarantine(waiting, accept === true)
      }),
    )

  ledger
    .command("resolve")
    .description("show what is known about an operation that may have landed, and decide it if no node can")
    .argument("<operation>", "its id", nonEmpty)
    .option("--landed", "the transaction is on chain: you have seen it there")
    .option("--lost", "the transaction is not on chain and never will be: sign it again")
    .option("--reason <text>", "how you know; recorded in the audit log", nonEmpty)
    .action((id: string, { landed, lost, reason }: { landed?: true; lost?: true; reason?: string }) =>
      onChain(async () => {
        if (!landed && !lost) return showEvidence(await operations.gatherEvidence(id))
        if (landed && lost) throw new CommandError("--landed, --lost: use one of them, not both.")
        if (!reason) throw new CommandError("--reason: say how you know. The reason is recorded in the audit log.")
        const refusal = await operations.resolveOperation(id, landed ? "landed" : "lost", reason)
        if (refusal !== null) throw new CommandError(refusal)
        return {
          json: { ok: true },
          text: landed
            ? "Settled as landed, with every operation of its transaction."
            : "Back in the queue to be signed again, with every operation of its transaction.",
        }
      }),
    )
}

function showQuarantine(waiting: readonly operations.Quarantine[], isAccepted: boolean) {
  const lines = waiting.flatMap(({ mode, waits_for, workspaces }) => [
    ...(waits_for === null ? [] : [`${mode}: ${waits_for}`]),
    ...workspaces.flatMap(({ workspace, since, differences }) => [
      `${workspace} (${mode}), in quarantine since ${since}:`,
      ...differences.map(
        ({ id, instruction, wallet, signature, detail }) =>
          `  ${id}: ${instruction}${wallet === null ? "" : ` for ${wallet}`} by ${signature}: ${detail}`,
      ),
    ]),
  ])
  const left = isAccepted ? [] : waiting
  const end =
    waiting.length === 0
      ? "The database has a record of everything that has landed."
      : isAccepted
        ? "Accepted. Signing has resumed."
        : "Check each of these. To resume signing, run this again with --accept and --reason."
  return {
    json: { ok: left.length === 0, accepted: isAccepted, quarantines: waiting },
    text: [...lines, end].join("\n"),
    exitCode: left.length === 0 ? 0 : 1,
  }
}

function showEvidence(evidence: operations.Evidence) {
  const { operation, kind, status, workspace, mode, transaction, chain } = evidence
  const lines = [`${operation}: ${kind}, ${status}, of ${workspace} (${mode})`]
  if (transaction) {
    const { signature, signed_at, signed_slot, last_valid_block_height, doubt, operations } = transaction
    lines.push(
      `transaction ${signature}: ${transaction.status}`,
      `signed ${signed_at}${signed_slot === null ? "" : `, as of slot ${signed_slot}`}, valid until block height ${last_valid_block_height}`,
    )
    if (operations.length > 1) lines.push(`it carries ${operations.join(", ")}: your decision applies to all of them`)
    if (doubt !== null) lines.push(`doubt: ${doubt}`)
  }
  if (chain) {
    lines.push(`the chain is finalized up to block height ${chain.finalized_height}, slot ${chain.finalized_slot}`)
    lines.push(whatNodesSay(chain))
  }
  return { json: evidence, text: lines.join("\n") }
}

function whatNodesSay({ can_still_land, verdict }: NonNullable<operations.Evidence["chain"]>): string {
  if (can_still_land) return "It can still land. There is nothing to decide yet."
  if (verdict?.end === "expired") return "It never landed. The server signs it again by itself."
  if (verdict?.end === "doubt")
    return `No node can say whether it landed: ${verdict.reason}. Look for it in an explorer, then decide with --landed or --lost.`
  return `It ${verdict?.end === "failed" ? "failed" : "landed"} in slot ${verdict?.slot}. The server settles it by itself.`
}
