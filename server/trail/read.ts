import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { sql } from "#db/client.ts"
import { deployment } from "#server/deployment.ts"
import { badCursor } from "#server/rest/cursor.ts"
import { toTimestamp } from "#server/time.ts"

export type AuditEntry = {
  /** A name of this line that tells nothing. */
  entry: string
  at: string
  actor: "user" | "key" | "operator"
  actor_id: string | null
  actor_name: string
  action: string
  subject: string
  /** Whether it concerns the whole account, and not this workspace alone. */
  whole_account: boolean
  detail: Record<string, unknown>
  request_id: string | null
}

export type AuditFilter = {
  /** What the action begins with, such as `key.`. */
  action: string | null
  actorId: string | null
  actor: AuditEntry["actor"] | null
  subject: string | null
  from: Date | null
  to: Date | null
  limit: number
  cursor: string | null
}

type Row = Omit<AuditEntry, "entry" | "at" | "whole_account"> & {
  seq: bigint
  at: Date
  workspace_id: string | null
}

/** What happened in a workspace and to its account as a whole, newest first. Errors: validation_failed for a cursor. */
export async function listAuditEntries(
  workspaceId: string,
  { action, actorId, actor, subject, from, to, limit, cursor }: AuditFilter,
): Promise<{ data: AuditEntry[]; next_cursor: string | null }> {
  const before = cursor === null ? null : openCursor(workspaceId, cursor)
  const rows = await sql<Row[]>`
    select seq, at, workspace_id, actor, actor_id, actor_name, action, subject, detail, request_id
    from audit_entries
    where account_id = (select account_id from workspaces where id = ${workspaceId})
      and (workspace_id = ${workspaceId} or workspace_id is null)
      ${action === null ? sql`` : sql`and starts_with(action, ${action})`}
      ${actorId === null ? sql`` : sql`and actor_id = ${actorId}`}
      ${actor === null ? sql`` : sql`and actor = ${actor}`}
      ${subject === null ? sql`` : sql`and subject = ${subject}`}
      ${from === null ? sql`` : sql`and at >= ${from}`}
      ${to === null ? sql`` : sql`and at < ${to}`}
      ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc limit ${limit + 1}`
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(({ seq, workspace_id, at, ...row }) => ({
      entry: nameOf(seq),
      ...row,
      at: toTimestamp(at),
      whole_account: workspace_id === null,
    })),
    next_cursor: rows.length > limit ? sealCursor(workspaceId, shown.at(-1)!.seq) : null,
  }
}

// An entry has no id of its own, and its number counts the entries of all customers: it is sealed.
const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

function sealCursor(workspaceId: string, seq: bigint): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, deployment.dataKey, nonce).setAAD(aad(workspaceId))
  const sealed = Buffer.concat([cipher.update(String(seq), "latin1"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
}

function openCursor(workspaceId: string, cursor: string): bigint {
  const sealed = Buffer.from(cursor, "base64url")
  try {
    const decipher = createDecipheriv(ALGORITHM, deployment.dataKey, sealed.subarray(0, NONCE_BYTES))
      .setAAD(aad(workspaceId))
      .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const opened = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ])
    return BigInt(opened.toString("latin1"))
  } catch {
    return badCursor()
  }
}

const nameOf = (seq: bigint): string =>
  createHmac("sha256", deployment.dataKey).update(`audit entry ${seq}`).digest("base64url").slice(0, 22)

const aad = (workspaceId: string): Buffer => Buffer.from(`audit cursor of ${workspaceId}`)
