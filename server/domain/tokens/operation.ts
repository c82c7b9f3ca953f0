import { z } from "zod"
import { sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { inTime, type TimeFilter } from "#db/seq-at.ts"
import { type ApprovalRow, approvalOfOperation, stateOf } from "#domain/approvals"
import { readNamed } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { badCursor, fromCursor, pageOf } from "#server/lib/cursor.ts"
import { address, amountText, idOf, lamports, named, signature, timestamp, wallet } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, readBaseUnits, withoutTrailingZeros } from "#shared/amount.ts"
import { movementOf } from "#shared/approvals.ts"
import { type ErrorCode, fail, isErrorCode } from "#shared/errors.ts"
import { type OperationKind, operationKinds, reasonCodes } from "#shared/movements.ts"
import { type OperationStatus, operationStatuses } from "#shared/statuses.ts"
import { refuse, unknownConfig } from "./config.ts"
import type { Grounds } from "./operations/forced.ts"
import type { StoredMovement } from "./stored-movement.ts"

export const operationKind = z.enum(operationKinds)

export const operationStatus = z
  .enum(operationStatuses)
  .meta({ description: "`confirmed` and `failed` are final", example: "confirmed" })

/** Why tokens are taken out of a wallet. */
export const reasonCode = z.enum(reasonCodes)

/** A transfer needs two. */
export const OTHER_WALLET = "2kob1DaEJhgM667REcnYQihS48TJmZLxWK5L7mbX24E1"

export const operationRecord = z
  .object({
    operation_id: idOf("op").meta({ description: "The operation's id" }),
    kind: operationKind.meta({ example: "mint" }),
    status: z.enum([...operationStatuses, "awaiting_approval"]).meta({
      description:
        "`confirmed` and `failed` are final. `awaiting_approval`: a policy of yours requires further members, and nothing is reserved yet",
      example: "confirmed",
    }),
    mint_config: named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" }),
    user_pubkey: wallet.optional().meta({ description: "Mint: the recipient. Burn, hold and release: the holder" }),
    from_pubkey: wallet.optional().meta({ description: "Transfer and forced transfer: the sender" }),
    to_pubkey: wallet.optional().meta({
      description: "Transfer and forced transfer: the recipient",
      example: OTHER_WALLET,
    }),
    amount: amountText.meta({ example: "250.5" }),
    mint: address.nullable().meta({
      description: "Address of the Token-2022 mint",
      example: "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh",
    }),
    onchain_tx: signature.nullable().meta({
      description: "Signature of the transaction, base58; null until confirmed",
      example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    }),
    error: z
      .object({
        error: z.string().meta({ example: "wallet_not_verified" }),
        detail: z.string().meta({ example: "The wallet's attestation was revoked." }),
      })
      .nullable()
      .meta({ description: "Why it failed; null unless it failed", examples: [null] }),
    reason_code: reasonCode.nullable().meta({
      description:
        "Burn, forced transfer, hold and release: why. Null for other kinds, and for what a restored database has lost",
      example: null,
    }),
    reference: z.string().nullable().meta({
      maxLength: 200,
      description: "Burn, forced transfer, hold and release: your reference",
      example: null,
    }),
    document_sha256: z.string().nullable().meta({
      pattern: "^[A-Za-z0-9_-]{43}$",
      description: "SHA-256 of the document that justifies it, base64url; null if none was named",
      example: null,
    }),
    holder_consent: z.boolean().nullable().meta({
      description: "Burn: whether the holder agreed. Null for other kinds",
      example: null,
    }),
    hold_id: idOf("hold").nullable().meta({
      description: "The hold that it places, releases or executes; null for other operations",
      example: null,
    }),
    recovery_id: idOf("rec").nullable().meta({
      description: "Forced transfer: the recovery of a lost wallet that it is part of; null for other operations",
      example: null,
    }),
    payout_id: idOf("pay").nullable().meta({
      description: "Mint: the payout of a distribution that it pays; null for other operations",
      example: null,
    }),
    approval_id: idOf("apr").nullable().meta({
      description: "The approval that it waits for or was begun with; null if no policy binds it",
      example: null,
    }),
    created_at: timestamp,
    confirmed_at: timestamp.nullable().meta({ description: "Null until confirmed" }),
    finalized_at: timestamp.nullable().meta({
      description: "Null until the chain can no longer undo it, about 13 seconds after it is confirmed",
    }),
    cost: z
      .object({
        fee_lamports: lamports.meta({ description: "Its share of its transactions' fees", example: "10000" }),
        rent_lamports: lamports.meta({ description: "Rent of the accounts that it opened", example: "1534160" }),
      })
      .nullable()
      .meta({ description: "What it has cost on chain so far; null until the first of its transactions is counted" }),
  })
  .meta({ id: "Operation" })
