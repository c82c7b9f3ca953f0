import { type Queryable, background as sql } from "#db/client.ts"
import { unseal } from "#domain/deployment"
import { type Finding, priorityTimesOf, type ReviewKind, type ReviewPriority } from "#shared/reviews.ts"
import { entryOwner } from "./owners.ts"

type Prioritized = {
  workspaceId: string
  id: string
  kind: ReviewKind
  finding: Finding
  /** The finding in its finder's words. */
  said: string | null
}

/** Sets from when a review has a higher priority. Another finding only makes it more pressing. */
export async function setPriority(sql: Queryable, { workspaceId, id, ...found }: Prioritized): Promise<void> {
  const [row] = await sql<{ opened_at: Date; open_until: Date | null }[]>`
    select r.opened_at, case when r.kind = 'vendor' then a.open_until end as open_until
    from reviews r left join attestations a on a.workspace_id = r.workspace_id and a.id = r.attestation_id
    where r.workspace_id = ${workspaceId} and r.id = ${id}`
  if (!row) return
  const { highFrom, urgentFrom } = priorityTimesOf({
    ...found,
    openedAt: row.opened_at,
    sessionOpenUntil: row.open_until,
  })
  await sql`
    update reviews set high_from = least(high_from, ${highFrom}), urgent_from = least(urgent_from, ${urgentFrom})
    where workspace_id = ${workspaceId} and id = ${id}`
}

/** Reviews `r` with a priority, which is a range of an index: what is urgent is high, too. */
export const hasPriority = (sql: Queryable, priority: ReviewPriority, now: Date) =>
  ({
    urgent: sql`(r.high_from <= ${now} and r.urgent_from <= ${now})`,
    high: sql`(r.high_from <= ${now} and (r.urgent_from is null or r.urgent_from > ${now}))`,
    normal: sql`(r.high_from is null or r.high_from > ${now})`,
  })[priority]

const BATCH = 500

/** Sets the priority of waiting reviews that a version without priorities opened. Vendors' words are sealed, so SQL cannot. */
export async function fillPriorities(): Promise<void> {
  const rows = await sql<{ workspace_id: string; id: string; kind: ReviewKind }[]>`
    select workspace_id, id, kind from reviews where high_from is null and state <> 'closed' limit ${BATCH}`
  for (const { workspace_id: workspaceId, id, kind } of rows) {
    const entries = await sql<{ finding: Finding; text: Buffer | null }[]>`
      select finding, text from review_entries
      where workspace_id = ${workspaceId} and review_id = ${id} and finding is not null`
    for (const { finding, text } of entries)
      await setPriority(sql, { workspaceId, id, kind, finding, said: text && unseal(entryOwner(id), text) })
  }
}
