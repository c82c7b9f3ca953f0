import { background as sql } from "#db/client.ts"
import { qualified, type RowOf } from "#db/rows.ts"
import type { Walk } from "#db/schema/tokens.ts"
import { deployment } from "#domain/deployment"
import { refuseInQuarantine, serverRun } from "#server/ledger/index.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { monotonic } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, RpcUnavailable } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Mode } from "#shared/mode.ts"
import { timeOfSlot } from "../postings/moments.ts"
import { findStart, namesMint } from "./followed.ts"
import { type Chunk, type Listed, listTransactions } from "./list-transactions.ts"
import { isUnchanged, loseFrom, noteMissing, type Period, periodColumns } from "./period.ts"
import { AT_ONCE, type Moved, readAll, readMoved } from "./read-moved.ts"

// In holder mode, holders move tokens themselves. This follows the transactions that name a token's mint, and records what
// they moved. Operations are in the books already, so their transactions are left out. A mint with Pausable is named by
// every transfer, because the program then refuses instructions that do not name it.

/** The most tokens to follow at the same time. Those that waited longest come first. */
const TOKENS = 10
/** The most transactions to list for one token in one pass. */
const LISTED = 1000
/** How many of a workspace's last transactions are compared with a list. */
const RECENT = 1000
/** How long a pass may take. The rest is read in the next one. */
const PASS_MS = 10_000
/** How long other processes leave a token that one of them follows. Longer than a pass, in which calls may be slow. */
const CLAIM_SECONDS = 60
/** Nodes list a transaction some slots after its block is final. */
const LISTED_LATE_SLOTS = 32
/** Pauses a mode whose nodes do not answer, and a token whose history they lack or on which they do not agree. */
const failing = new Backoff({ firstMs: 2000, longestMs: 60_000 })

/** A finalized slot up to which nodes list everything, and the time of its block. */
type AsOf = { slot: number; time: Date }

/** Records what holders have moved, for a few tokens. Without tokens in holder mode, it calls no node. */
export async function followHolders(): Promise<void> {
  for (const mode of Object.keys(deployment.chains) as Mode[]) {
    const chain = deployment.chains[mode]
    if (!chain || failing.isHeld(mode)) continue
    try {
      await followTokens(chain)
      failing.succeeded(mode)
    } catch (error) {
      failing.failed(mode)
      logger.warn({ err: error, mode }, "what holders moved could not be read; retrying later")
    }
  }
}

/** Follows some tokens at the same time, so that one with many transactions does not delay the others. */
async function followTokens(chain: Chain): Promise<void> {
  const claimed = await claim(chain.mode)
  try {
    const due = claimed.filter((one) => !failing.isHeld(nameOf(one)))
    if (due.length === 0) return
    // Read before the database, so that what lands later lands after it.
    const asOf = await readAsOf(chain.rpc.patient)
    const until = monotonic.now() + PASS_MS
    await Promise.all(due.map((one) => followOne(chain, one, asOf, until)))
  } finally {
    await release(claimed)
  }
}

async function followOne(chain: Chain, period: Period, asOf: AsOf, until: number): Promise<void> {
  try {
    await follow(chain, period, asOf, until)
    failing.succeeded(nameOf(period))
  } catch (error) {
    failing.failed(nameOf(period))
    const about = { err: error, workspaceId: period.workspace_id, mintConfig: period.mint_config }
    logger.warn(about, "what holders of a token moved could not be read; retrying later")
    if (error instanceof HistoryMissing) await noteMissing(period)
  }
}

const nameOf = ({ workspace_id, mint_config }: Period) => `${workspace_id}/${mint_config}`

async function readAsOf(rpc: Rpc): Promise<AsOf> {
  const { slot: finalized } = await rpc.finalizedHeight()
  const slot = Math.max(0, finalized - LISTED_LATE_SLOTS)
  const time = await timeOfSlot(rpc, slot)
  if (time === null) throw new RpcUnavailable(`no node has the time of slot ${slot}`)
  return { slot, time }
}

/**
 * Takes the tokens that no process looked at for longest, so that several processes do not read the same. A restored
 * database waits until it has been compared with the chain: until then, operations may look like movements.
 */
