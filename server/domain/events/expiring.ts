import { background as sql } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { clock } from "#server/lib/time.ts"

const BATCH = 5000

/**
 * Announces attestations that are about to expire, once for each number of days that their schema lists. If several
 * thresholds have passed together, for example after a month without a server, only the last one is announced. Nothing
 * is announced while the database's clock is in doubt.
 */
export async function announceExpiring(): Promise<void> {
  if (clockDoubt() !== null) return
  const now = clock.now()
  for (;;) {
    const rows = await sql`
      with due as (
        select a.workspace_id, a.id, a.wallet, a.schema_id, a.investor_id, a.expires_at, min(d.days)::smallint as days
        from workspaces w
        join attestations a on a.workspace_id = w.id and a.status = 'verified' and a.expires_at > ${now}
          and a.expires_at <= ${now}::timestamptz + interval '366 days'
        join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
        cross join lateral unnest(s.reminder_days) as d(days)
        where a.expires_at <= ${now}::timestamptz + d.days * interval '1 day'
          and a.expires_at - d.days * interval '1 day' > a.issued_at
          and not exists (select from expiry_notices n
            where n.workspace_id = a.workspace_id and n.attestation_id = a.id and n.days <= d.days)
        group by a.workspace_id, a.id limit ${BATCH}
      ), noted as (
        insert into expiry_notices (workspace_id, attestation_id, days)
        select workspace_id, id, days from due on conflict do nothing returning workspace_id, attestation_id, days
      )
      insert into staged_events (workspace_id, type, data, occurred_at)
      select d.workspace_id, 'attestation.expiring', jsonb_build_object('attestation_id', d.id, 'user_pubkey', d.wallet,
        'schema', d.schema_id, 'investor_id', d.investor_id, 'expires_at', event_time(d.expires_at), 'days', d.days),
        clock_timestamp()
      from due d join noted n on n.workspace_id = d.workspace_id and n.attestation_id = d.id
      returning seq`
    if (rows.length < BATCH) return
  }
}