export type OperationRecord = z.infer<typeof operationRecord>

const operationColumns = columns(
  "operations",
  "id, kind, status, mint_config, wallet, from_wallet, payload, signature, error_code, error_detail, created_at",
  "finished_at, fee, rent",
)
const tokenColumns = columns("mint_configs", "decimals, mint")
const carrierColumns = columns("transactions", "finalized_at")

/** A movement, with details of its token. */
export type OperationRow = Omit<
  RowOf<
    typeof operationColumns,
    {
      kind: OperationKind
      mint_config: string
      payload: {
        amount: string
        approval_id?: string
        holder_consent?: boolean
        hold_id?: string
        recovery_id?: string
        payout_id?: string
      } & Grounds
    }
  >,
  "status" | "error_code" | "error_detail"
> &
  RowOf<typeof tokenColumns> &
  RowOf<typeof carrierColumns> &
  (
    | { status: "failed"; error_code: string; error_detail: string }
    | { status: Exclude<OperationStatus, "failed">; error_code: string | null; error_detail: string | null }
  )

export const operationRows = () => sql`
  select ${sql(qualified("o", operationColumns))}, ${sql(qualified("c", tokenColumns))},
    ${sql(qualified("t", carrierColumns))}
  from operations o join mint_configs c on c.workspace_id = o.workspace_id and c.id = o.mint_config
    left join transactions t on t.signature = o.signature`

export function toOperationRecord(row: OperationRow): OperationRecord {
  const isConfirmed = row.status === "confirmed"
  return {
    operation_id: row.id,
    kind: row.kind,
    status: row.status,
    mint_config: row.mint_config,
    // Whether a wallet is there depends on the kind.
    ...((row.kind === "mint" || row.kind === "release") && { user_pubkey: row.wallet! }),
    ...((row.kind === "burn" || row.kind === "hold") && { user_pubkey: row.from_wallet! }),
    ...(row.wallet !== null && row.from_wallet !== null && { from_pubkey: row.from_wallet, to_pubkey: row.wallet }),
    amount: fromBaseUnits(readBaseUnits(row.payload.amount), row.decimals),
    mint: row.mint,
    onchain_tx: isConfirmed ? row.signature : null,
    error: row.status === "failed" ? { error: row.error_code, detail: row.error_detail } : null,
    reason_code: row.payload.reason_code ?? null,
    reference: row.payload.reference ?? null,
    document_sha256: row.payload.document_sha256 ?? null,
    holder_consent: row.kind === "burn" ? (row.payload.holder_consent ?? null) : null,
    hold_id: row.payload.hold_id ?? null,
    recovery_id: row.payload.recovery_id ?? null,
    payout_id: row.payload.payout_id ?? null,
    approval_id: row.payload.approval_id ?? null,
    created_at: toTimestamp(row.created_at),
    confirmed_at: isConfirmed && row.finished_at ? toTimestamp(row.finished_at) : null,
    finalized_at: isConfirmed && row.finalized_at ? toTimestamp(row.finalized_at) : null,
    cost: row.fee === null ? null : { fee_lamports: row.fee.toString(), rent_lamports: (row.rent ?? 0n).toString() },
  }
}

/** The operation of a request that waits for approval, or that ended without one. */
export function unbegunOperation(row: ApprovalRow): OperationRecord {
  const request = row.request as StoredMovement
  const error = refusalOf(row)
  return {
    operation_id: row.subject,
    kind: movementOf(row.action)!,
    status: error === null ? "awaiting_approval" : "failed",
    mint_config: request.mint_config,
    ...(request.user_pubkey && { user_pubkey: request.user_pubkey }),
    ...(request.from_pubkey && { from_pubkey: request.from_pubkey, to_pubkey: request.to_pubkey! }),
    amount: withoutTrailingZeros(request.amount),
    mint: null,
    onchain_tx: null,
    error: error && { error: error.code, detail: error.detail },
    reason_code: request.reason_code ?? null,
    reference: request.reference ?? null,
    document_sha256: request.document_sha256 ?? null,
    holder_consent: row.action === "burn" ? (request.holder_consent ?? null) : null,
    hold_id: request.hold_id ?? null,
    recovery_id: null,
    payout_id: null,
    approval_id: row.id,
    created_at: toTimestamp(row.created_at),
    confirmed_at: null,
    finalized_at: null,
    cost: null,
  }
}

