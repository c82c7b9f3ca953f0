import { background, type Queryable, sql as requests } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { endPending } from "./end.ts"
import { revokeCredential } from "./revoke-credential.ts"

/** Rows of a workspace that one sweep ends. */
const BATCH = 200

/**
 * Ends the pending attestations whose session closed undecided, of one workspace or of all, and gives their
 * units of quota back in one guarded update. They get no reason: a sweep must not show. Returns how many.
 */
export async function expireSessions({
  workspaceId,
  now,
}: {
  workspaceId: string | null
  now: Date
}): Promise<number> {
  // With a workspace: called by one of its requests. Without: the scheduled sweep of all.
  const sql: Queryable = workspaceId === null ? background : requests
  const rows = await sql<{ workspace_id: string; ended: number }[]>`
    with due as (
      select d.workspace_id, d.id from workspaces w cross join lateral (
        select a.workspace_id, a.id from attestations a
        where a.workspace_id = w.id and a.status = 'pending' and a.open_until <= ${now}
        limit ${BATCH} for update of a skip locked
      ) d
      where ${workspaceId}::text is null or w.id = ${workspaceId}
    ), ended as (
      update attestations a set status = 'expired', ended_at = ${now}
      from due where a.workspace_id = due.workspace_id and a.id = due.id and a.status = 'pending'
      returning a.workspace_id, a.period
    ), freed as (
      update usage_periods u set used = u.used - e.units
      from (select workspace_id, period, count(*)::int as units from ended group by 1, 2) e
      where u.workspace_id = e.workspace_id and u.period = e.period
    )
    select workspace_id, count(*)::int as ended from ended group by 1`
  for (const row of rows) publishActivity(row.workspace_id)
  return rows.reduce((sum, row) => sum + row.ended, 0)
}

/**
 * Ends the attestations whose validity is over, and has their credentials burnt. One that was approved and
 * never reached the chain ends with them. Returns how many.
 */
export async function expireAttestations({ now }: { now: Date }): Promise<number> {
  const ended = await background.begin(async (sql) => {
    const verified = await sql<{ workspace_id: string; id: string; schema_id: string; wallet: string }[]>`
      update attestations a set status = 'expired', ended_at = ${now}
      from workspaces w cross join lateral (
        select v.id from attestations v
        where v.workspace_id = w.id and v.status = 'verified' and v.expires_at <= ${now}
        order by v.id limit ${BATCH} for update of v skip locked
      ) due
      where a.workspace_id = w.id and a.id = due.id
      returning a.workspace_id, a.id, a.schema_id, a.wallet`
    // Each workspace's lease is locked on the way: in one order, so that two processes do not wait for each other.
    verified.sort((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1))
    for (const attestation of verified) await revokeCredential(sql, attestation)
    return verified
  })
  if (ended.length > 0) publish("ledger")
  for (const workspaceId of new Set(ended.map((one) => one.workspace_id))) publishActivity(workspaceId)
  return ended.length + (await expireApproved(now))
}

async function expireApproved(now: Date): Promise<number> {
  const due = await background<{ workspace_id: string; id: string }[]>`
    select d.workspace_id, d.id from workspaces w cross join lateral (
      select a.workspace_id, a.id from attestations a
      where a.workspace_id = w.id and a.status = 'pending' and a.expires_at <= ${now} limit ${BATCH}
    ) d`
  for (const { workspace_id, id } of due) {
    await endPending(background, {
      workspaceId: workspace_id,
      attestationId: id,
      status: "expired",
      reason: null,
      now,
    })
    publishActivity(workspace_id)
  }
  return due.length
}
