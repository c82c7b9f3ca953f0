import { reads } from "#db/client.ts"
import { digestOf, type Provider } from "#domain/providers"
import { isId } from "#server/lib/ids.ts"
import { logger } from "#server/lib/log.ts"
import type { Failure } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { EventResult } from "./apply-event.ts"
import { applyProviderEvent, bestOf } from "./provider-events.ts"

/** Anything that may be an id: the vendor's reference, or an id that Vouch sent. */
const ID = /"([\w-]{8,200})"/g
/** Ids of one body to look up; the largest published examples have fewer strings. */
const MOST_IDS = 1000
const MOST_ASKED = 10

type Unread = { body: Buffer; provider: Provider; mode: Mode; why: Failure }

/**
 * Handles a signed webhook that its adapter cannot read: logs why, and asks the vendor about the checks that the body
 * names. So an approval in a new format counts at once, and the vendor gets no 4xx, after which it may disable the
 * webhook. Null if the body names no check of this provider and mode. Errors: provider_unavailable.
 */
export async function askAboutUnread({ body, provider, mode, why }: Unread): Promise<EventResult | null> {
  const references = await referencesIn(body, provider.name, mode)
  logger.warn(
    { provider: provider.name, mode, problem: why.message, checks: references.length },
    "a provider's signed webhook could not be read; asking the provider about the checks that it names",
  )
  const outcomes: (EventResult | null)[] = []
  for (const reference of references) {
    const event = { eventId: `unread ${digestOf(body)}`, about: { reference }, says: { kind: "changed" } } as const
    outcomes.push(await applyProviderEvent({ event, provider, mode }))
  }
  return bestOf(outcomes)
}

/** The checks in force that a body names or, if it names none, those of the investor or session that it names. */
async function referencesIn(body: Buffer, provider: string, mode: Mode): Promise<string[]> {
  const ids = new Set<string>()
  for (const [, id] of body.toString("utf8").matchAll(ID)) if (ids.add(id!).size === MOST_IDS) break
  const named = [...ids]
  if (named.length === 0) return []
  // A pipelined read takes plain values, and no lists.
  const listed = (list: readonly string[]) => list.join("\n")
  const investors = named.filter((id) => isId("inv", id))
  const rows = await reads<{ provider_reference: string; is_named: boolean }[]>`
    with named as (select string_to_array(${listed(named)}, chr(10)) as ids),
    found as (
      select a.id, a.workspace_id from named, attestations a where a.provider_reference = any(ids)
      union select a.id, a.workspace_id from named, attestations a where a.session_id = any(ids)
      union select a.id, a.workspace_id
        from workspaces w
        join investors i on i.workspace_id = w.id and i.id = any(string_to_array(${listed(investors)}, chr(10)))
        join attestations a on a.workspace_id = w.id and a.investor_id = coalesce(i.merged_into, i.id)
        where w.mode = ${mode})
    select a.provider_reference, bool_or(a.provider_reference = any((select ids from named)::text[])) as is_named
    from found f join attestations a on a.workspace_id = f.workspace_id and a.id = f.id
    join workspaces w on w.id = a.workspace_id
    where a.provider = ${provider} and w.mode = ${mode} and a.status in ('pending', 'verified')
      and a.provider_reference is not null
    group by a.provider_reference order by is_named desc, max(a.seq) desc limit ${MOST_ASKED}`
  const isAnyNamed = rows[0]?.is_named === true
  return rows.filter(({ is_named }) => is_named === isAnyNamed).map((row) => row.provider_reference)
}
