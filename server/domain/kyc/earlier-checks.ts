import { reads, sql } from "#db/client.ts"
import { type Found, type Reading, referencesOf } from "./event-sessions.ts"

/** No event names more checks than this. */
const MOST = 10

/**
 * Sessions whose investor left the check of this event for another one, for example after a request to submit again.
 * The vendor may still approve the earlier check.
 */
export async function sessionsWithEarlierCheck(reading: Reading): Promise<Found[]> {
  const references = (await referencesOf(reading)).join("\n")
  if (references === "") return []
  return reads<Found[]>`
    select a.workspace_id, a.session_id, a.id as attestation_id, a.investor_id, a.schema_id, s.validity_days, a.wallet,
      (select one from unnest(a.earlier_references) one
        where one = any (string_to_array(${references}, chr(10))) limit 1) as provider_reference,
      a.event_decision, a.status in ('pending', 'verified') and coalesce(a.issued_at, a.held_at) is not null as is_approved,
      true as is_earlier
    from attestations a join workspaces w on w.id = a.workspace_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where a.provider = ${reading.provider.name} and w.mode = ${reading.mode} and a.status in ('pending', 'verified')
      and a.earlier_references && string_to_array(${references}, chr(10))
    order by a.seq desc limit ${MOST}`
}

/** Makes an earlier check the session's current one again, so that the vendor's later events about it count. False if it is too late. */
export async function resumeCheck({ workspace_id, attestation_id, provider_reference }: Found): Promise<boolean> {
  const taken = await sql`
    update attestations set provider_reference = ${provider_reference},
      earlier_references = array_append(array_remove(earlier_references, ${provider_reference}::text), provider_reference)
    where workspace_id = ${workspace_id} and id = ${attestation_id} and status = 'pending'
      and ${provider_reference}::text = any(earlier_references) returning id`
  return taken.length > 0
}