/** Why a request came to nothing; null while it waits. */
function refusalOf(row: ApprovalRow): { code: ErrorCode; detail: string } | null {
  const state = stateOf(row)
  if (state === "pending") return null
  const { outcome, reason, ended_by } = row
  if (outcome && "error" in outcome && outcome.error)
    return { code: outcome.error as ErrorCode, detail: outcome.detail! }
  if (state === "rejected")
    return { code: "approval_rejected", detail: `${ended_by ?? "A member"} rejected this request: ${reason}` }
  return {
    code: "approval_ended",
    detail: `This request is ${state}. ${reason ?? "Make it again if you still need it."}`,
  }
}

/** Throws the error of a request that came to nothing. */
export function throwIfRefused(row: ApprovalRow): void {
  const refusal = refusalOf(row)
  if (refusal) fail(refusal.code, refusal.detail)
}

export function throwIfFailed(row: OperationRow): void {
  if (row.status !== "failed") return
  const code = row.error_code
  fail(isErrorCode(code) ? code : "internal_error", row.error_detail)
}

const operationNotFound = (id: string): never =>
  fail(
    "operation_not_found",
    `id: this workspace has no operation ${isId("op", id) ? id : "with this id"}. Check the id, and the key's workspace.`,
  )

/** Errors: operation_not_found. */
export async function getOperation({ workspaceId }: Principal, id: string): Promise<OperationRecord> {
  if (!isId("op", id)) return operationNotFound(id)
  const [row] = await sql<OperationRow[]>`
    ${operationRows()} where o.workspace_id = ${workspaceId} and o.id = ${id} and ${isMovement(sql`o.`)}`
  if (row) return toOperationRecord(row)
  const approval = await approvalOfOperation(sql, workspaceId, id)
  return approval ? unbegunOperation(approval) : operationNotFound(id)
}

export type OperationFilter = TimeFilter & {
  kind: z.infer<typeof operationKind> | null
  mintConfig: string | null
  wallet: Address | null
  status: OperationStatus | null
  /** Names people or wallets. */
  q?: string | undefined
  limit: number
  cursor: string | null
}

/** Newest first. A page is stable while rows are added. Errors: validation_failed for a cursor, unknown_mint_config. */
export async function listOperations(
  { workspaceId }: Principal,
  { kind, mintConfig, wallet, status, q, limit, cursor, ...times }: OperationFilter,
): Promise<{ data: OperationRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const [inSpan, named] = await Promise.all([inTime(operationsOf(workspaceId), times, "o"), readNamed(workspaceId, q)])
  const rows =
    inSpan === null
      ? []
      : await sql<OperationRow[]>`
    ${operationRows()}
    where o.workspace_id = ${workspaceId} and ${isMovement(sql`o.`)}
      ${mintConfig === null ? sql`` : sql`and o.mint_config = ${mintConfig}`}
      ${wallet === null ? sql`` : sql`and (o.wallet = ${wallet} or o.from_wallet = ${wallet})`}
      ${named === null ? sql`` : sql`and (${named.hasWallet(sql`o.wallet`)} or ${named.hasWallet(sql`o.from_wallet`)})`}
      ${status === null ? sql`` : sql`and o.status = ${status}`}
      ${kind === null ? sql`` : sql`and o.kind = ${kind}`}
      ${inSpan()}
      ${before === null ? sql`` : sql`and o.seq < ${before}`}
    order by o.seq desc nulls last limit ${limit + 1}`
  if (rows.length === 0 && mintConfig !== null) await requireConfig(workspaceId, mintConfig)
  return pageOf(rows, limit, toOperationRecord)
}

/** Served by the index of lists. */
const operationsOf = (workspaceId: string) => ({
  rows: () => sql`operations where workspace_id = ${workspaceId} and ${isMovement()}`,
  seq: "seq",
  at: "created_at",
  newestFirst: () => sql`seq desc nulls last`,
})

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from operations
    where workspace_id = ${workspaceId} and id = ${fromCursor("op", cursor)} and ${isMovement()}`
  return row?.seq ?? badCursor()
}

/** Distinguishes a mistyped configuration from one without operations. Errors: unknown_mint_config. */
export async function requireConfig(workspaceId: string, id: string): Promise<void> {
  const known = await sql`select id from mint_configs where workspace_id = ${workspaceId} and id = ${id}`
  if (known.length === 0) refuse(unknownConfig(id))
}
