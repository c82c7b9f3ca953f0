import { createHmac } from "node:crypto"
import type { Fragment } from "postgres"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf, timestamped } from "#db/rows.ts"
import { deployment, seal, unseal } from "#domain/deployment"
import { badCursor } from "#server/lib/cursor.ts"
import { instant } from "#server/lib/fields.ts"
import { auditActors } from "#shared/statuses.ts"

/** Which entries to return: those written at `from` or later, and before `to`. */
export const auditFilter = z.object({
  /** A prefix of the action, such as `key.`. */
  action: z.string().max(100).optional(),
  actor: z.enum(auditActors).optional(),
  actor_id: z.string().max(100).optional(),
  subject: z.string().max(200).optional(),
  from: instant.optional(),
  to: instant.optional(),
})
export type AuditFilter = z.infer<typeof auditFilter>

const auditColumns = columns(
  "audit_entries",
  "seq, at, workspace_id, actor, actor_id, actor_name, action, subject, detail, request_id",
)
export type AuditRow = RowOf<typeof auditColumns> & {
  /** The member, or an invitation's address. It is looked up, because an entry is kept when a person is erased. */
  subject_name: string | null
}

/** What happened in a workspace and to its account as a whole, newest first. Errors: validation_failed for a cursor. */
export async function listAuditEntries(
  workspaceId: string,
  { limit, cursor, ...filter }: AuditFilter & { limit: number; cursor?: string | undefined },
) {
  const before = cursor === undefined ? null : openCursor(workspaceId, cursor)
  const rows = await findAuditEntries(workspaceId, filter, { before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(({ seq, workspace_id, ...row }) => ({
      /** An opaque id of this entry. */
      entry: nameOf(seq),
      ...timestamped(row),
      /** Whether it concerns the whole account and not only this workspace. */
      whole_account: workspace_id === null,
    })),
    next_cursor: rows.length > limit ? sealCursor(workspaceId, shown.at(-1)!.seq) : null,
  }
}

/** The matching entries, newest first. Most are keys' mints and transfers; other searches use an index without them. */
export async function findAuditEntries(
  workspaceId: string,
  filter: AuditFilter,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<AuditRow[]> {
  const account = accountOf(workspaceId)
  const matches = sql`
    ${matching(account, filter)}
    ${before === null ? sql`` : sql`and (at, seq) < (select at, seq from audit_entries where account_id = ${account} and seq = ${before})`}
    order by at desc, seq desc limit ${limit}`
  return sql<AuditRow[]>`
    select ${sql(qualified("e", auditColumns))}, coalesce(u.name, i.email) as subject_name
    from (
      (select * from audit_entries where workspace_id = ${workspaceId} and ${matches})
      union all
      (select * from audit_entries where workspace_id is null and ${matches})
    ) e
    left join users u on e.action like 'member.%' and u.id = e.subject
    left join invitations i on e.action like 'member.%' and i.account_id = e.account_id and i.id = e.subject
    order by e.at desc, e.seq desc limit ${limit}`
}

/** The number of matches; null if counting would mean reading too many rows. */
export async function countAuditEntries(
  workspaceId: string,
  filter: AuditFilter,
  { most = MOST_COUNTED } = {},
): Promise<number | null> {
  const account = accountOf(workspaceId)
  const { from, to, subject } = filter
  const near = (of: Fragment) => sql`
    (select * from audit_entries
    where account_id = ${account} and ${of} ${ofIndex(filter)} ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
      ${from === undefined ? sql`` : sql`and at >= ${new Date(from)}`} ${to === undefined ? sql`` : sql`and at < ${new Date(to)}`}
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
function ofIndex({ action, actor }: AuditFilter) {
  const isOfTokens = action === undefined || "token.".startsWith(action.slice(0, "token.".length))
  return sql`
    ${isOfTokens ? sql`` : sql`and action not like 'token.%'`}
    ${actor === undefined || actor === "key" ? sql`` : sql`and actor <> 'key'`}`
}

function matching(account: Fragment, filter: AuditFilter) {
  const { action, actor, actor_id, subject, from, to } = filter
  return sql`
    account_id = ${account}
    ${action === undefined ? sql`` : sql`and starts_with(action, ${action})`}
    ${ofIndex(filter)}
    ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
    ${actor_id === undefined ? sql`` : sql`and actor_id = ${actor_id}`}
    ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
    ${from === undefined ? sql`` : sql`and at >= ${new Date(from)}`}
    ${to === undefined ? sql`` : sql`and at < ${new Date(to)}`}`
}

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
