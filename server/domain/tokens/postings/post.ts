import type { Queryable } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"

/** The operation that changes holdings. Only a settled one changes a balance: `landing` is null if it has no transaction. */
export type Posted = { id?: string; landing?: unknown }

/** One change of a holding by an operation. */
export type Posting = {
  config: string
  wallet: Address
  delta: bigint
  heldDelta: bigint
  balance: bigint
  held: bigint
  operationId: string | null
  /** Null until its transaction is final (`date.ts`). */
  landedAt: Date | null
}

type Kept = { config: string; wallet: Address; balance: bigint; held: bigint }

/** A holding as it is saved (`Holding` in `holder-facts.ts`). */
type Whole = Kept & { incoming: bigint; outgoing: bigint; hasSlot: boolean; investor: string | null }

/** What an operation changed. `after` are the holdings of `before`, in the same order. */
export function postingsOf(
  { id, landing }: Posted,
  before: readonly Kept[],
  after: readonly Readonly<Kept>[],
): Posting[] {
  return after.flatMap(({ config, wallet, balance, held }, i): Posting[] => {
    const [delta, heldDelta] = [balance - before[i]!.balance, held - before[i]!.held]
    if (delta === 0n && heldDelta === 0n) return []
    const landedAt = landing ? null : clock.now()
    return [{ config, wallet, delta, heldDelta, balance, held, operationId: id ?? null, landedAt }]
  })
}

/**
 * Writes holdings and their postings in one statement. A holding counts its postings, so that they are numbered without
 * reading them, and so that the trigger leaves out what is posted here.
 */
export async function saveWithPostings(
  sql: Queryable,
  workspaceId: string,
  holdings: readonly Whole[],
  postings: readonly Posting[],
): Promise<void> {
  const counts = new Map<string, number>()
  const numbered = postings.map((one) => {
    const name = `${one.config}/${one.wallet}`
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    return { ...one, nth }
  })
  const countOf = ({ config, wallet }: Whole) => counts.get(`${config}/${wallet}`) ?? 0
  await sql`
    with saved as (
      update holdings h set balance = t.balance, incoming = t.incoming, outgoing = t.outgoing, held = t.held,
        counted = t.counted::boolean, investor = t.investor, posted = h.posted + t.posted
      from unnest(${holdings.map((one) => one.config)}::text[], ${holdings.map((one) => one.wallet)}::text[],
        ${holdings.map((one) => one.balance.toString())}::numeric[], ${holdings.map((one) => one.incoming.toString())}::numeric[],
        ${holdings.map((one) => one.outgoing.toString())}::numeric[], ${holdings.map((one) => one.held.toString())}::numeric[],
        ${holdings.map((one) => String(one.hasSlot))}::text[], ${holdings.map((one) => one.investor)}::text[],
        ${holdings.map(countOf)}::int[])
        as t(config, wallet, balance, incoming, outgoing, held, counted, investor, posted)
      where h.workspace_id = ${workspaceId} and h.mint_config = t.config and h.wallet = t.wallet
      returning h.mint_config, h.wallet, h.posted - t.posted as earlier
    )
    insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, operation_id, landed_at)
    select ${workspaceId}, p.config, p.wallet, s.earlier + p.nth, p.delta, p.held_delta, p.balance, p.held, p.operation_id,
      p.landed_at::timestamptz
    from unnest(${numbered.map((one) => one.config)}::text[], ${numbered.map((one) => one.wallet)}::text[],
      ${numbered.map((one) => one.nth)}::int[], ${numbered.map((one) => one.delta.toString())}::numeric[],
      ${numbered.map((one) => one.heldDelta.toString())}::numeric[], ${numbered.map((one) => one.balance.toString())}::numeric[],
      ${numbered.map((one) => one.held.toString())}::numeric[], ${numbered.map((one) => one.operationId)}::text[],
      ${numbered.map(({ landedAt }) => landedAt?.toISOString() ?? null)}::text[])
      as p(config, wallet, nth, delta, held_delta, balance, held, operation_id, landed_at)
    join saved s on s.mint_config = p.config and s.wallet = p.wallet`
}
