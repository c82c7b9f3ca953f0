import { createHmac } from "node:crypto"
import type { Fragment } from "postgres"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf, timestamped } from "#db/rows.ts"
import { deployment, seal, unseal } from "#domain/deployment"
import { subjectsNamed } from "#domain/investor-search"
import { badCursor } from "#server/lib/cursor.ts"
import { instant } from "#server/lib/fields.ts"
import { auditActors } from "#shared/statuses.ts"
import { showHash } from "./chain.ts"

/** Which entries to return: those written at `from` or later, and before `to`. */
export const auditFilter = z.object({
  /** A prefix of the action, such as `key.`. */
  action: z.string().max(100).optional(),
  actor: z.enum(auditActors).optional(),
  actor_id: z.string().max(100).optional(),
  /** The id of an object, or what names people: entries about them, their verifications, wallets and operations. */
  subject: z.string().max(200).optional(),
  from: instant.optional(),
  to: instant.optional(),
})
export type AuditFilter = z.infer<typeof auditFilter>
/** A filter whose subject has been looked up, with the ids that it stands for. */
export type ReadFilter = Omit<AuditFilter, "subject"> & { subjects?: string[] }

const auditColumns = columns(
  "audit_entries",
  "seq, at, workspace_id, actor, actor_id, actor_name, action, subject, detail, request_id",
)
export type AuditRow = RowOf<typeof auditColumns> & {
  /** The member, or an invitation's address. It is looked up, because an entry is kept when a person is erased. */
  subject_name: string | null
  /** Its link in the workspace's hash chain; null until it is linked, some seconds later. */
  place: bigint | null
  hash: Buffer | null
  /** The hash of the entry before it; null for the first one. */
  previous_hash: Buffer | null
}

/** Errors: validation_failed if the subject names too many people. */
export async function readSubject(workspaceId: string, { subject, ...filter }: AuditFilter): Promise<ReadFilter> {
  const text = subject?.trim() ?? ""
  if (text === "") return filter
  const { ids, wallets } = await subjectsNamed(workspaceId, "subject", text)
  const operations = await sql<{ id: string }[]>`
    select id from operations where workspace_id = ${workspaceId} and wallet = any(${wallets})
    union select id from operations where workspace_id = ${workspaceId} and from_wallet = any(${wallets})`
  return { ...filter, subjects: [...ids, ...operations.map(({ id }) => id)] }
}

/**
 * What happened in a workspace and to its account as a whole, newest first. Errors: validation_failed for a cursor or a
 * subject that names too many people.
 */
