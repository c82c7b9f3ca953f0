import { isDeepStrictEqual } from "node:util"
import { background as sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import type { Walk } from "#db/schema/tokens.ts"
import { deployment } from "#domain/deployment"
import { refuseInQuarantine, serverRun } from "#server/ledger/index.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing, isUnreadable } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { readBlockTime } from "../postings/date.ts"
import { askHistory } from "./agree.ts"
import { findStart, namesMint } from "./followed.ts"
import { type Chunk, type Listed, listTransactions } from "./list-transactions.ts"
import { changesIn, type WalletChange } from "./read-movements.ts"

// In holder mode, holders move tokens themselves. This follows the transactions that name a token's mint, and records what
// they moved. Operations are in the books already, so their transactions are left out. A mint with Pausable is named by
// every transfer, because the program then refuses instructions that do not name it.

/** The most tokens to look at in one pass. Those that waited longest come first. */
const TOKENS = 10
/** The most transactions to list and to read for one token in one pass. */
const LISTED = 1000
const READ = 50
/** How many of a workspace's last transactions are compared with a list. */
const RECENT = 1000
/** After so many hours without the history on any node, it counts as lost. */
const LOST_AFTER_HOURS = 24

/** Pauses a mode whose nodes do not answer, and a token whose history they lack or contradict each other about. */
const failing = new Backoff({ firstMs: 2000, longestMs: 60_000 })

const periodColumns = columns(
  "holder_periods",
  "workspace_id, mint_config, since, followed_slot, cursor_signature, cursor_slot, cursor_at, walk, missing_since",
)
type Period = RowOf<typeof periodColumns> & { mint: Address }

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

async function followTokens(chain: Chain): Promise<void> {
  const due = (await claim(chain.mode)).filter((one) => !failing.isHeld(nameOf(one)))
  if (due.length === 0) return
  // Read before the database, so that what lands later lands after it.
  const { slot: asOf } = await chain.rpc.finalizedHeight()
  for (const one of due) {
    try {
      await follow(chain, one, asOf)
      failing.succeeded(nameOf(one))
    } catch (error) {
      failing.failed(nameOf(one))
      const about = { err: error, workspaceId: one.workspace_id, mintConfig: one.mint_config }
      logger.warn(about, "what holders of a token moved could not be read; retrying later")
      if (error instanceof HistoryMissing) await noteMissing(one)
    }
  }
}

const nameOf = ({ workspace_id, mint_config }: Period) => `${workspace_id}/${mint_config}`

/**
 * Takes the tokens that no process looked at for longest, so that several processes do not read the same. A restored
 * database waits until it has been compared with the chain: until then, operations may look like movements.
 */
const claim = (mode: Mode) => sql<Period[]>`
  update holder_periods p set checked_at = now() from (
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
  returning ${sql(qualified("p", periodColumns))}, d.mint`

async function follow(chain: Chain, period: Period, asOf: number): Promise<void> {
  const rpc = chain.rpc.patient
  const { mint, walk } = period
  const cursor = await cursorOf(period)
  if (cursor === null) throw new HistoryMissing(`no transaction of the mint ${mint} is known`)
  // It may still vanish.
  if ("is_final" in cursor && !cursor.is_final) return
  const part = { mint, cursor, before: walk?.before ?? null, asOf: walk?.asOf ?? asOf, most: LISTED }
  const { listed, isWhole } = await listTransactions(rpc, part)
  await refuseGap(period, part, { listed, isWhole })
  const foreign = await withoutOperations(period, listed)
  const toRead = foreign.slice(0, READ)
  const next = foreign[READ]
  const moved: Moved[] = []
  for (const one of toRead) {
    const found = await readMoved(rpc, mint, one)
    if (found.changes.length > 0) moved.push(found)
  }
  const newest = walk?.newest ?? listed[0] ?? { ...cursor, at: null }
  const done = next ? listed.slice(0, listed.indexOf(next)) : listed
  const last = done.at(-1)
  const isAll = isWhole && !next
  const state: Followed =
    isAll || !last
      ? { followedSlot: part.asOf, cursor: newest, walk: null }
      : {
          followedSlot: period.followed_slot,
          cursor,
          walk: { asOf: part.asOf, newest: shortOf(newest), before: shortOf(last) },
        }
  await save(period, moved, state)
}

const shortOf = ({ signature, slot, at }: Walk["newest"]): Walk["newest"] => ({ signature, slot, at })

async function cursorOf(period: Period) {
  const { cursor_signature: signature, cursor_slot: slot } = period
  return signature === null ? findStart(sql, period) : { signature, slot: Number(slot) }
}

/**
 * A list must have every operation that is known to be final. Rejects with HistoryMissing if it has not, which a single node
 * shows that lags or cuts its answers short.
 */
async function refuseGap(
  { workspace_id, mint_config }: Period,
  { cursor, before, asOf }: { cursor: { slot: number }; before: { slot: number } | null; asOf: number },
  { listed, isWhole }: Chunk,
): Promise<void> {
  const after = isWhole ? cursor.slot : listed.at(-1)!.slot
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

/** Those that took effect and are not operations of the token. Its operations are saved before they are sent. */
async function withoutOperations({ workspace_id, mint_config }: Period, listed: readonly Listed[]): Promise<Listed[]> {
  const signatures = listed.flatMap(({ signature, succeeded }) => (succeeded ? signature : []))
  if (signatures.length === 0) return []
  const rows = await sql<{ signature: string }[]>`
    select distinct signature from operations
    where workspace_id = ${workspace_id} and signature = any(${signatures}) and mint_config = ${mint_config}`
  const own = new Set(rows.map(({ signature }) => signature))
  return listed.filter(({ signature, succeeded }) => succeeded && !own.has(signature))
}

type Moved = { signature: string; slot: number; landedAt: Date; changes: WalletChange[] }

/** What a transaction moved, as two nodes report it if there are two. Rejects with HistoryMissing or Error. */
async function readMoved(rpc: Rpc, mint: Address, { signature, slot }: Listed): Promise<Moved> {
  const [first, second = first] = await askHistory(rpc, async (view) => {
    const found = await view.transaction(signature).catch((error) => {
      if (isUnreadable(error)) throw new HistoryMissing(`${signature} has a version that cannot be read`)
      throw error
    })
    if (found === null || found.slot !== slot) throw new HistoryMissing(`${signature} is listed, but not returned`)
    const changes = changesIn(found, mint).sort((one, other) => (one.wallet < other.wallet ? -1 : 1))
    return { changes, time: found.blockTime ?? null }
  })
  if (!isDeepStrictEqual(first, second)) throw new Error(`Two nodes report different effects of ${signature}.`)
  const { changes, time } = first!
  const landedAt = time === null ? await readBlockTime(rpc, slot) : new Date(time * 1000)
  if (landedAt === null) throw new HistoryMissing(`no node has the time of slot ${slot}`)
  return { signature, slot, landedAt, changes }
}

type Followed = {
  followedSlot: number | bigint | null
  cursor: { signature: string; slot: number; at?: number | null }
  walk: Walk | null
}

/**
 * Writes what was read and how far, in one transaction, unless another process was first. Moments up to the followed slot are
 * final. If something turns up that landed before, nodes left it out: it would change them, so the rest counts as lost.
 */
async function save(period: Period, moved: readonly Moved[], { followedSlot, cursor, walk }: Followed): Promise<void> {
  const { workspace_id, mint_config, followed_slot, cursor_signature, walk: before } = period
  const late = moved.filter(({ slot }) => followed_slot !== null && slot <= Number(followed_slot))
  const lostAt = late.length === 0 ? null : late.map(({ landedAt }) => landedAt).sort((a, b) => +a - +b)[0]!
  if (lostAt !== null) logger.error({ workspace_id, mint_config, late }, "nodes had left out what holders moved")
  const at = cursor.at == null ? null : new Date(cursor.at * 1000)
  await sql.begin(async (sql) => {
    await refuseInQuarantine(sql, workspace_id)
    const { count } = await sql`
      update holder_periods set followed_slot = ${followedSlot}, cursor_signature = ${cursor.signature},
        cursor_slot = ${cursor.slot}, cursor_at = coalesce(${at}, cursor_at), walk = ${walk && sql.json(walk)},
        missing_since = null, lost_at = ${lostAt}
      where workspace_id = ${workspace_id} and mint_config = ${mint_config} and until is null and lost_at is null
        and followed_slot is not distinct from ${followed_slot}
        and cursor_signature is not distinct from ${cursor_signature}
        and walk is not distinct from ${before && sql.json(before)}`
    if (count === 0 || lostAt !== null) return
    const rows = moved.flatMap(({ changes, ...one }) => changes.map((change) => ({ ...one, ...change })))
    await sql`
      insert into holder_movements (workspace_id, mint_config, wallet, delta, slot, landed_at, signature)
      select ${workspace_id}, ${mint_config}, t.* from unnest(${rows.map(({ wallet }) => wallet)}::text[],
        ${rows.map(({ delta }) => String(delta))}::numeric[], ${rows.map(({ slot }) => slot)}::bigint[],
        ${rows.map(({ landedAt }) => landedAt.toISOString())}::timestamptz[],
        ${rows.map(({ signature }) => signature)}::text[]) as t
      on conflict (workspace_id, mint_config, wallet, signature) do nothing`
  })
}

/** Notes that no node has the history. Once that has lasted, what landed after the last known transaction is lost. */
async function noteMissing({ workspace_id, mint_config, missing_since }: Period): Promise<void> {
  const now = clock.now()
  const isLost = missing_since !== null && addSeconds(missing_since, LOST_AFTER_HOURS * 3600) < now
  await sql`
    update holder_periods set missing_since = coalesce(missing_since, ${now}),
      lost_at = ${isLost ? sql`coalesce(cursor_at, since)` : null}
    where workspace_id = ${workspace_id} and mint_config = ${mint_config} and until is null and lost_at is null`
  if (isLost) logger.error({ workspace_id, mint_config }, "no node has the history of what holders moved; it is lost")
}
