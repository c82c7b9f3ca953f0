import { createHash } from "node:crypto"
import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { recordChange, withoutSearch } from "#domain/audit-log"
import { changeAs } from "#domain/people"
import { type Caller, claimKey, type IdempotencyClaim, type Member } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { bulkRevocationNotFound } from "./lists.ts"
import { freezeMatching, type Matching, type Selected } from "./matching.ts"

/** The most lists of one workspace that can be in progress at the same time. */
const MOST_OPEN = 3
/** The most lists of one workspace that can wait for approval at the same time: each can have thousands of entries. */
const MOST_WAITING = 10

type Listing = {
  /** Selected one by one, or by a filter. */
  of: ById | Matching
  reason: string
  /** The public reason for the investors; null for the default. */
  publicReason: PublicReason | null
}

/** Selected one by one. `pending` are those whose session was open, if that is known; all others were verified. */
type ById = { ids: readonly string[]; pending: readonly string[] | undefined }

type Reasons = { reason: string; public_reason?: PublicReason }
/** A list whose ids are frozen in `bulk_revocation_items`, without what a member searched for, which may name a person. */
type FrozenList = { attestations: number; list_sha256: string; filter: Record<string, string> }
/** The body of a request to revoke a list, as an approval stores it. */
export type StoredList = Reasons & ({ attestation_ids: string[]; pending_ids?: string[] } | FrozenList)

/**
 * Records which attestations to revoke, for one reason. A worker then revokes them, even if this process stops. An id
 * that is listed twice counts once; an id that does not exist is listed among the failures. Those that match a filter
 * are frozen now. May need approval, also by a policy about the pending ones. Errors: too_many_bulk_revocations,
 * selection_changed, insufficient_scope, approver_missing; throws AwaitingApproval.
 */
export async function startBulkRevocation({
  idempotency,
  of,
  reason,
  publicReason,
  ...caller
}: Caller<Member> & Listing & { idempotency: IdempotencyClaim | null }): Promise<{ id: string }> {
  if (idempotency?.begun) return { id: idempotency.begun }
  const { workspaceId, via } = caller.principal
  const id = newId("blk")
  const reasons = { reason, ...(publicReason && { public_reason: publicReason }) }
  const { selected, seen } = "ids" in of ? { selected: byId(of), seen: null } : await freezeMatching(workspaceId, of)
  const ids = selected.map(({ id }) => id)
  const request = {
    ...("ids" in of
      ? { attestation_ids: ids, ...(of.pending && { pending_ids: [...of.pending] }) }
      : describe(of, ids)),
    ...reasons,
  }
  const matched = seen === null || "ids" in of ? null : { filter: of.filter as Record<string, string>, seen }
  const decided = await changeAs(caller, "attestation:write", async (sql) => {
    await requireRoom(sql, workspaceId)
    const list = { id, selected, matched, request, by: { id: via.userId, name: via.name }, idempotency }
    const decided = await start(sql, caller, list)
    // Frozen now, so that what is approved is what was requested.
    if ("waits" in decided && matched)
      await insertList(sql, caller, list, { reason: null, endedAt: decided.waits.expires_at })
    return decided
  })
  return doneOf(decided)!
}

const byId = ({ ids, pending }: ById): Selected[] =>
  [...new Set(ids)].map((id) => ({
    id,
    seen: pending === undefined ? null : pending.includes(id) ? "pending" : "verified",
  }))

const describe = ({ filter }: Matching, ids: readonly string[]): FrozenList => ({
  attestations: ids.length,
  list_sha256: createHash("sha256").update(ids.join("\n")).digest("base64url"),
  filter: withoutSearch(filter as Record<string, string>),
})

/** Starts a list that was approved. The worker acts for the member who requested it. */
export const redoBulkRevocation = (
  { replay, ...caller }: Caller<Member> & { replay: Replay },
  { id, request, by }: Pick<List, "id" | "request" | "by">,
): Promise<unknown> =>
  sql.begin(async (sql) => {
    const selected =
      "attestation_ids" in request
        ? byId({ ids: request.attestation_ids, pending: request.pending_ids })
        : await frozenList(sql, caller.principal.workspaceId, id)
    return start(sql, caller, { id, selected, matched: null, request, by, idempotency: null, replay })
  })

