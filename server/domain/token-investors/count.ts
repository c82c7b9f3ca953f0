import { forEachBatch } from "#db/batches.ts"
import type { Queryable } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { countedAs } from "#shared/rules/investor-counts.ts"
import { evidenceOf } from "./book.ts"

/**
 * Counts the investors of a token from its holdings, whose configuration the caller has locked: when the first rule
 * needs it, when another schema says who they are, and when balances were read back from the chain.
 */
export async function countInvestors(
  sql: Queryable,
  workspaceId: string,
  { id, required_schema: schema }: { id: string; required_schema: string },
): Promise<void> {
  const now = clock.now()
  await sql`
    update holdings h set investor = p.investor
    from (
      select o.wallet, coalesce(case when v.in_force then v.investor_id end, o.investor, v.investor_id, o.wallet) as investor
      from holdings o left join lateral holder_of(${workspaceId}, ${schema}, o.wallet, ${now}) v on true
      where o.workspace_id = ${workspaceId} and o.mint_config = ${id} and (o.balance > 0 or o.incoming > 0)
    ) p
    where h.workspace_id = ${workspaceId} and h.mint_config = ${id} and h.wallet = p.wallet
      and h.investor is distinct from p.investor`
  await sql`delete from investor_slots where workspace_id = ${workspaceId} and mint_config = ${id}`
  const slots = sql<{ attestation_id: string | null; claims: Buffer | null }[]>`
    with placed as (
      insert into investor_slots (workspace_id, mint_config, investor, attestation_id)
      select distinct on (o.investor) ${workspaceId}, ${id}, o.investor,
        case when v.investor_id = o.investor then v.attestation_id end
      from holdings o left join lateral holder_of(${workspaceId}, ${schema}, o.wallet, ${now}) v on true
      where o.workspace_id = ${workspaceId} and o.mint_config = ${id} and (o.balance > 0 or o.incoming > 0)
      order by o.investor, (v.investor_id = o.investor and v.in_force) desc nulls last, v.attestation_id
      returning attestation_id
    )
    select p.attestation_id, a.claims from placed p
    left join attestations a on a.workspace_id = ${workspaceId} and a.id = p.attestation_id`
  const counts: Record<string, number> = {}
  await forEachBatch(slots, 1000, (batch) => {
    for (const { attestation_id, claims } of batch)
      for (const key of countedAs(evidenceOf(attestation_id, claims).claims())) counts[key] = (counts[key] ?? 0) + 1
  })
  await sql`update mint_configs set investors = ${sql.json(counts)} where workspace_id = ${workspaceId} and id = ${id}`
}

/** No rule of the token counts investors any more, so nothing is kept about them. */
export async function forgetInvestors(sql: Queryable, workspaceId: string, id: string): Promise<void> {
  await sql`
    update holdings set investor = null where workspace_id = ${workspaceId} and mint_config = ${id} and investor is not null`
  await sql`delete from investor_slots where workspace_id = ${workspaceId} and mint_config = ${id}`
  await sql`update mint_configs set investors = null where workspace_id = ${workspaceId} and id = ${id}`
}
