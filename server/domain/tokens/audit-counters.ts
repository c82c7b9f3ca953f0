import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { auditInvestors } from "#domain/token-investors"
import { type Audited, differs } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"
import { movementKinds } from "#shared/movements.ts"
import { auditHolds } from "./holds/audit-holds.ts"
import { auditLots } from "./lots/audit-lots.ts"
import { moveHold } from "./operations/move-hold.ts"
import { auditPostings } from "./postings/audit-postings.ts"

/** A configuration in the ledger: its counters and the sums of its operations, read in one snapshot. */
export type Counted = {
  id: string
  supply: bigint
  issued: bigint
  holders: number
  /** Base units of confirmed mints less those of confirmed burns, and of unfinished mints. */
  minted: bigint
  minting: bigint
  /** Wallets that have a holder slot, and holder slots that move with unfinished transfers. */
  counted: number
  handovers: number
  /**
   * Whether holders could ever move and burn tokens themselves, so that operations alone do not determine the books.
   */
  was_free: boolean
  /** Unfinished operations and the newest operation, which show whether anything has moved since. */
  under_way: number
  newest: bigint
}

/** Whether the books have an operation's effect: also while one that vanished from the chain is redone. */
const isBooked = () => sql`(status = 'confirmed' or redo)`

type Row = { [name in keyof Counted]: Counted[name] extends bigint ? string : Counted[name] }

export async function readCounted(workspaceId: string): Promise<Map<string, Counted>> {
  const rows = await sql<Row[]>`
    with moved as (
      select mint_config, kind, seq, (payload->>'amount')::numeric as amount, payload ? 'handover' as handover,
        ${isBooked()} as confirmed, status in ('queued', 'submitted') as under_way
      from operations where workspace_id = ${workspaceId} and (${isMovement()} or kind = ${moveHold.kind})
    ), operated as (
      select mint_config as id, max(seq) as newest, count(*) filter (where under_way) as under_way,
        sum(case kind when 'mint' then amount else -amount end) filter (where kind in ('mint', 'burn') and confirmed) as minted,
        sum(amount) filter (where kind = 'mint' and under_way and not confirmed) as minting,
        count(*) filter (where handover and under_way and not confirmed) as handovers
      from moved group by mint_config
    ), held as (
      select mint_config as id, count(*) filter (where counted) as counted
      from holdings where workspace_id = ${workspaceId} group by mint_config
    )
    select c.id, c.supply, c.issued, c.holders, coalesce(o.minted, 0) as minted, coalesce(o.minting, 0) as minting,
      coalesce(h.counted, 0)::int as counted, coalesce(o.handovers, 0)::int as handovers,
      coalesce(o.under_way, 0)::int as under_way, coalesce(o.newest, 0)::text as newest,
      c.transfer_mode = 'holder' or exists (
        select from operations a
        where a.workspace_id = ${workspaceId} and a.mint_config = c.id and a.kind = 'align_account') as was_free
    from mint_configs c left join operated o on o.id = c.id left join held h on h.id = c.id
    where c.workspace_id = ${workspaceId} order by c.id`
  const counted = rows.map((row): Counted => {
    const [supply, issued, minted] = [BigInt(row.supply), BigInt(row.issued), BigInt(row.minted)]
    return { ...row, supply, issued, minted, minting: BigInt(row.minting), newest: BigInt(row.newest) }
  })
  return new Map(counted.map((one) => [one.id, one]))
}

/** The counters must equal the sums of their operations, even while some are unfinished. */
export async function auditTokenCounters(audited: Audited, counted: readonly Counted[]): Promise<void> {
  for (const one of counted) {
    const { id, supply, minted, minting } = one
    const expect = (isRight: boolean, kind: string, detail: string) =>
      isRight || differs(audited, kind, `${detail} of ${id}`)
    const isBurnt = one.was_free && supply < minted
    expect(supply === minted || isBurnt, "token_supply", `${supply} base units are counted, but ${minted} were minted`)
    const exist = `${supply} exist and ${minting} are being minted`
    expect(one.issued === supply + minting, "token_issued", `${one.issued} base units count as issued, but ${exist}`)
    const slots = `${one.counted} wallets have a holder slot and ${one.handovers} slots change hands`
    const isRight = one.holders === one.counted + one.handovers
    expect(isRight, "token_holders", `${one.holders} holders are counted, but ${slots}`)
  }
  const free = counted.filter((one) => one.was_free).map((one) => one.id)
  await auditHoldings(audited, free)
  await auditPostings(audited)
  await auditHolds(audited)
  await auditLots(audited)
  await auditInvestors(audited)
}

type Holding = { mint_config: string; wallet: Address; name: string; kept: string; summed: string }

/** A wallet's holding, incoming and outgoing amounts must equal the sums of its operations. */
async function auditHoldings(audited: Audited, free: readonly string[]): Promise<void> {
  const { workspaceId } = audited
  const rows = sql<Holding[]>`
    with moved as (
      select mint_config, wallet, from_wallet, (payload->>'amount')::numeric as amount,
        ${isBooked()} as confirmed
      from operations
      where workspace_id = ${workspaceId} and kind = any(${[...movementKinds]}) and status <> 'failed'
    ), summed as (
      select mint_config, wallet, sum(balance) as balance, sum(incoming) as incoming, sum(outgoing) as outgoing
      from (
        select mint_config, wallet, case when confirmed then amount else 0 end as balance,
          case when confirmed then 0 else amount end as incoming, 0 as outgoing
        from moved where wallet is not null
        union all
        select mint_config, from_wallet, case when confirmed then -amount else 0 end,
          0, case when confirmed then 0 else amount end
        from moved where from_wallet is not null
      ) sides group by mint_config, wallet
    ), kept as (
      select mint_config, wallet, balance, incoming, outgoing from holdings where workspace_id = ${workspaceId}
    )
    select mint_config, wallet, name, kept, summed
    from kept k full join summed s using (mint_config, wallet)
    cross join lateral (values
      ('to hold', coalesce(k.balance, 0), coalesce(s.balance, 0)),
      ('to expect', coalesce(k.incoming, 0), coalesce(s.incoming, 0)),
      ('to give', coalesce(k.outgoing, 0), coalesce(s.outgoing, 0))) v(name, kept, summed)
    where kept <> summed and not (name = 'to hold' and mint_config = any(${free as string[]}::text[]))`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { mint_config, wallet, name, kept, summed } of batch) {
      const recorded = `${wallet} is recorded as ${name} ${kept} base units of ${mint_config}`
      differs(audited, "token_holding", `${recorded}, but its operations sum to ${summed}`)
    }
  })
}
