import { background, isDatabaseUnavailable, isLocked, type Queryable, sql as requests } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { closeVendorReviews } from "#domain/reviews"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { askBeforeClosing, isClosing, isUnasked } from "./ask-before-closing.ts"
import { endPending, revokeCredential } from "./end.ts"

/** The most rows of a workspace that one batch of a sweep ends. */
const BATCH = 200
/** The same for rows that each need their own statements. */
const SMALL_BATCH = 50
/** How long a sweep waits for a lock. It runs again in a second, and other work waits behind it. */
const LOCK_MS = 500

/** Workspaces in which a batch failed. They are paused for a while and do not delay others. */
const troubled = new Backoff({ firstMs: 1000, longestMs: 60_000 })

/**
 * Ends everything that has expired, one workspace and one batch at a time, until nothing is left. A problem in one
 * workspace, such as a locked row, delays only that workspace and is logged when it starts.
 */
export async function expireDue(now: Date): Promise<void> {
  for (const step of steps) while ((await sweepEach(step, now)) > 0);
}

type Step = {
  name: string
  /** Whether attestation `a` has to end. */
  isDue: (now: Date) => ReturnType<typeof background>
  /** Ends a batch of a workspace's attestations in one transaction. Returns how many. */
  end: (sql: Queryable, workspaceId: string, now: Date) => Promise<number>
}

const steps: readonly Step[] = [
  {
    name: "last questions",
    isDue: (now) => background`a.status = 'pending' and ${isUnasked(background)} and ${isClosing(background, now)}`,
    end: askBeforeClosing,
  },
  {
    name: "sessions",
    isDue: (now) => background`a.status = 'pending' and a.open_until <= ${now} and not ${isUnasked(background)}`,
    end: endSessions,
  },
  {
    name: "attestations",
    isDue: (now) => background`a.status = 'verified' and a.expires_at <= ${now}`,
    end: endVerified,
  },
  {
    name: "approvals",
    isDue: (now) => background`a.status = 'pending' and a.expires_at <= ${now}`,
    end: endApproved,
  },
]

async function sweepEach({ name, isDue, end }: Step, now: Date): Promise<number> {
  const due = await background<{ id: string }[]>`
    select w.id from workspaces w cross join lateral (
      select from attestations a where a.workspace_id = w.id and ${isDue(now)} limit 1
    ) due`
  let ended = 0
  for (const { id } of due) {
    const trouble = `${name} ${id}`
    if (troubled.isHeld(trouble)) continue
    try {
      const count = await background.begin(async (sql) => {
        await sql.unsafe(`set local lock_timeout = ${LOCK_MS}`)
        return end(sql, id, now)
      })
      if (count > 0) publishActivity(id)
      ended += count
      troubled.succeeded(trouble)
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isLocked(error)) throw error
      troubled.failed(trouble)
      if (troubled.times(trouble) === 1)
        logger.warn({ err: error, workspaceId: id }, `expired ${name} cannot be ended; retrying later`)
    }
  }
  if (ended > 0) publish("ledger")
  return ended
}

/**
 * Ends a workspace's pending attestations whose session closed undecided, for one of its requests. A session whose
 * vendor has not been asked yet stays open for the answer. Returns how many were changed.
 */
export async function expireSessions({ workspaceId, now }: { workspaceId: string; now: Date }): Promise<number> {
  const ended = await requests.begin(
    async (sql) => (await askBeforeClosing(sql, workspaceId, now)) + (await endSessions(sql, workspaceId, now)),
  )
  if (ended > 0) publishActivity(workspaceId)
  return ended
}

/**
 * Ends a batch of the workspace's sessions whose time is over. The same guarded update releases their units of quota
 * and drops held approvals. They get no reason: readers see an expired session without one, whether or not the sweep
 * has run.
 */
async function endSessions(sql: Queryable, workspaceId: string, now: Date): Promise<number> {
  const rows = await sql<{ id: string }[]>`
    with due as (
      select id from attestations a
      where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now} and not ${isUnasked(sql)}
      limit ${BATCH} for update skip locked
    ), ended as (
      update attestations a set status = 'expired', ended_at = ${now},
        claims = case when a.held_at is null then a.claims end, held_at = null
      from due where a.workspace_id = ${workspaceId} and a.id = due.id and a.status = 'pending'
      returning a.id, a.period
    ), freed as (
      update usage_periods u set used = u.used - e.units
      from (select period, count(*)::int as units from ended group by 1) e
      where u.workspace_id = ${workspaceId} and u.period = e.period
    )
    select id from ended`
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await closeVendorReviews(sql, workspaceId, ids, "expired")
  return ids.length
}

/** Ends attestations whose validity is over, and enqueues the burn of their credentials. */
async function endVerified(sql: Queryable, workspaceId: string, now: Date): Promise<number> {
  const ended = await sql<Parameters<typeof revokeCredential>[1][]>`
    update attestations a set status = 'expired', ended_at = ${now}
    from (
      select id from attestations
      where workspace_id = ${workspaceId} and status = 'verified' and expires_at <= ${now}
      order by id limit ${SMALL_BATCH} for update skip locked
    ) due
    where a.workspace_id = ${workspaceId} and a.id = due.id
    returning a.workspace_id, a.id, a.schema_id, a.wallet`
  for (const attestation of ended) await revokeCredential(sql, attestation)
  return ended.length
}

/** Ends approved attestations that did not reach the chain within their validity. */
async function endApproved(sql: Queryable, workspaceId: string, now: Date): Promise<number> {
  const due = await sql<{ id: string }[]>`
    select id from attestations
    where workspace_id = ${workspaceId} and status = 'pending' and expires_at <= ${now}
    limit ${SMALL_BATCH} for update skip locked`
  for (const { id } of due) {
    await endPending(sql, { workspaceId, attestationId: id, status: "expired", reason: null, now })
  }
  return due.length
}
