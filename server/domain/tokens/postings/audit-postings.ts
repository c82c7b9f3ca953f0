import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { type Audited, differs } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

type Row = { mint_config: string; wallet: Address; name: string; kept: string; posted: string }

/** Postings are numbered without gaps, and add up to what a wallet has and what is held of it. */
export async function auditPostings(audited: Audited): Promise<void> {
  const { workspaceId } = audited
  const rows = sql<Row[]>`
    with summed as (
      select mint_config, wallet, sum(delta) as balance, sum(held_delta) as held, count(*) as posted, max(seq) as newest
      from postings where workspace_id = ${workspaceId} group by mint_config, wallet
    ), kept as (
      select mint_config, wallet, balance, held, posted from holdings where workspace_id = ${workspaceId}
    )
    select mint_config, wallet, name, kept::text, summed::text as posted
    from kept k full join summed s using (mint_config, wallet)
    cross join lateral (values
      ('base units', coalesce(k.balance, 0), coalesce(s.balance, 0)),
      ('held base units', coalesce(k.held, 0), coalesce(s.held, 0)),
      ('postings', coalesce(k.posted, 0), coalesce(s.posted, 0)),
      ('postings', coalesce(k.posted, 0), coalesce(s.newest, 0))) v(name, kept, summed)
    where kept <> summed`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { mint_config, wallet, name, kept, posted } of batch)
      differs(
        audited,
        "token_posting",
        `${wallet} is recorded with ${kept} ${name} of ${mint_config}, but its postings have ${posted}`,
      )
  })
}