const frozenList = (sql: Queryable, workspaceId: string, id: string) =>
  sql<Selected[]>`
    select attestation_id as id, seen_status as seen from bulk_revocation_items
    where workspace_id = ${workspaceId} and revocation_id = ${id} order by place`

type List = {
  id: string
  selected: readonly Selected[]
  /** Null if they were selected one by one. */
  matched: { filter: Record<string, string>; seen: number } | null
  request: StoredList
  /** The member for whom the worker acts. */
  by: { id: string; name: string }
  idempotency: IdempotencyClaim | null
  replay?: Replay
}

async function start(sql: Transaction, caller: Caller<Member>, list: List): Promise<Decided<{ id: string }>> {
  const { workspaceId } = caller.principal
  const { id, selected, request, idempotency, replay } = list
  const ids = selected.map((one) => one.id)
  const pending = await sql`
    select from attestations where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'pending' limit 1`
  const also = pending.length > 0 ? (["attestation_revoke"] as const) : []
  const amount = String(ids.length)
  const about = { action: "attestation_revoke_bulk", subject: id, request, also, amount, rules: "" } as const
  const bound = { ...about, personal: ["reason", "public_reason"], author: caller, idempotency, replay }
  return underPolicy(sql, workspaceId, bound, async (sql) => {
    if (replay && "list_sha256" in request) await release(sql, workspaceId, id, request)
    else await insertList(sql, caller, list, { reason: request.reason, endedAt: null })
    const detail = {
      attestations: ids.length,
      ...("filter" in request && { filter: request.filter }),
      ...(list.matched && { seen: list.matched.seen }),
    }
    await recordChange(sql, workspaceId, { author: caller, action: "bulk_revocation.started", subject: id, detail })
    if (idempotency) await claimKey(sql, idempotency, id)
    return { id }
  })
}

type State = {
  /** Null while the list waits for approval: then the request has it. */
  reason: string | null
  endedAt: Date | null
}

async function insertList(
  sql: Queryable,
  { principal: { workspaceId }, requestId }: Caller<Member>,
  { id, selected, matched, request, by }: List,
  { reason, endedAt }: State,
): Promise<void> {
  await sql`
    insert into bulk_revocations
      (workspace_id, id, reason, public_reason, attestations, filter, seen, author_id, author_name, request_id,
        created_at, ended_at)
    values (${workspaceId}, ${id}, ${reason}, ${request.public_reason ?? null}, ${selected.length},
      ${matched && sql.json(matched.filter)}, ${matched?.seen ?? null}, ${by.id}, ${by.name}, ${requestId},
      ${clock.now()}, ${endedAt})`
  await sql`
    insert into bulk_revocation_items (workspace_id, revocation_id, place, attestation_id, seen_status)
    select ${workspaceId}, ${id}, t.place, t.id, t.seen
    from unnest(${selected.map((one) => one.id)}::text[], ${selected.map((one) => one.seen)}::text[])
      with ordinality as t(id, seen, place)`
}

/** Gives an approved list to the workers. */
async function release(sql: Queryable, workspaceId: string, id: string, { reason }: Reasons): Promise<void> {
  const released = await sql`
    update bulk_revocations set ended_at = null, reason = ${reason}
    where workspace_id = ${workspaceId} and id = ${id} returning id`
  if (released.length === 0) bulkRevocationNotFound()
}

/** Serialized, so that two requests cannot exceed the limits together. Errors: too_many_bulk_revocations. */
async function requireRoom(sql: Queryable, workspaceId: string): Promise<void> {
  await sql`select from workspaces where id = ${workspaceId} for no key update`
  const [count] = await sql<{ open: number; waiting: number }[]>`
    select (count(*) filter (where ended_at is null))::int as open,
      (count(*) filter (where ended_at > ${clock.now()} and exists (select from approvals a
        where a.workspace_id = r.workspace_id and a.subject = r.id and a.state = 'pending')))::int as waiting
    from bulk_revocations r where workspace_id = ${workspaceId} and (ended_at is null or ended_at > ${clock.now()})`
  if (count!.open >= MOST_OPEN)
    fail(
      "too_many_bulk_revocations",
      `${MOST_OPEN} lists of attestations are already being revoked. Wait until one ends.`,
    )
  if (count!.waiting >= MOST_WAITING)
    fail(
      "too_many_bulk_revocations",
      `${MOST_WAITING} lists of attestations already wait for approval. Decide or withdraw one first.`,
    )
}
