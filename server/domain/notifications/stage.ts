import { background as sql } from "#db/client.ts"
import { plans } from "#domain/accounts"
import { withApprovers } from "#domain/approvals"
import { reviewState } from "#domain/reviews"
import { addDays, addSeconds, clock, startOfMonth } from "#server/lib/time.ts"
import { allNotifications, type NotificationKind, notifications } from "#shared/notifications.ts"

/** An endpoint that has failed for less is not worth a mail: most recover. */
const FAILING_DAYS = 1
/** A new member gets no mail about endpoints that were disabled before they joined. */
const DISABLED_DAYS = 7
/** A review that was just opened may already be in progress. */
const WAITING_SECONDS = 3600
/** An approver who joins later gets no mail about older requests. */
const REQUESTED_DAYS = 1
/** A problem that lasts is mailed again after this many days. */
const AGAIN_DAYS = 1
/** A worker that has not reported for longer has stopped, and its report does not count. */
const ALIVE_SECONDS = 15

type Found = ReturnType<typeof webhookEndpoints>

/** For each kind: its subjects, their workspace, and the recipient if not everyone whose role gets that kind. */
const finders: Record<NotificationKind, { find: (now: Date) => Found; again: boolean }> = {
  webhook_endpoints: { find: webhookEndpoints, again: false },
  low_sol: { find: lowSol, again: true },
  differences: { find: differences, again: true },
  quota: { find: quota, again: false },
  review_waiting: { find: waitingReviews, again: true },
  approval_waiting: { find: waitingApprovals, again: false },
}

/** Stages mails for members with a confirmed address who want them: once per subject, or daily while it lasts. */
export async function stageNotifications(): Promise<void> {
  const now = clock.now()
  for (const kind of allNotifications) {
    const { find, again } = finders[kind]
    await sql`
      insert into notifications as n (workspace_id, user_id, kind, subject, data, created_at, next_attempt_at)
      select f.workspace_id, m.user_id, ${kind}, f.subject, f.data, ${now}, ${now}
      from (${find(now)}) f
      join workspaces w on w.id = f.workspace_id
      join members m on m.account_id = w.account_id and m.user_id = coalesce(f.user_id, m.user_id)
        and m.role = any(${[...notifications[kind].roles]}) and not ${kind} = any(m.muted_notifications)
      join users u on u.id = m.user_id and u.email_verified
      on conflict (workspace_id, user_id, kind, subject) do update
        set data = excluded.data, attempts = 0, sent_at = null, created_at = ${now}, next_attempt_at = ${now}
        where ${again} and n.created_at <= ${addDays(now, -AGAIN_DAYS)}`
  }
}

/** Only the host: paths and queries of endpoints may hold secrets. */
function webhookEndpoints(now: Date) {
  const about = sql`'endpoint_id', e.id, 'host', substring(e.url from '^[a-z]+://(?:[^/?#]*@)?([^/?#]+)')`
  return sql`
    select e.workspace_id, null::text as user_id, concat_ws(':', e.id, 'disabled', extract(epoch from e.disabled_at)) as subject,
      jsonb_build_object(${about}, 'state', 'disabled', 'reason', e.disabled_reason, 'since', e.failing_since) as data
    from webhook_endpoints e
    where e.deleted_at is null and e.disabled_reason in ('gone', 'failing') and e.disabled_at > ${addDays(now, -DISABLED_DAYS)}
    union all
    select e.workspace_id, null, concat_ws(':', e.id, 'failing', extract(epoch from e.failing_since)),
      jsonb_build_object(${about}, 'state', 'failing', 'since', e.failing_since)
    from webhook_endpoints e
    where e.deleted_at is null and e.disabled_at is null and e.failing_since <= ${addDays(now, -FAILING_DAYS)}`
}

/** Fee payers of workspaces, and a mode's if there is only one account. With several, it is the operator's task. */
function lowSol(_now: Date) {
  return sql`
    select distinct on (w.id, p.address) w.id as workspace_id, null::text as user_id, p.address as subject,
      jsonb_build_object('address', p.address, 'sol', p.sol, 'hours_left', p.hours_left) as data
    from workers k
    cross join lateral jsonb_to_recordset(k.low_payers)
      as p(mode text, address text, sol double precision, hours_left double precision)
    join workspaces w on w.mode = p.mode and case
      when exists (select from workspaces o where o.mode = p.mode and o.fee_payer = p.address) then w.fee_payer = p.address
      else w.fee_payer is null and (select count(*) from (select from accounts limit 2) a) = 1 end
    where k.seen_at > now() - make_interval(secs => ${ALIVE_SECONDS})
    order by w.id, p.address, k.seen_at desc`
}

function differences(_now: Date) {
  return sql`
    select w.id as workspace_id, null::text as user_id, 'chain' as subject,
      jsonb_build_object('differences', coalesce(a.differences, 0), 'compared_at', a.at,
        'unexplained', coalesce(jsonb_array_length(q.differences), 0)) as data
    from workspaces w left join audits a on a.workspace_id = w.id left join quarantines q on q.workspace_id = w.id
    where a.differences > 0 or jsonb_array_length(q.differences) > 0`
}

/** What the event `quota.threshold` announced this month, unless the plan was raised since then. */
function quota(now: Date) {
  return sql`
    select c.workspace_id, null::text as user_id, c.quota_period || ':' || c.quota_percent as subject,
      jsonb_build_object('percent', c.quota_percent, 'used', u.used, 'included', i.included) as data
    from event_counters c
    join workspaces w on w.id = c.workspace_id join accounts a on a.id = w.account_id
    join usage_periods u on u.workspace_id = c.workspace_id and u.period = c.quota_period
    cross join lateral (select case w.mode when 'test' then ${plans.free}::int else a.included end as included) i
    where c.quota_period = ${startOfMonth(now).toISOString().slice(0, 10)}
      and u.used * 100::bigint >= i.included * c.quota_percent::bigint`
}

/** For each member who may decide: open reviews that are theirs or unassigned. Those that wait for approval have their own mail. */
function waitingReviews(now: Date) {
  return sql`
    select r.workspace_id, m.user_id, 'queue' as subject,
      jsonb_build_object('count', count(*), 'oldest', min(coalesce(r.requested_at, r.opened_at))) as data
    from reviews r
    join workspaces w on w.id = r.workspace_id and w.mode = 'live'
    join members m on m.account_id = w.account_id
    where coalesce(r.requested_at, r.opened_at) <= ${addSeconds(now, -WAITING_SECONDS)}
      and ${reviewState(sql)} = 'open' and coalesce(r.assignee, m.user_id) = m.user_id
    group by r.workspace_id, m.user_id`
}

/** For each member who can approve: requests that they have not approved. */
function waitingApprovals(now: Date) {
  return sql`
    select q.workspace_id, m.user_id, q.id as subject, jsonb_build_object('approval_id', q.id, 'action', q.action,
      'mint_config', q.request -> 'mint_config', 'expires_at', q.expires_at) as data
    from approvals q ${withApprovers(sql)} and q.state = 'pending' and q.expires_at > ${now}
      and q.created_at > ${addDays(now, -REQUESTED_DAYS)}
      and not q.given @> jsonb_build_array(jsonb_build_object('id', m.user_id))`
}
