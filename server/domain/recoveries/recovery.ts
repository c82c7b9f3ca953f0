import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { type ApprovalRow, stateOf as stateOfApproval } from "#domain/approvals"
import { type PositionRecord, positionRecord } from "#domain/tokens"
import { idOf, listOf, timestamp, wallet } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { type RecoveryState, recoveryReasons, recoveryStates } from "#shared/recoveries.ts"

export const recoveryReason = z.enum(recoveryReasons).meta({
  description:
    "`lost_wallet`: the investor no longer has its key; `compromised`: another person has it; `estate`: the investor has died",
  example: "lost_wallet",
})

export const recoveryRecord = z
  .object({
    recovery_id: idOf("rec").meta({ description: "The recovery's id" }),
    investor_id: idOf("inv").meta({ description: "The investor whose wallets they are" }),
    lost_wallet: wallet.meta({ description: "The wallet whose tokens move" }),
    new_wallet: wallet.nullable().meta({ description: "The wallet that gets them; null until you name one" }),
    reason_code: recoveryReason,
    reference: z.string().meta({ description: "Your reference", example: "Case 2026-118" }),
    document_sha256: z.string().nullable().meta({
      pattern: "^[A-Za-z0-9_-]{43}$",
      description: "SHA-256 of the document that justifies it, base64url; null if none was named",
      example: null,
    }),
    state: z.enum(recoveryStates).meta({
      description:
        "`barred`: nothing enters or leaves the lost wallet, and the recovery waits for a new wallet. `completed`, `rejected` and `failed` are final",
      example: "in_progress",
    }),
    barred_since: timestamp.nullable().meta({
      description: "Since when this recovery bars the lost wallet; null if it does not",
    }),
    approval_id: idOf("apr").nullable().meta({
      description: "The approval that it waits for or was begun with; null if no policy binds it",
      example: null,
    }),
    positions: z.array(positionRecord).meta({ description: "What it moves. Empty for keys without `token:read`" }),
    error: z
      .object({
        error: z.string().meta({ example: "recovery_not_possible" }),
        detail: z.string().meta({ example: "The new wallet is not verified." }),
      })
      .nullable()
      .meta({ description: "Why it failed or was rejected; null otherwise", examples: [null] }),
    created_at: timestamp,
    begun_at: timestamp.nullable().meta({ description: "When the tokens began to move; null before" }),
    ended_at: timestamp.nullable().meta({ description: "Null until it has ended" }),
  })
  .meta({ id: "Recovery" })
export type RecoveryRecord = z.infer<typeof recoveryRecord>

export const recoveryList = listOf(recoveryRecord).meta({ id: "RecoveryList" })

const recoveryColumns = columns(
  "recoveries",
  "workspace_id, id, seq, investor_id, lost_wallet, new_wallet, reason_code, reference, document_sha256, state",
  "barred_at, approval_id, error_code, error_detail, created_at, begun_at, ended_at",
)
/** A recovery, with the approval that it waits for or was begun with. */
export type RecoveryRow = RowOf<typeof recoveryColumns> & {
  approval: Pick<ApprovalRow, "state" | "reason" | "ended_by" | "ended_at" | "expires_at" | "outcome"> | null
}

type Ending = { state: RecoveryState; error: { code: string; detail: string } | null; endedAt: Date | null }

/** What a recovery has come to. While its row says `awaiting_approval`, what came of the approval decides. */
export function endingOf({ approval, state, error_code, error_detail, ended_at }: RecoveryRow): Ending {
  const stored = error_code === null ? null : { code: error_code, detail: error_detail! }
  if (state !== "awaiting_approval" || approval === null) return { state, error: stored, endedAt: ended_at }
  const now = stateOfApproval(approval)
  if (now === "pending") return { state, error: null, endedAt: null }
  const endedAt = approval.ended_at ?? approval.expires_at
  if (approval.outcome && "error" in approval.outcome) {
    const { error: code, detail } = approval.outcome as { error: string; detail: string }
    return { state: "failed", error: { code, detail }, endedAt }
  }
  // The commit that approves it also begins it, so this row was read before that.
  if (now === "approved") return { state, error: null, endedAt: null }
  const detail =
    now === "rejected"
      ? `${approval.ended_by ?? "A member"} rejected this request: ${approval.reason}`
      : `This request is ${now}. ${approval.reason ?? "Make it again if you still need it."}`
  return {
    state: "rejected",
    error: { code: now === "rejected" ? "approval_rejected" : "approval_ended", detail },
    endedAt,
  }
}

export const recoveryRows = (sql: Queryable) => sql`
  select ${sql(
    qualified(
      "r",
      recoveryColumns.filter((name) => name !== "investor_id"),
    ),
  )},
    coalesce(i.merged_into, r.investor_id) as investor_id,
    case when a.id is not null then jsonb_build_object('state', a.state, 'reason', a.reason, 'ended_by', a.ended_by,
      'ended_at', a.ended_at, 'expires_at', a.expires_at, 'outcome', a.outcome) end as approval
  from recoveries r join investors i on i.workspace_id = r.workspace_id and i.id = r.investor_id
    left join approvals a on a.workspace_id = r.workspace_id and a.id = r.approval_id`

/** Reads rows; times inside of JSON are texts. */
export const toRow = ({ approval, ...row }: RecoveryRow): RecoveryRow => ({
  ...row,
  approval: approval && {
    ...approval,
    ended_at: approval.ended_at && new Date(approval.ended_at),
    expires_at: new Date(approval.expires_at),
  },
})

const notFound = (id: string): never =>
  fail(
    "recovery_not_found",
    `id: this workspace has no recovery ${isId("rec", id) ? id : "with this id"}. List them with GET /investor/{id}/recoveries.`,
  )

/** Errors: recovery_not_found. */
export async function findRecovery(
  sql: Queryable,
  workspaceId: string,
  id: string,
  { lock = false } = {},
): Promise<RecoveryRow> {
  if (!isId("rec", id)) return notFound(id)
  const [row] = await sql<RecoveryRow[]>`
    ${recoveryRows(sql)} where r.workspace_id = ${workspaceId} and r.id = ${id} ${lock ? sql`for update of r` : sql``}`
  return row ? toRow(row) : notFound(id)
}

export function toRecoveryRecord(row: RecoveryRow, positions: PositionRecord[]): RecoveryRecord {
  const { state, error, endedAt } = endingOf(row)
  return {
    recovery_id: row.id,
    investor_id: row.investor_id,
    lost_wallet: row.lost_wallet,
    new_wallet: row.new_wallet,
    reason_code: row.reason_code,
    reference: row.reference,
    document_sha256: row.document_sha256,
    state,
    barred_since: row.barred_at && toTimestamp(row.barred_at),
    approval_id: row.approval_id,
    positions,
    error: error && { error: error.code, detail: error.detail },
    created_at: toTimestamp(row.created_at),
    begun_at: row.begun_at && toTimestamp(row.begun_at),
    ended_at: endedAt && toTimestamp(endedAt),
  }
}
