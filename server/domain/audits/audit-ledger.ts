import { background, sql } from "#db/client.ts"
import { auditQuota } from "#domain/accounts"
import { auditCredentials } from "#domain/attestations"
import { chainOf, deployment } from "#domain/deployment"
import { auditTokenCounters, auditTokens, readCounted } from "#domain/tokens"
import { auditOperations, emptyReport, type Report, serverRun } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
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

/** How often each workspace is compared with the chain, and how long a crashed worker keeps others from it. */
const EVERY_SECONDS = 3600
const CLAIM_SECONDS = 900
/** How often everything is compared, accounts included, and how long that may take. */
const FULL_EVERY_SECONDS = 24 * 3600
const FULL_CLAIM_SECONDS = 3600

/**
 * Compares the workspace that has waited longest, if its time has come: what has landed since the last time, and
 * everything once a day. After a difference, everything is compared until nothing differs. Only one worker at a time
 * compares a workspace. Returns whether it compared one.
 */
export async function auditDue(): Promise<boolean> {
  const modes = Object.keys(deployment.chains).filter((mode) => deployment.chains[mode as Mode] !== null)
  const [due] = await background<{ id: string; mode: Mode; is_full: boolean }[]>`
    with due as (
      select w.id, w.mode,
        coalesce(a.full_at, '-infinity') < now() - make_interval(secs => ${FULL_EVERY_SECONDS}) as is_full
      from workspaces w join chains c on c.mode = w.mode and c.server = ${serverRun(background)} left join audits a on a.workspace_id = w.id
      where w.mode = any(${modes}) and not exists (select from quarantines q where q.workspace_id = w.id)
        and exists (select from transactions t where t.workspace_id = w.id)
        and coalesce(a.at, '-infinity') < now() - make_interval(secs => ${EVERY_SECONDS})
        and coalesce(a.claimed_until, '-infinity') < now()
      order by a.at nulls first limit 1
    ), claimed as (
      insert into audits as a (workspace_id, claimed_until)
      select id, now() + make_interval(secs => case when is_full then ${FULL_CLAIM_SECONDS}::int else ${CLAIM_SECONDS}::int end)
      from due
      on conflict (workspace_id) do update set claimed_until = excluded.claimed_until
        where coalesce(a.claimed_until, '-infinity') < now() returning workspace_id
    )
    select due.id, due.mode, due.is_full from due join claimed on claimed.workspace_id = due.id`
  if (!due) return false
  try {
    const { differences } = await auditWorkspace(due, { isFull: due.is_full })
    if (differences.length > 0)
      logger.warn(
        { workspaceId: due.id, differences: differences.slice(0, 20), count: differences.length },
        "the chain and the database differ; run `vouch ledger audit` for details",
      )
  } catch (error) {
    logger.warn({ err: error, workspaceId: due.id }, "a workspace could not be compared with the chain; retrying later")
  }
  return true
}
