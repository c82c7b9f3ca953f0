import { sql } from "#db/client.ts"
import { auditQuota } from "#domain/accounts"
import { auditCredentials } from "#domain/attestations"
import { chainOf, deployment } from "#domain/deployment"
import { auditTokenCounters, auditTokens, readCounted } from "#domain/tokens"
import { auditOperations, emptyReport, type Report } from "#server/ledger/index.ts"
import { bindChain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"

/**
 * Compares the chain with the database, workspace by workspace, and reports every difference. Work in progress is not a
 * difference, and a quiet deployment is compared completely. An audit that is not full checks only what has landed
 * since the last one, and skips accounts.
 */
export async function auditLedger({
  account,
  isFull = true,
  progress,
}: {
  /** The name of one account, or null for all. */
  account: string | null
  isFull?: boolean
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
    if (!deployment.chains[mode]) {
      report.information.push(`${name} (${mode}): this mode has no chain, so nothing was compared`)
      continue
    }
    progress(`${name} (${mode})…`)
    const own = await auditWorkspace({ id, mode }, { isFull })
    report.differences.push(...own.differences)
    report.information.push(...own.information)
    for (const what of Object.keys(report.checked) as (keyof Report["checked"])[])
      report.checked[what] += own.checked[what]
  }
  return report
}

/** Compares one workspace and stores the result. The next audit begins where this one ended. */
export async function auditWorkspace(
  { id: workspaceId, mode }: { id: string; mode: Mode },
  { isFull }: { isFull: boolean },
): Promise<Report> {
  const chain = chainOf(mode)
  await bindChain(chain)
  const report = emptyReport()
  const audited = { workspaceId, mode, chain, report }
  const [known] = await sql<{ slot: bigint | null }[]>`select slot from audits where workspace_id = ${workspaceId}`
  const from = isFull || known?.slot == null ? null : Number(known.slot)
  const slot = await auditOperations(audited, from)
  if (isFull) {
    await auditCredentials(audited)
    await auditTokens(audited)
  } else await auditTokenCounters(audited, [...(await readCounted(workspaceId)).values()])
  await auditQuota(audited)
  report.checked.workspaces++
  const count = report.differences.length
  // If the last audit found something, check its range again, or everything if it checked everything.
  const isClean = count === 0
  await sql`
    insert into audits as a (workspace_id, slot, at, differences, full_at)
    values (${workspaceId}, ${isClean ? slot : from}, now(), ${count}, case when ${isFull && isClean} then now() end)
    on conflict (workspace_id) do update set slot = excluded.slot, at = excluded.at, differences = excluded.differences,
      full_at = case when ${isFull} then excluded.full_at else a.full_at end, claimed_until = null`
  return report
}
