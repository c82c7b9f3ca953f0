import { background as sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { auditWorkspace } from "#server/domain/audits/audit-ledger.ts"
import { serverRun } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import type { Mode } from "#shared/mode.ts"

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
  const [due] = await sql<{ id: string; mode: Mode; is_full: boolean }[]>`
    with due as (
      select w.id, w.mode,
        coalesce(a.full_at, '-infinity') < now() - make_interval(secs => ${FULL_EVERY_SECONDS}) as is_full
      from workspaces w join chains c on c.mode = w.mode and c.server = ${serverRun(sql)} left join audits a on a.workspace_id = w.id
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
