import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { readNamed } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { badCursor, fromCursor, pageOf } from "#server/lib/cursor.ts"
import { address, amountText, idOf, named, timestamp, wallet } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { type HoldState, holdStates } from "#shared/holds.ts"
import { reasonCodes } from "#shared/movements.ts"
import { operationRecord, requireConfig } from "../operation.ts"

export const holdState = z.enum(holdStates).meta({
  description:
    "`pending`: not on chain yet. Only `pending` and `active` are not final. `executed`: burns or forced transfers took all of it. `failed`: it could not be placed",
  example: "active",
})

export const holdRecord = z
  .object({
    hold_id: idOf("hold").meta({ description: "The hold's id" }),
    user_pubkey: wallet,
    mint_config: named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" }),
    amount: amountText.meta({ description: "Whole tokens that it was placed for", example: "100" }),
    remaining: amountText.meta({
      description: "Whole tokens that it still holds: less than `amount` if some were taken, 0 once it has ended",
      example: "100",
    }),
    state: holdState,
    reason_code: z.enum(reasonCodes).meta({ description: "Why", example: "court_order" }),
    reference: z.string().meta({ maxLength: 200, description: "Your reference", example: "2026-CV-0417" }),
    expires_at: timestamp.nullable().meta({ description: "When it ends by itself; null for never", example: null }),
    onchain_account: address.nullable().meta({
      description: "The token account that holds the tokens; null in agent mode, in which Vouch's records hold them",
      example: null,
    }),
    operation_id: idOf("op").nullable().meta({
      description:
        "The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none",
      example: null,
    }),
    created_at: timestamp,
    ended_at: timestamp.nullable().meta({ description: "Null until it ends", example: null }),
  })
  .meta({ id: "Hold" })
export type HoldRecord = z.infer<typeof holdRecord>

/** The hold, and the status of the operation that executes it. */
export const holdExecution = holdRecord
  .extend({
    status: operationRecord.shape.status,
    approval_id: operationRecord.shape.approval_id,
  })
  .meta({ id: "HoldExecution" })
export type HoldExecution = z.infer<typeof holdExecution>

/** The hold, and whether its release waits for members or for the chain. */
export const holdRelease = holdRecord
  .extend({
    status: operationRecord.shape.status.meta({
      description:
        "`confirmed` is final: the hold is released. `awaiting_approval`: a policy of yours requires further members, and the hold still binds",
    }),
    approval_id: operationRecord.shape.approval_id,
  })
  .meta({ id: "HoldRelease" })
export type HoldRelease = z.infer<typeof holdRelease>

export const holdColumns = columns(
  "holds",
  "id, seq, mint_config, wallet, amount, remaining, taking, state, reason_code, reference, expires_at, account",
  "next_account, operation_id, created_at, ended_at",
)
export type HoldRow = RowOf<typeof holdColumns>

const decimalsColumn = columns("mint_configs", "decimals")
/** A hold, with what its amounts need to be shown. */
export type ShownRow = HoldRow & RowOf<typeof decimalsColumn>

type OfPlace = "account" | "next_account"

/** Whether an operation ends it: it is in a hold account, or is being carried there. */
export const isOnChain = ({ account, next_account }: Pick<HoldRow, OfPlace>): boolean =>
  account !== null || next_account !== null

/**
 * Whether its time has come. Not while operations take all that is left, because they decide how it ends. On chain it is
 * one of those that moves it back.
 */
export const hasExpired = (
  { state, remaining, expires_at, ...place }: Pick<HoldRow, "state" | "remaining" | "expires_at" | OfPlace>,
  now: Date,
): boolean =>
  state === "active" && (BigInt(remaining) > 0n || isOnChain(place)) && expires_at !== null && expires_at <= now

/** The state now: a hold expires as soon as its time has come, and its row is updated later. */
const stateOf = (row: HoldRow): HoldState => (hasExpired(row, clock.now()) ? "expired" : row.state)

export function toHoldRecord(row: ShownRow): HoldRecord {
  const state = stateOf(row)
  const isOpen = state === "pending" || state === "active"
  const endedAt = row.ended_at ?? (isOpen ? null : row.expires_at)
  const units = (amount: string) => fromBaseUnits(BigInt(amount), row.decimals)
  return {
    hold_id: row.id,
    user_pubkey: row.wallet,
    mint_config: row.mint_config,
    amount: units(row.amount),
    remaining: isOpen ? units(row.remaining) : "0",
    state,
    reason_code: row.reason_code,
    reference: row.reference,
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    onchain_account: row.account,
    operation_id: row.operation_id,
    created_at: toTimestamp(row.created_at),
    ended_at: endedAt && toTimestamp(endedAt),
  }
}

const holdRows = (sql: Queryable) => sql`
  select ${sql(qualified("h", holdColumns))}, ${sql(qualified("c", decimalsColumn))}
  from holds h join mint_configs c on c.workspace_id = h.workspace_id and c.id = h.mint_config`

const holdNotFound = (id: string): never =>
  fail(
    "hold_not_found",
    `id: this workspace has no hold ${isId("hold", id) ? id : "with this id"}. List them with GET /token/holds.`,
  )

/** Errors: hold_not_found. */
export async function findHold(sql: Queryable, workspaceId: string, id: string): Promise<ShownRow> {
  if (!isId("hold", id)) return holdNotFound(id)
  const [row] = await sql<ShownRow[]>`${holdRows(sql)} where h.workspace_id = ${workspaceId} and h.id = ${id}`
  return row ?? holdNotFound(id)
}

/** Errors: hold_not_found. */
export const getHold = async ({ workspaceId }: Principal, id: string): Promise<HoldRecord> =>
  toHoldRecord(await findHold(sql, workspaceId, id))

export type HoldFilter = {
  wallet: Address | null
  mintConfig: string | null
  state: HoldState | null
  /** Names people or wallets. */
  q?: string | undefined
  limit: number
  cursor: string | null
}

/** Newest first. Errors: validation_failed for a cursor, unknown_mint_config. */
export async function listHolds(
  { workspaceId }: Principal,
  { wallet, mintConfig, state, q, limit, cursor }: HoldFilter,
): Promise<{ data: HoldRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const named = await readNamed(workspaceId, q)
  const rows = await sql<ShownRow[]>`
    ${holdRows(sql)} where h.workspace_id = ${workspaceId}
      ${wallet === null ? sql`` : sql`and h.wallet = ${wallet}`}
      ${mintConfig === null ? sql`` : sql`and h.mint_config = ${mintConfig}`}
      ${named === null ? sql`` : sql`and ${named.hasWallet(sql`h.wallet`)}`}
      ${state === null ? sql`` : hasState(state)}
      ${before === null ? sql`` : sql`and h.seq < ${before}`}
    order by h.seq desc nulls last limit ${limit + 1}`
  if (rows.length === 0 && mintConfig !== null) await requireConfig(workspaceId, mintConfig)
  return pageOf(rows, limit, toHoldRecord)
}

/** By the time of reading, as in `stateOf`. */
function hasState(state: HoldState) {
  const hasExpired = sql`(h.state = 'active' and (h.remaining > 0 or h.account is not null or h.next_account is not null) and h.expires_at is not null and h.expires_at <= ${clock.now()})`
  if (state === "active") return sql`and h.state = 'active' and not ${hasExpired}`
  if (state === "expired") return sql`and (h.state = 'expired' or ${hasExpired})`
  return sql`and h.state = ${state}`
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from holds where workspace_id = ${workspaceId} and id = ${fromCursor("hold", cursor)}`
  return row?.seq ?? badCursor()
}
