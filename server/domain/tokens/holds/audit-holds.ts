import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { type Audited, differs } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

type Row = { mint_config: string; wallet: Address; held: string; holding: string; free: string | null }

/**
 * What a holding counts as held must be the sum of its active holds, and what a hold counts as being taken the sum of
 * the unfinished operations that take it. In agent mode, no more can be held than the wallet has.
 */
export async function auditHolds(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const rows = sql<Row[]>`
    with bound as (
      select mint_config, wallet, sum(remaining) as held from holds
      where workspace_id = ${workspaceId} and state = 'active' group by mint_config, wallet
    )
    select mint_config, wallet, coalesce(b.held, 0)::text as held, coalesce(k.held, 0)::text as holding,
      case when c.transfer_mode = 'agent' and c.counted_up_to is null then k.balance - k.outgoing end::text as free
    from (select mint_config, wallet, balance, outgoing, held from holdings where workspace_id = ${workspaceId}) k
      full join bound b using (mint_config, wallet)
      join mint_configs c on c.workspace_id = ${workspaceId} and c.id = mint_config
    where coalesce(b.held, 0) <> coalesce(k.held, 0)
      or (c.transfer_mode = 'agent' and c.counted_up_to is null and k.held > 0 and k.held > k.balance - k.outgoing)`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { mint_config, wallet, held, holding, free } of batch) {
      const counted = `${wallet} counts ${holding} base units of ${mint_config} as held`
      if (held !== holding) differs(audited, "token_held", `${counted}, but its holds sum to ${held}`)
      if (free !== null && BigInt(holding) > BigInt(free))
        differs(audited, "token_held", `${counted}, but has only ${free} that are not outgoing`)
    }
  })
  await auditTaking(audited)
}

async function auditTaking(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const rows = sql<{ id: string; kept: string; summed: string }[]>`
    with moving as (
      select part ->> 'id' as id, sum((part ->> 'amount')::numeric) as taking
      from operations o cross join lateral jsonb_array_elements(o.payload -> 'holds') part
      where o.workspace_id = ${workspaceId} and o.status in ('queued', 'submitted') group by part ->> 'id'
    )
    select id, h.taking::text as kept, coalesce(m.taking, 0)::text as summed
    from holds h left join moving m using (id)
    where h.workspace_id = ${workspaceId} and h.taking <> coalesce(m.taking, 0)`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { id, kept, summed } of batch) {
      const recorded = `operations are recorded as taking ${kept} base units out of ${id}`
      differs(audited, "token_held", `${recorded}, but unfinished ones sum to ${summed}`)
    }
  })
}
