import type { Queryable } from "#db/client.ts"
import { hasWords, wordsOf } from "#domain/investor-search"
import type { Subject } from "./subject.ts"

/**
 * Erases what members searched for, where it names the person: exactly, or by words that are in no one else's external
 * id. Runs before the data that finds these rows is erased.
 */
export async function eraseSearches(sql: Queryable, of: Subject): Promise<void> {
  const { workspaceId } = of
  const names = await namesOf(sql, of)
  const exact = [...names, ...of.wallets, ...of.investorIds, ...of.attestations.map(({ id }) => id)]
  const texts = await textsNaming(sql, of, names)
  await sql`
    delete from saved_filters where workspace_id = ${workspaceId} and (filter ->> 'q' = any(${texts})
      or exists (select from jsonb_each_text(filter) f, unnest(${exact}::text[]) t where lower(trim(f.value)) = lower(t)))`
  await sql`
    update bulk_revocations set filter = filter || '{"q": "(not recorded)"}'
    where workspace_id = ${workspaceId} and (filter ->> 'q' = any(${texts})
      or exists (select from unnest(${exact}::text[]) t where lower(trim(filter ->> 'q')) = lower(t)))`
}

/** The person's external ids. */
async function namesOf(sql: Queryable, { workspaceId, attestations, investorIds }: Subject): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select external_id as name from attestations
    where workspace_id = ${workspaceId} and id = any(${attestations.map(({ id }) => id)}) and external_id is not null
    union
    select external_id from investors
    where workspace_id = ${workspaceId} and external_id is not null
      and (id = any(${[...investorIds]}) or merged_into = any(${[...investorIds]}))`
  return rows.map(({ name }) => name)
}

/** The search texts whose words are all in one of the person's external ids, and in no one else's. */
async function textsNaming(sql: Queryable, { workspaceId, investorIds }: Subject, names: string[]): Promise<string[]> {
  if (names.length === 0) return []
  const rows = await sql<{ q: string }[]>`
    select filter ->> 'q' as q from saved_filters where workspace_id = ${workspaceId} and filter ? 'q'
    union
    select filter ->> 'q' from bulk_revocations where workspace_id = ${workspaceId} and filter ? 'q'`
  const searches = rows.flatMap(({ q }) => (q.trim() === "" ? [] : [{ q, words: wordsOf(q) }]))
  const candidates = await sql<{ q: string }[]>`
    select s.q from jsonb_to_recordset(${sql.json(searches)}) as s(q text, words jsonb)
    where exists (
      select from unnest(${names}::text[]) name
      where not exists (select from jsonb_array_elements_text(s.words) word where strpos(lower(name), lower(word)) = 0))`
  const found: string[] = []
  for (const { q } of candidates) {
    const others = await sql`
      select from investors i
      where i.workspace_id = ${workspaceId} and i.external_id is not null and ${hasWords(q)(sql`i.external_id`)}
        and i.id <> all(${[...investorIds]}) and (i.merged_into is null or i.merged_into <> all(${[...investorIds]}))
      limit 1`
    if (others.length === 0) found.push(q)
  }
  return found
}