export async function listAuditEntries(
  workspaceId: string,
  { limit, cursor, ...filter }: AuditFilter & { limit: number; cursor?: string | undefined },
) {
  const before = cursor === undefined ? null : openCursor(workspaceId, cursor)
  const rows = await findAuditEntries(workspaceId, await readSubject(workspaceId, filter), { before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(({ seq, workspace_id, place, hash, previous_hash: _previous, ...row }) => ({
      /** An opaque id of this entry. */
      entry: nameOf(seq),
      ...timestamped(row),
      place: place === null ? null : Number(place),
      hash: hash && showHash(hash),
      /** Whether it concerns the whole account and not only this workspace. */
      whole_account: workspace_id === null,
    })),
    next_cursor: rows.length > limit ? sealCursor(workspaceId, shown.at(-1)!.seq) : null,
  }
}

/** The matching entries, newest first. Most are keys' mints and transfers; other searches use an index without them. */
export async function findAuditEntries(
  workspaceId: string,
  filter: ReadFilter,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<AuditRow[]> {
  const account = accountOf(workspaceId)
  const matches = sql`
    ${matching(account, filter)}
    ${before === null ? sql`` : sql`and (at, seq) < (select at, seq from audit_entries where account_id = ${account} and seq = ${before})`}
    order by at desc, seq desc limit ${limit}`
  const entries = sql`
    (select * from audit_entries where workspace_id = ${workspaceId} and ${matches})
    union all
    (select * from audit_entries where workspace_id is null and ${matches})`
  return sql<AuditRow[]>`${rowsOf(workspaceId, entries)} order by e.at desc, e.seq desc limit ${limit}`
}

/** Entries with what belongs to them. */
const rowsOf = (workspaceId: string, entries: Fragment) => sql`
  select ${sql(qualified("e", auditColumns))}, coalesce(u.name, i.email) as subject_name, l.place, l.hash,
    p.hash as previous_hash
  from (${entries}) e
  left join users u on e.action like 'member.%' and u.id = e.subject
  left join invitations i on e.action like 'member.%' and i.account_id = e.account_id and i.id = e.subject
  left join audit_links l on l.workspace_id = ${workspaceId} and l.seq = e.seq
  left join audit_links p on p.workspace_id = ${workspaceId} and p.place = l.place - 1`

/** Numbers of entries, both included. */
type Range = { first: bigint; last: bigint }

const NONE: Range = { first: 1n, last: 0n }
const ALL: Range = { first: 0n, last: 2n ** 63n - 1n }

/**
 * The entries from the first to the last that match a filter of times, in the order of the chain. Concurrent changes may
 * be linked in another order than that of their times. So an entry before `from` or after `to` may be between two that
 * match, and a chain without it would have a gap.
 */
export async function rangeIn(workspaceId: string, { from, to }: Pick<AuditFilter, "from" | "to">): Promise<Range> {
  if (from === undefined && to === undefined) return ALL
  const account = accountOf(workspaceId)
  const bounds = (of: Fragment) => sql`
    (select min(seq) as first, max(seq) as last from audit_entries
    where account_id = ${account} and ${of} ${inTime({ from, to })})`
  const [row] = await sql<{ first: bigint | null; last: bigint | null }[]>`
    select min(first) as first, max(last) as last
    from (${bounds(sql`workspace_id = ${workspaceId}`)} union all ${bounds(sql`workspace_id is null`)}) e`
  return row?.first == null || row.last === null ? NONE : { first: row.first, last: row.last }
}

/** The entries in a range, in the order of the chain from its end. */
export async function findLinkedEntries(
  workspaceId: string,
  { first, last }: Range,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<AuditRow[]> {
  const entries = sql`
    select * from audit_entries
    where account_id = ${accountOf(workspaceId)} and (workspace_id = ${workspaceId} or workspace_id is null)
      and seq between ${first} and ${before === null || before > last ? last : before - 1n}
    order by seq desc limit ${limit}`
  return sql<AuditRow[]>`${rowsOf(workspaceId, entries)} order by e.seq desc`
}

/** The number of matches; null if counting would mean reading too many rows. */
export async function countAuditEntries(
  workspaceId: string,
  filter: ReadFilter,
  { most = MOST_COUNTED } = {},
): Promise<number | null> {
  const account = accountOf(workspaceId)
  const { from, to } = filter
  const near = (of: Fragment) => sql`
    (select * from audit_entries
    where account_id = ${account} and ${of} ${ofIndex(filter)} ${isAbout(filter)}
      ${inTime({ from, to })}
    limit ${most + 1})`
  const [row] = await sql<{ near: number; count: number }[]>`
    select count(*)::int as near, (count(*) filter (where ${matching(account, filter)}))::int as count
    from (${near(sql`workspace_id = ${workspaceId}`)} union all ${near(sql`workspace_id is null`)}) e`
  return row!.near > most ? null : row!.count
}

/** The most rows to read in order to count the entries of a download. */
const MOST_COUNTED = 100_000

const accountOf = (workspaceId: string) => sql`(select account_id from workspaces where id = ${workspaceId})`

/** Conditions that match an index's predicate. */
const isAbout = ({ subjects }: ReadFilter) => (subjects === undefined ? sql`` : sql`and subject = any(${subjects})`)

function ofIndex({ action, actor }: ReadFilter) {
  const isOfTokens = action === undefined || "token.".startsWith(action.slice(0, "token.".length))
  return sql`
    ${isOfTokens ? sql`` : sql`and action not like 'token.%'`}
    ${actor === undefined || actor === "key" ? sql`` : sql`and actor <> 'key'`}`
}

function matching(account: Fragment, filter: ReadFilter) {
  const { action, actor, actor_id, from, to } = filter
  return sql`
    account_id = ${account}
    ${action === undefined ? sql`` : sql`and starts_with(action, ${action})`}
    ${ofIndex(filter)}
    ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
    ${actor_id === undefined ? sql`` : sql`and actor_id = ${actor_id}`}
    ${isAbout(filter)}
    ${inTime({ from, to })}`
}

const inTime = ({ from, to }: Pick<AuditFilter, "from" | "to">) => sql`
  ${from === undefined ? sql`` : sql`and at >= ${new Date(from)}`} ${to === undefined ? sql`` : sql`and at < ${new Date(to)}`}`

// An entry has no id, and its number would reveal how many entries all accounts have. So the number is encrypted.
const sealCursor = (workspaceId: string, seq: bigint): string =>
  seal(cursorOf(workspaceId), String(seq)).toString("base64url")

function openCursor(workspaceId: string, cursor: string): bigint {
  try {
    return BigInt(unseal(cursorOf(workspaceId), Buffer.from(cursor, "base64url")))
  } catch {
    return badCursor()
  }
}

const cursorOf = (workspaceId: string): string => `audit cursor of ${workspaceId}`

const nameOf = (seq: bigint): string =>
  createHmac("sha256", deployment.dataKeys[0]!).update(`audit entry ${seq}`).digest("base64url").slice(0, 22)
