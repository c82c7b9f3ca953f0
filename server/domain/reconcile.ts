import { sql } from "#db/client.ts"
import { auditOperations } from "#server/ledger/reconciliation/operations.ts"
import { emptyReport, type Report } from "#server/ledger/reconciliation/report.ts"
import { bindChain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"
import { auditQuota } from "./accounts/reconcile-quota.ts"
import { auditCredentials } from "./attestations/reconcile.ts"
import { deployment } from "./deployment.ts"
import { auditTokens } from "./tokens/reconciliation.ts"

/**
 * Compares the chain with the database, workspace by workspace, and names every difference. It only reads. Work
 * that is under way is not a difference; audit a quiet deployment to compare everything.
 */
export async function auditLedger({
  account,
  progress,
}: {
  /** Name of one account, or null for all. */
  account: string | null
  progress: (text: string) => void
}): Promise<Report> {
  const report = emptyReport()
  const workspaces = await sql<{ id: string; mode: Mode; name: string }[]>`
    select w.id, w.mode, a.name from workspaces w join accounts a on a.id = w.account_id
    where (${account}::text is null or a.name = ${account})
    order by a.created_at, w.mode`
  if (account !== null && workspaces.length === 0) {
    throw new Error(`No account is named ${JSON.stringify(account)}.`)
  }
  for (const { id, mode, name } of workspaces) {
    const chain = deployment.chains[mode]
    if (!chain) {
      report.information.push(`${name} (${mode}): no chain is configured, so nothing was compared`)
      continue
    }
    await bindChain(chain)
    progress(`${name} (${mode})…`)
    const audited = { workspaceId: id, mode, chain, report }
    await auditOperations(audited)
    await auditCredentials(audited)
    await auditTokens(audited)
    await auditQuota(audited)
    report.checked.workspaces++
  }
  return report
}