const claim = (mode: Mode) => sql<Period[]>`
  update holder_periods p set checked_at = now() + ${CLAIM_SECONDS}::int * interval '1 second' from (
    select p.workspace_id, p.mint_config, p.since, c.mint
    from holder_periods p join workspaces w on w.id = p.workspace_id
      join mint_configs c on c.workspace_id = p.workspace_id and c.id = p.mint_config
    where p.until is null and p.lost_at is null and p.checked_at < now() - interval '1 second' and w.mode = ${mode}
      and c.minted_at is not null
      and not exists (select from chains n where n.mode = w.mode and n.server is distinct from ${serverRun(sql)})
      and not exists (select from quarantines q where q.workspace_id = p.workspace_id)
    order by p.checked_at limit ${TOKENS} for update of p skip locked
  ) d
  where p.workspace_id = d.workspace_id and p.mint_config = d.mint_config and p.since = d.since
  returning ${sql(qualified("p", periodColumns))}, d.mint, (
    select max(h.counted_slot) from holder_periods h
    where h.workspace_id = p.workspace_id and h.mint_config = p.mint_config and h.until is not null) as counted_slot`

const release = (periods: readonly Period[]) =>
  periods.length > 0 &&
  sql`
    update holder_periods p set checked_at = now()
    from unnest(${periods.map(({ workspace_id }) => workspace_id)}::text[],
      ${periods.map(({ mint_config }) => mint_config)}::text[]) as d(workspace_id, mint_config)
    where p.workspace_id = d.workspace_id and p.mint_config = d.mint_config and p.until is null`

async function follow(chain: Chain, period: Period, asOf: AsOf, until: number): Promise<void> {
  const rpc = chain.rpc.patient
  const { mint, walk } = period
  const begin = await beginningOf(period, asOf)
  // It may still vanish, or nothing is newly final.
  if (begin === null) return
  const { cursor, quiet } = begin
  const before = walk?.before ?? null
  const part = { mint, cursor, quiet, before, asOf: walk?.asOf ?? asOf.slot, most: LISTED }
  const chunk = await listTransactions(rpc, part)
  await refuseGap(period, part, chunk)
  const { listed, isWhole } = chunk
  const foreign = await withoutKnown(period, listed)
  const late = await findLate(rpc, period, foreign)
  if (late !== null)
    return loseFrom(period, isWhole ? late : { ...late, slot: cursor.slot + 1, landedAt: period.since })
  const newest = walk?.newest ?? shortOf(listed[0] ?? cursor)
  const time = walk ? new Date(walk.asOfTime * 1000) : asOf.time
  const end: Followed = { slot: part.asOf, time, cursor: newest }
  const upTo = (before: Listed): Walk => ({
    ...{ asOf: part.asOf, asOfTime: time.getTime() / 1000, newest },
    before: shortOf(before),
  })
  const batches = inWholeSlots(foreign)
  let current: Period | null = period
  for (const batch of batches.length > 0 ? batches : [[]]) {
    const moved = (await readAll(rpc, mint, batch)).filter(({ changes }) => changes.length > 0)
    const isLast = batch === batches.at(-1) || batch.length === 0
    const state = isLast && isWhole ? end : upTo(isLast ? listed.at(-1)! : batch.at(-1)!)
    current = await save(current, moved, state)
    if (current === null || monotonic.now() > until) return
  }
}

/**
 * The last transaction that was read, and the slot up to which everything is known. Null if there is nothing to read now.
 * Rejects with HistoryMissing.
 */
async function beginningOf(period: Period, asOf: AsOf) {
  const { mint, walk, followed_slot, cursor_signature: signature, cursor_slot } = period
  const cursor = signature === null ? null : { signature, slot: Number(cursor_slot) }
  if (followed_slot !== null && cursor !== null)
    return walk === null && asOf.slot <= Number(followed_slot) ? null : { cursor, quiet: Number(followed_slot) }
  const start = await findStart(sql, period)
  if (start === null) throw new HistoryMissing(`no transaction of the mint ${mint} is known`)
  if (!start.is_final) return null
  const frozen = Math.min(start.opened ?? asOf.slot, asOf.slot)
  const quiet = Math.max(start.slot - 1, frozen, Number(period.counted_slot ?? 0))
  return { cursor: cursor ?? { signature: start.signature, slot: start.slot }, quiet }
}

const shortOf = ({ signature, slot }: Walk["newest"]): Walk["newest"] => ({ signature, slot })

/** Transactions of whole slots, at least so many at once. */
function inWholeSlots(listed: readonly Listed[]): Listed[][] {
  const batches: Listed[][] = []
  for (const one of listed) {
    const last = batches.at(-1)
    if (last && (last.length < AT_ONCE || last.at(-1)!.slot === one.slot)) last.push(one)
    else batches.push([one])
  }
  return batches
}

