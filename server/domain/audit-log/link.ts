import { background as sql, type Transaction } from "#db/client.ts"
import { columns, only, type RowOf } from "#db/rows.ts"
import { serverRun } from "#server/ledger/index.ts"
import { FIRST_HASH, hashedText, linkHash } from "./chain.ts"

/** Entries that are linked in one transaction, which takes about 50 ms. */
const BATCH = 1000

/** A moment, and who was writing entries then. */
type Moment = {
  /** The run of the database server. After a restore or a failover, numbers may be used again. */
  run: string
  /** Every entry written before has this number or a lower one. */
  upTo: bigint
  /** The transactions that were writing entries, and may still commit one with a lower number. */
  writers: string[]
}

let noted: Moment | null = null
/** The last moment up to which everything was linked. */
let done: Pick<Moment, "run" | "upTo"> | null = null

/**
 * Links entries that were committed in their workspaces' hash chains, in the order of their numbers. Numbers are not
 * committed in order. So a pass notes the last number and the transactions that are writing entries, and a later pass
 * links up to that number once all of them have ended: nothing with a lower number can then appear. A mint waits for
 * none of this.
 */
export async function linkEntries(): Promise<void> {
  const before = noted
  if (before !== null) {
    const now = await readMoment()
    if (now.run !== before.run) noted = null
    else if (!before.writers.some((one) => now.writers.includes(one))) {
      if (before.run !== done?.run || before.upTo !== done.upTo) await linkUpTo(before)
      done = before
      noted = null
    }
  }
  noted ??= await readMoment()
}

/**
 * An insert locks the table before it takes a number, until its transaction has ended. So a transaction with a number
 * that cannot be seen yet is among those that hold the lock after the last number was read. The ids of transactions would
 * not show this: an insert may take its number before its transaction gets an id.
 */
async function readMoment(): Promise<Moment> {
  const last = await sql<{ up_to: bigint; run: string }[]>`
    select case when is_called then last_value else 0 end as up_to, ${serverRun(sql)} as run from audit_entries_seq_seq`
  const { up_to: upTo, run } = only(last)
  const held = await sql<{ writers: string[]; run: string }[]>`
    select ${serverRun(sql)} as run, coalesce(array_agg(distinct virtualtransaction), '{}') as writers from pg_locks
    where locktype = 'relation' and relation = 'audit_entries'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`
  const { writers, run: runNow } = only(held)
  // No entry is linked by a moment of two runs.
  return { run: run === runNow ? run : "", upTo, writers }
}

async function linkUpTo({ run, upTo }: Moment): Promise<void> {
  const accounts = await sql<{ id: string }[]>`
    select a.id from accounts a left join audit_chains c on c.account_id = a.id
    where exists (
      select from audit_entries e where e.account_id = a.id and e.seq > coalesce(c.seq, 0) and e.seq <= ${upTo})`
  for (const { id } of accounts) while ((await sql.begin((sql) => linkBatch(sql, id, { run, upTo }))) === BATCH);
}

const entryColumns = columns(
  "audit_entries",
  "seq, workspace_id, at, action, actor, actor_id, actor_name, subject, detail, request_id",
)

/** Links the next entries of an account, and returns how many. None if another process is linking them. */
async function linkBatch(
  sql: Transaction,
  accountId: string,
  { run, upTo }: Pick<Moment, "run" | "upTo">,
): Promise<number> {
  await sql`insert into audit_chains (account_id, seq) values (${accountId}, 0) on conflict do nothing`
  const [chain] = await sql<{ seq: bigint }[]>`
    select seq from audit_chains where account_id = ${accountId} and ${serverRun(sql)} = ${run} for update skip locked`
  if (!chain) return 0
  const entries = await sql<RowOf<typeof entryColumns>[]>`
    select ${sql(entryColumns)} from audit_entries
    where account_id = ${accountId} and seq > ${chain.seq} and seq <= ${upTo} order by seq limit ${BATCH}`
  const last = entries.at(-1)
  if (!last) return 0
  const heads = await sql<{ id: string; place: bigint | null; hash: Buffer | null }[]>`
    select w.id, l.place, l.hash from workspaces w left join lateral (
      select place, hash from audit_links where workspace_id = w.id order by place desc limit 1) l on true
    where w.account_id = ${accountId}`
  const links = heads.flatMap(({ id, place, hash }) => {
    const head = { place: place ?? 0n, hash: hash ?? FIRST_HASH }
    const own = entries.filter(({ workspace_id }) => workspace_id === id || workspace_id === null)
    return own.map((entry) => {
      head.place++
      head.hash = linkHash(head.hash, hashedText(head.place, entry))
      return { workspace_id: id, place: String(head.place), seq: String(entry.seq), hash: head.hash.toString("hex") }
    })
  })
  await sql`
    insert into audit_links (workspace_id, place, seq, hash)
    select workspace_id, place, seq, decode(hash, 'hex')
    from jsonb_to_recordset(${JSON.stringify(links)}::text::jsonb) as t(workspace_id text, place bigint, seq bigint, hash text)`
  await sql`update audit_chains set seq = ${last.seq} where account_id = ${accountId}`
  return entries.length
}
