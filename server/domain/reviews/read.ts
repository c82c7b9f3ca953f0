import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { type Timestamped, timestamped } from "#db/rows.ts"
import { seqAt } from "#db/seq-at.ts"
import { unseal } from "#domain/deployment"
import { type NamedPeople, readNamed, searchText } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { pageOf } from "#server/lib/cursor.ts"
import { filterId } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { addDays, clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { ReviewDecision } from "#shared/review-decisions.ts"
import {
  allReviewKinds,
  allReviewPriorities,
  type Finding,
  type ReviewEnding,
  type ReviewKind,
  type ReviewState,
} from "#shared/reviews.ts"
import { awaitsApproval, investorOfReview, reviewNotFound, reviewState } from "./lock.ts"
import { entryOwner } from "./owners.ts"
import { hasPriority } from "./priorities.ts"

/** Filters of the queue. */
export const reviewFilter = z.object({
  /** `waiting`: for a decision or a confirmation. */
  state: z.enum(["waiting", "closed"]).default("waiting"),
  kind: z.enum(allReviewKinds).optional(),
  assigned: z.enum(["me", "nobody"]).optional(),
  /** Opened at least this many days ago. */
  days: z.literal([1, 7, 30]).optional(),
  /** Of waiting reviews: how soon they need a decision. */
  priority: z.enum(allReviewPriorities).optional(),
  /** Only reviews about this investor, or about a wallet that now belongs to them. */
  investor: filterId("inv").optional(),
  /** Only reviews about people whom this names, or about their wallets. */
  q: searchText.optional(),
})
export type ReviewFilter = z.infer<typeof reviewFilter>

type Named = { id: string; name: string }

export type SummaryRow = {
  id: string
  seq: bigint
  kind: ReviewKind
  state: ReviewState
  /** The newest finding. */
  finding: Finding
  /** The newest finding in its finder's words, sealed; null if it has none. */
  said: Buffer | null
  attestation_id: string | null
  wallet: Address | null
  investor_id: string | null
  schema: string | null
  external_id: string | null
  opened_at: Date
  /** When the session that waits for the review closes; null if none waits. */
  session_open_until: Date | null
  high_from: Date | null
  urgent_from: Date | null
  assignee: Named | null
  decision: ReviewDecision | null
  requested_by: Named | null
  decided_by: Named | null
  ending: ReviewEnding | null
  closed_at: Date | null
}
export type ReviewSummary = Timestamped<Omit<SummaryRow, "id" | "seq" | "said">> & {
  review_id: string
  /** The newest finding in its finder's words, such as a vendor's reason; null if it has none. */
  said: string | null
}

const PAGE = 50

/** The highest number that is counted. */
const MOST_COUNTED = 100

/** A member that a review names. A former member has a name while their user exists. */
const named = (column: "assignee" | "requested_by" | "decided_by") => sql`
  (select jsonb_build_object('id', u.id, 'name', u.name) from users u where u.id = r.${sql(column)}) as ${sql(column)}`

/** The investor that a review is about: the attestation's, or the wallet's owner. */
const investorOf = () => sql`
  coalesce(${investorOfReview(sql)}, a.investor_id,
    (select o.investor_id from wallet_owner(r.workspace_id, r.wallet) o))`

const newestFinding = (column: "finding" | "text") => sql`
  (select e.${sql(column)} from review_entries e where e.workspace_id = r.workspace_id and e.review_id = r.id
    and e.finding is not null order by e.seq desc limit 1)`

/** All columns of a `SummaryRow`. */
export const summaryFields = () => sql`
  r.id, r.seq, r.kind, ${reviewState(sql)} as state, r.attestation_id, r.wallet, r.opened_at, r.ending, r.closed_at,
  case when r.state = 'closed' or ${awaitsApproval(sql)} then r.decision end as decision,
  ${investorOf()} as investor_id,
  a.schema_id as schema,
  (select i.external_id from investors i where i.workspace_id = r.workspace_id and i.id = ${investorOf()}) as external_id,
  case when a.status = 'pending' and r.kind = 'vendor' then a.open_until end as session_open_until,
  r.high_from, r.urgent_from,
  ${newestFinding("finding")} as finding, ${newestFinding("text")} as said,
  ${named("assignee")}, ${named("requested_by")}, ${named("decided_by")}`

/** Reviews joined with their attestations. */
export const reviewTables = () => sql`
  reviews r left join attestations a on a.workspace_id = r.workspace_id and a.id = r.attestation_id`

/** Whether a review waits. A session past its time leaves nothing to decide, even before the sweep. */
const isWaiting = (now: Date) => sql`
  r.state <> 'closed' and not (r.kind = 'vendor' and a.open_until is not null and a.open_until <= ${now})`

export const toReviewSummary = ({ id, seq: _, said, ...row }: SummaryRow): ReviewSummary => ({
  review_id: id,
  ...timestamped(row),
  said: said && unseal(entryOwner(id), said),
})

/** The workspace's reviews that match all filters. */
async function matching({ workspaceId, via }: Principal, filter: ReviewFilter) {
  const { state, kind, assigned, days, priority, investor, q } = filter
  const named = await readNamed(workspaceId, q)
  const now = clock.now()
  const me = via.kind === "user" ? via.userId : null
  return () => sql`
    r.workspace_id = ${workspaceId} and ${state === "waiting" ? isWaiting(now) : sql`r.state = 'closed'`}
    ${kind === undefined ? sql`` : sql`and r.kind = ${kind}`}
    ${assigned === undefined ? sql`` : assigned === "me" ? sql`and r.assignee = ${me}` : sql`and r.assignee is null`}
    ${days === undefined ? sql`` : sql`and r.opened_at <= ${addDays(now, -days)}`}
    ${priority === undefined ? sql`` : sql`and ${hasPriority(sql, priority, now)}`}
    ${investor === undefined ? sql`` : sql`and ${investorOf()} = ${investor}`}
    ${named === null ? sql`` : matchesText(named)}`
}

const matchesText = ({ ids, isAbout }: NamedPeople) =>
  ids === null
    ? sql`and ${isAbout({ investorId: investorOf(), wallet: sql`coalesce(r.wallet, a.wallet)` })}`
    : sql`and r.subject = any(${ids})`

/** A page of waiting reviews, oldest first, or of closed ones, newest first. Errors: validation_failed for a cursor. */
export async function listReviews(
  principal: Principal,
  { cursor, ...filter }: ReviewFilter & { cursor?: string | undefined },
): Promise<{ data: ReviewSummary[]; next_cursor: string | null }> {
  const place = cursor === undefined ? null : await seqAt("reviews", "rev", principal.workspaceId, cursor)
  const waits = filter.state === "waiting"
  const matches = await matching(principal, filter)
  const rows = await sql<SummaryRow[]>`
    select ${summaryFields()} from ${reviewTables()} where ${matches()}
      ${place === null ? sql`` : waits ? sql`and r.seq > ${place}` : sql`and r.seq < ${place}`}
    order by r.seq ${waits ? sql`nulls first` : sql`desc nulls last`} limit ${PAGE + 1}`
  return pageOf(rows, PAGE, toReviewSummary)
}

/** The ids of the waiting reviews that match, oldest first, up to a place in the queue and at most so many. */
export async function findWaiting(
  sql: Queryable,
  principal: Principal,
  {
    filter,
    last = null,
    limit,
    lock = false,
  }: { filter: Omit<ReviewFilter, "state">; last?: bigint | null; limit: number; lock?: boolean },
): Promise<{ id: string; seq: bigint }[]> {
  const matches = await matching(principal, { ...filter, state: "waiting" })
  return sql<{ id: string; seq: bigint }[]>`
    select r.id, r.seq from ${reviewTables()} where ${matches()} ${last === null ? sql`` : sql`and r.seq <= ${last}`}
    order by r.seq limit ${limit} ${lock ? sql`for update of r` : sql``}`
}

/** A review's place in the queue. `left` counts the other reviews of the queue, up to a hundred. */
export type Neighbours = { previous: string | null; next: string | null; left: number }

/**
 * Where a member goes on from a review: the reviews before and after it that match the filter and wait for them. After
 * the last comes the first. Reviews whose decision they asked others to approve are left out. Errors: review_not_found.
 */
export async function readNeighbours(
  principal: Principal,
  id: string,
  filter: Omit<ReviewFilter, "state">,
): Promise<Neighbours> {
  const { workspaceId, via } = principal
  if (!isId("rev", id)) return reviewNotFound(id)
  const me = via.kind === "user" ? via.userId : null
  const matches = await matching(principal, { ...filter, state: "waiting" })
  const others = sql`
    from ${reviewTables()} where ${matches()} and r.id <> ${id}
      and (r.requested_by is distinct from ${me} or not ${awaitsApproval(sql)})`
  const [place] = await sql<Neighbours[]>`
    select (select r.id ${others} and r.seq < here.seq order by r.seq desc nulls last limit 1) as previous,
      coalesce((select r.id ${others} and r.seq > here.seq order by r.seq nulls first limit 1),
        (select r.id ${others} order by r.seq nulls first limit 1)) as next,
      (select count(*)::int from (select ${others} limit ${MOST_COUNTED}) counted) as left
    from reviews here where here.workspace_id = ${workspaceId} and here.id = ${id}`
  return place ?? reviewNotFound(id)
}

/** How many reviews wait and how many are closed, each counted up to a hundred. */
export async function countReviews({ workspaceId }: Principal): Promise<{ waiting: number; closed: number }> {
  const [row] = await sql<{ waiting: number; closed: number }[]>`
    select
      (select count(*)::int from (
        select from ${reviewTables()} where r.workspace_id = ${workspaceId} and ${isWaiting(clock.now())}
        limit ${MOST_COUNTED}) waiting) as waiting,
      (select count(*)::int from (
        select from reviews r where r.workspace_id = ${workspaceId} and r.state = 'closed'
        limit ${MOST_COUNTED}) closed) as closed`
  return row!
}

/** The waiting reviews of sessions that their vendor left in review, by the attestation. */
export async function vendorReviewsOf(
  workspaceId: string,
  attestationIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<ReviewSummary, "review_id" | "said">>> {
  type Row = Pick<SummaryRow, "id" | "said"> & { subject: string }
  const rows = await sql<Row[]>`
    select r.id, r.subject, ${newestFinding("text")} as said from reviews r
    where r.workspace_id = ${workspaceId} and r.kind = 'vendor' and r.subject = any(${attestationIds as string[]})
      and r.state <> 'closed'`
  return new Map(
    rows.map(({ id, subject, said }) => [subject, { review_id: id, said: said && unseal(entryOwner(id), said) }]),
  )
}