/**
 * A list must have every operation that is known to be final. Rejects with HistoryMissing if it has not, which a single node
 * shows that lags or cuts its answers short.
 */
async function refuseGap(
  { workspace_id, mint_config }: Period,
  { before, asOf }: { before: { slot: number } | null; asOf: number },
  { listed, after }: Chunk,
): Promise<void> {
  const rows = await sql<{ signature: string }[]>`
    select t.signature from (
      select signature, slot from transactions
      where workspace_id = ${workspace_id} and status = 'confirmed' and finalized_at is not null
      order by created_at desc limit ${RECENT}
    ) t
    where t.slot > ${after} and t.slot < ${before?.slot ?? asOf + 1} and exists (select from operations o
      where o.workspace_id = ${workspace_id} and o.signature = t.signature and o.mint_config = ${mint_config}
        and o.status = 'confirmed' and ${namesMint(sql)})`
  const there = new Set(listed.map(({ signature }) => signature))
  const left = rows.find(({ signature }) => !there.has(signature))
  if (left) throw new HistoryMissing(`a node's history leaves out ${left.signature}, which has landed`)
}

/**
 * Those that took effect, are not operations of the token, and were not counted. Operations are saved before they are sent.
 */
async function withoutKnown(
  { workspace_id, mint_config, counted_slot }: Period,
  listed: readonly Listed[],
): Promise<Listed[]> {
  const succeeded = listed.filter((one) => one.succeeded && one.slot > Number(counted_slot ?? -1))
  if (succeeded.length === 0) return []
  const rows = await sql<{ signature: string }[]>`
    select distinct signature from operations
    where workspace_id = ${workspace_id} and mint_config = ${mint_config}
      and signature = any(${succeeded.map(({ signature }) => signature)})`
  const own = new Set(rows.map(({ signature }) => signature))
  return succeeded.filter(({ signature }) => !own.has(signature))
}

/**
 * The oldest transaction that moved tokens up to the followed slot, and that nodes had left out. Moments up to that slot are
 * final, and it would change them. Rejects with HistoryMissing or Error.
 */
async function findLate(rpc: Rpc, { mint, followed_slot }: Period, foreign: readonly Listed[]): Promise<Moved | null> {
  const late = foreign.filter(({ slot }) => followed_slot !== null && slot <= Number(followed_slot))
  for (const one of late.toReversed()) {
    const moved = await readMoved(rpc, mint, one)
    if (moved.changes.length > 0) return moved
  }
  return null
}

/** How far a token is followed after a reading that came to its end. */
type Followed = AsOf & { cursor: { signature: string; slot: number } }

/**
 * Writes what was read and how far, in one transaction. Returns the new state, or null if another process was first.
 */
async function save(period: Period, moved: readonly Moved[], state: Followed | Walk): Promise<Period | null> {
  const { workspace_id, mint_config } = period
  const isEnd = "cursor" in state
  return sql.begin(async (sql) => {
    await refuseInQuarantine(sql, workspace_id)
    const [saved] = await sql<RowOf<typeof periodColumns>[]>`
      update holder_periods set missing_since = null, missing_seen_at = null, ${
        isEnd
          ? sql`followed_slot = ${state.slot}, followed_at = ${state.time}, cursor_signature = ${state.cursor.signature},
          cursor_slot = ${state.cursor.slot}, walk = null`
          : sql`walk = ${sql.json(state)}`
      }
      where ${isUnchanged(period)} returning ${sql(periodColumns)}`
    if (!saved) return null
    const rows = moved.flatMap(({ changes, ...one }) => changes.map((change) => ({ ...one, ...change })))
    await sql`
      insert into holder_movements (workspace_id, mint_config, wallet, delta, slot, landed_at, signature)
      select ${workspace_id}, ${mint_config}, t.* from unnest(${rows.map(({ wallet }) => wallet)}::text[],
        ${rows.map(({ delta }) => String(delta))}::numeric[], ${rows.map(({ slot }) => slot)}::bigint[],
        ${rows.map(({ landedAt }) => landedAt.toISOString())}::timestamptz[],
        ${rows.map(({ signature }) => signature)}::text[]) as t
      on conflict (workspace_id, mint_config, wallet, signature) do nothing`
    return { ...period, ...saved }
  })
}
