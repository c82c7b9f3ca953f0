import { background as sql, type Transaction } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { budgetRefusal } from "#domain/accounts"
import { recordChange, showHash, vouch } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import { enqueue, readQuarantine, serverRun } from "#server/ledger/index.ts"
import { derivedId } from "#server/lib/ids.ts"
import { logger } from "#server/lib/log.ts"
import { clock, startOfDay } from "#server/lib/time.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { anchorAuditLog } from "./operation.ts"

/** Workspaces to look at in one statement. */
const BATCH = 100

/**
 * Puts the newest hash of each audit log on chain, once a day (UTC) and only if an entry of an earlier day is not covered
 * yet. A workspace that has never sent a transaction has nothing on chain to account for, and spends nothing on this.
 */
export async function anchorAuditLogs(): Promise<void> {
  await compareFound()
  const today = startOfDay(clock.now())
  for (let after = ""; ; ) {
    const due = await findDue(today, after)
    for (const { id } of due)
      await sql
        .begin((sql) => anchorOne(sql, id))
        .catch((error) => logger.warn({ err: error, workspaceId: id }, "an audit log waits to be anchored"))
    if (due.length < BATCH) return
    after = due.at(-1)!.id
  }
}

const findDue = (today: Date, after: string) => {
  const ready = modes.filter((mode: Mode) => deployment.chains[mode] !== null)
  return sql<{ id: string }[]>`
    select w.id from workspaces w join chains c on c.mode = w.mode and c.server = ${serverRun(sql)}
    left join lateral (
      select place, created_at from audit_anchors
      where workspace_id = w.id and state <> 'lost' order by created_at desc limit 1) a on true
    where w.mode = any(${ready}) and w.id > ${after} and coalesce(a.created_at < ${today}, true)
      and exists (
        select from audit_links l join audit_entries e on e.account_id = w.account_id and e.seq = l.seq
        where l.workspace_id = w.id and l.place = coalesce(a.place, 0) + 1 and e.at < ${today})
      and exists (select from transactions t where t.workspace_id = w.id)
    order by w.id limit ${BATCH}`
}

type Head = { place: bigint; hash: Buffer; is_anchored: boolean }

/** Queues the anchor of a workspace, if nothing speaks against it now. The next pass tries again. */
async function anchorOne(sql: Transaction, workspaceId: string): Promise<void> {
  // One process at a time. A process that links entries of this account waits for it or skips it.
  await sql`
    select from audit_chains c join workspaces w on w.account_id = c.account_id
    where w.id = ${workspaceId} for update of c`
  const [head] = await sql<Head[]>`
    select l.place, l.hash, exists (select from audit_anchors a where a.workspace_id = l.workspace_id
      and a.state <> 'lost' and a.created_at >= ${startOfDay(clock.now())}) as is_anchored
    from audit_links l where l.workspace_id = ${workspaceId} order by l.place desc limit 1`
  if (head === undefined || head.is_anchored) return
  if ((await readQuarantine(sql, workspaceId)) !== null || (await budgetRefusal(sql, workspaceId)) !== null) return
  const [place, hash] = [Number(head.place), showHash(head.hash)]
  // A restored database anchors the same entry under the same id, so the chain shows it once.
  const id = derivedId("anch", `${workspaceId} ${place} ${hash}`)
  const added = await sql`
    insert into audit_anchors (workspace_id, id, place, hash, state, created_at)
    values (${workspaceId}, ${id}, ${place}, ${head.hash}, 'made', ${clock.now()})
    on conflict do nothing returning id`
  if (added.length === 0) return
  const payload = { anchor_id: id, place, hash }
  await enqueue(sql, workspaceId, anchorAuditLog, { payload, writes: [], reads: [] })
  publish("ledger")
}

type Found = {
  workspace_id: string
  id: string
  place: bigint
  hash: Buffer
  signature: string
  is_same: boolean | null
  is_linked: boolean
}

/**
 * Compares the anchors that a restore found with the restored chain, once it has come to their places or has no more
 * entries to link. If it has other entries there, the restore lost those that were anchored, and the log says so.
 */
async function compareFound(): Promise<void> {
  const found = await sql<Found[]>`
    select a.workspace_id, a.id, a.place, a.hash, a.signature, l.hash = a.hash as is_same, not exists (
      select from audit_entries e where e.account_id = w.account_id and e.seq > c.seq) as is_linked
    from audit_anchors a join workspaces w on w.id = a.workspace_id join audit_chains c on c.account_id = w.account_id
    left join audit_links l on l.workspace_id = a.workspace_id and l.place = a.place
    where a.state = 'found' and a.signature is not null`
  for (const { workspace_id: workspaceId, id, place, hash, signature, is_same, is_linked } of found) {
    if (is_same === null && !is_linked) continue
    const state = is_same === true ? "made" : "lost"
    await sql.begin(async (sql) => {
      const changed = await sql`
        update audit_anchors set state = ${state}
        where workspace_id = ${workspaceId} and id = ${id} and state = 'found' returning id`
      if (changed.length === 0 || state === "made") return
      const detail = { place: Number(place), hash: showHash(hash), transaction: signature }
      await recordChange(sql, workspaceId, { author: vouch, action: "audit_log.entries_lost", subject: id, detail })
    })
  }
}
