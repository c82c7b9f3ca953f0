import { randomUUID } from "node:crypto"
import { type Queryable, repeatOnDeadlock, background as sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { endHit } from "./clear.ts"
import { recordHits } from "./hits.ts"
import { listsWith, loadedLists } from "./lists.ts"
import type { LoadedList } from "./stored-lists.ts"

// When a list has changed, every wallet that a workspace knows is compared with it: those of attestations and holdings,
// and earlier matches, which may have left the list.

/** Rows to read at once. */
const BATCH = 5000
/** How long a walk stays claimed after its last step. Each step extends it. */
const CLAIM_SECONDS = 10

/** Pauses workspaces in which a walk failed, so that they do not delay others. */
const troubled = new Backoff({ firstMs: 1000, longestMs: 60_000 })

type Step = "attestations" | "holdings" | "hits"
type Walk = { workspaceId: string; list: LoadedList; token: string; applyHeld: ApplyHeld }
/** Applies an approval that waited for its wallet. */
type ApplyHeld = (sql: Queryable, held: { workspaceId: string; attestationId: string }, now: Date) => Promise<void>

/**
 * Compares the wallets of all workspaces with new versions of the lists. One worker walks a workspace at a time and
 * saves its progress after each step, so that another one continues from there after a crash. Returns how many walks
 * finished.
 */
export async function rescreenDue(applyHeld: ApplyHeld): Promise<number> {
  let ended = 0
  for (const list of loadedLists()) {
    for (const workspaceId of await dueFor(list)) {
      const trouble = `${list.name} ${workspaceId}`
      if (troubled.isHeld(trouble)) continue
      try {
        if (await walk({ workspaceId, list, applyHeld })) ended += 1
        troubled.succeeded(trouble)
      } catch (error) {
        troubled.failed(trouble)
        logger.warn({ err: error, workspaceId, list: list.name }, "screening failed; retrying later")
      }
    }
  }
  return ended
}

/** Workspaces to compare. None if another process has loaded a newer version and will compare it. */
async function dueFor({ name, digest }: LoadedList): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select w.id from workspaces w
    join screening_lists l on l.name = ${name} and l.digest = ${digest}
    left join screenings s on s.workspace_id = w.id and s.list = ${name}
    where s.digest is distinct from ${digest} or (s.step is not null and s.claimed_until <= clock_timestamp())`
  return rows.map(({ id }) => id)
}

/** Begins or continues a walk, unless another worker has it. Returns whether it finished. */
async function walk(work: Omit<Walk, "token">): Promise<boolean> {
  const { workspaceId, list } = work
  const token = randomUUID()
  const [claimed] = await sql<{ step: Step; up_to: string }[]>`
    insert into screenings as s (workspace_id, list, digest, step, token, claimed_until, started_at)
    values (${workspaceId}, ${list.name}, ${list.digest}, 'attestations', ${token},
      clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), ${clock.now()})
    on conflict (workspace_id, list) do update
      set digest = excluded.digest, token = excluded.token, claimed_until = excluded.claimed_until,
        step = case when s.digest = excluded.digest then s.step else excluded.step end,
        up_to = case when s.digest = excluded.digest then s.up_to else '' end,
        compared = case when s.digest = excluded.digest then s.compared else 0 end,
        found = case when s.digest = excluded.digest then s.found else 0 end,
        started_at = case when s.digest = excluded.digest then s.started_at else excluded.started_at end,
        finished_at = null
      where s.digest <> excluded.digest or (s.step is not null and s.claimed_until <= clock_timestamp())
    returning step, up_to`
  if (!claimed) return false
  const own: Walk = { ...work, token }
  let at: Next = { step: claimed.step, upTo: claimed.up_to }
  while (at !== null && at !== "lost") at = await compare(own, at.step, await knownAfter[at.step](own, at.upTo))
  return at === null
}

type Place = { step: Step; upTo: string }
/** Where the walk continues; null at the end, `lost` if another worker has taken over. */
type Next = Place | null | "lost"

const order = { attestations: "holdings", holdings: "hits", hits: null } as const

type Known = { wallet: Address; up_to: string; may_have_left: boolean }

/** The next wallets of each step, after `upTo`. */
const knownAfter: Record<Step, (walk: Walk, upTo: string) => PromiseLike<Known[]>> = {
  // In byte order, like the index.
  attestations: ({ workspaceId }, upTo) => sql<Known[]>`
    select wallet, wallet as up_to, false as may_have_left from attestations
    where workspace_id = ${workspaceId} and wallet ~>~ ${upTo} order by wallet using ~<~ limit ${BATCH}`,
  holdings: ({ workspaceId }, upTo) => {
    const [config = "", wallet = ""] = upTo.split(" ")
    return sql<Known[]>`
      select wallet, mint_config || ' ' || wallet as up_to, false as may_have_left from holdings
      where workspace_id = ${workspaceId} and (mint_config, wallet) > (${config}, ${wallet})
      order by mint_config, wallet limit ${BATCH}`
  },
  hits: ({ workspaceId, list }, upTo) => sql<Known[]>`
    select wallet, wallet as up_to, gone_at is null as may_have_left from screening_hits
    where workspace_id = ${workspaceId} and list = ${list.name} and wallet > ${upTo} order by wallet limit ${BATCH}`,
}

/** Compares wallets. Records each match separately, before saving the walk's progress. */
async function compare(own: Walk, step: Step, known: readonly Known[]): Promise<Next> {
  const { workspaceId, list } = own
  const isOn = (wallet: Address) => listsWith(wallet).some(({ digest }) => digest === list.digest)
  let done = 0
  const seen = new Set<Address>()
  for (const [n, { wallet, up_to: upTo }] of known.entries()) {
    if (seen.has(wallet) || !isOn(wallet)) continue
    seen.add(wallet)
    const found = await recordHits(sql, workspaceId, [{ wallet, list }])
    if (!(await save(own, { step, upTo }, { compared: n + 1 - done, found }))) return "lost"
    done = n + 1
  }
  for (const { wallet, may_have_left } of known) if (may_have_left && !isOn(wallet)) await leave(own, wallet)
  const next: Place | null =
    known.length === BATCH
      ? { step, upTo: known.at(-1)!.up_to }
      : order[step] === null
        ? null
        : { step: order[step], upTo: "" }
  return (await save(own, next, { compared: known.length - done, found: 0 })) ? next : "lost"
}

/** Ends the match of a wallet that left the list, and applies approvals that only waited for it. */
async function leave({ workspaceId, list, applyHeld }: Walk, wallet: Address): Promise<void> {
  const ended = await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      // Lock them before the review, in the same order as a vendor's event.
      const held = await sql<{ id: string }[]>`
        select id from attestations
        where workspace_id = ${workspaceId} and wallet = ${wallet} and status = 'pending' and held_at is not null
        order by seq for update`
      if (!(await endHit(sql, { workspaceId, wallet, list: list.name }))) return false
      for (const { id } of held) await applyHeld(sql, { workspaceId, attestationId: id }, clock.now())
      return true
    }),
  )
  if (!ended) return
  publish("ledger")
  publishActivity(workspaceId)
}

/** Saves the progress; false if another worker has taken over. */
async function save(
  { workspaceId, list, token }: Walk,
  next: Place | null,
  { compared, found }: { compared: number; found: number },
): Promise<boolean> {
  const saved = await sql`
    update screenings set step = ${next?.step ?? null}, up_to = ${next?.upTo ?? ""}, compared = compared + ${compared},
      found = found + ${found}, claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}),
      finished_at = case when ${next === null} then ${clock.now()}::timestamptz end
    where workspace_id = ${workspaceId} and list = ${list.name} and token = ${token} returning workspace_id`
  return saved.length > 0
}
