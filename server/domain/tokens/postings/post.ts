import { type Queryable, sql as statement } from "#db/client.ts"
import { prepared, type Value } from "#db/prepared.ts"
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
type Whole = Kept & { incoming: bigint; outgoing: bigint; lotted: bigint; hasSlot: boolean; investor: string | null }

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

type Numbered = Posting & { nth: number }
type Saved = {
  workspaceId: string
  holdings: readonly Whole[]
  postings: readonly Numbered[]
  counts: ReadonlyMap<string, number>
}

const nameOf = ({ config, wallet }: Pick<Kept, "config" | "wallet">) => `${config}/${wallet}`

/** The holdings, as they are in memory. `postings` is how many each of them gets. */
const savingHoldings = (value: Value<Saved>) => {
  const column = <T>(read: (one: Whole, input: Saved) => T) =>
    value((input) => input.holdings.map((one) => read(one, input)))
  return statement`
    update holdings h set balance = t.balance, incoming = t.incoming, outgoing = t.outgoing, held = t.held,
      lotted = t.lotted, counted = t.counted::boolean, investor = t.investor, posted = h.posted + t.postings
    from unnest(${column(({ config }) => config)}::text[], ${column(({ wallet }) => wallet)}::text[],
      ${column(({ balance }) => balance.toString())}::numeric[], ${column(({ incoming }) => incoming.toString())}::numeric[],
      ${column(({ outgoing }) => outgoing.toString())}::numeric[], ${column(({ held }) => held.toString())}::numeric[],
      ${column(({ lotted }) => lotted.toString())}::numeric[], ${column(({ hasSlot }) => String(hasSlot))}::text[],
      ${column(({ investor }) => investor)}::text[],
      ${column((one, { counts }) => counts.get(nameOf(one)) ?? 0)}::int[])
      as t(config, wallet, balance, incoming, outgoing, held, lotted, counted, investor, postings)
    where h.workspace_id = ${value(({ workspaceId }) => workspaceId)} and h.mint_config = t.config and h.wallet = t.wallet`
}

const savingPostings = (value: Value<Saved>) => {
  const column = <T>(read: (one: Numbered) => T) => value(({ postings }) => postings.map(read))
  return statement`
    with saved as (
      ${savingHoldings(value)} returning h.mint_config, h.wallet, h.posted - t.postings as earlier
    )
    insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, operation_id, landed_at)
    select ${value(({ workspaceId }) => workspaceId)}, p.config, p.wallet, s.earlier + p.nth, p.delta, p.held_delta,
      p.balance, p.held, p.operation_id, p.landed_at::timestamptz
    from unnest(${column(({ config }) => config)}::text[], ${column(({ wallet }) => wallet)}::text[],
      ${column(({ nth }) => nth)}::int[], ${column(({ delta }) => delta.toString())}::numeric[],
      ${column(({ heldDelta }) => heldDelta.toString())}::numeric[], ${column(({ balance }) => balance.toString())}::numeric[],
      ${column(({ held }) => held.toString())}::numeric[], ${column(({ operationId }) => operationId)}::text[],
      ${column(({ landedAt }) => landedAt?.toISOString() ?? null)}::text[])
      as p(config, wallet, nth, delta, held_delta, balance, held, operation_id, landed_at)
    join saved s on s.mint_config = p.config and s.wallet = p.wallet`
}

/** Put together once, because every mint saves twice. */
const saving = prepared<Saved, never, { posts: boolean }>(
  (value, { posts }) => (posts ? savingPostings(value) : savingHoldings(value)),
  ({ postings }) => ({ posts: postings.length > 0 }),
)

/**
 * Writes holdings and their postings in one statement. A holding counts its postings, so that they are numbered without
 * reading them, and so that the trigger leaves out what is posted here.
 */
export async function saveHoldings(
  sql: Queryable,
  workspaceId: string,
  holdings: readonly Whole[],
  postings: readonly Posting[],
): Promise<void> {
  const counts = new Map<string, number>()
  const numbered = postings.map((one) => {
    const nth = (counts.get(nameOf(one)) ?? 0) + 1
    counts.set(nameOf(one), nth)
    return { ...one, nth }
  })
  await saving(sql, { workspaceId, holdings, postings: numbered, counts })
}
