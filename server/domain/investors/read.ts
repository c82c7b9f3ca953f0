import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { inTime, seqAt, type TimeFilter } from "#db/seq-at.ts"
import { statusAt } from "#domain/attestations"
import { resolveInvestor } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { pageOf } from "#server/lib/cursor.ts"
import { isId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { InvestorDetail, InvestorRecord } from "./record.ts"
import { statesOf, walletsOf } from "./wallets.ts"

export const investorNotFound = (id: string): never =>
  fail(
    "investor_not_found",
    `id: this workspace has no investor ${isId("inv", id) ? id : "with this id"}. Check the id, and the key's workspace.`,
  )

const investorColumns = columns("investors", "id, external_id, created_at, erased_at")
type Row = RowOf<typeof investorColumns>

const toRecord = (row: Row, wallets: string[]): InvestorRecord => ({
  investor_id: row.id,
  external_id: row.external_id,
  wallets,
  created_at: toTimestamp(row.created_at),
  erased_at: row.erased_at && toTimestamp(row.erased_at),
})

/** The investor that an id stands for. Errors: investor_not_found. */
export async function requireInvestor(workspaceId: string, id: string): Promise<string> {
  return (isId("inv", id) ? await resolveInvestor(workspaceId, id) : null) ?? investorNotFound(id)
}

/** An investor. The id of a merged investor returns the one they were merged into. Errors: investor_not_found. */
export async function getInvestor({ workspaceId }: Principal, id: string): Promise<InvestorDetail> {
  const investorId = await requireInvestor(workspaceId, id)
  const [[row], wallets] = await Promise.all([
    sql<Row[]>`
      select ${sql(investorColumns)} from investors where workspace_id = ${workspaceId} and id = ${investorId}`,
    walletsOf(workspaceId, [investorId]),
  ])
  if (!row) return investorNotFound(id)
  const now = clock.now()
  const states = await statesOf(workspaceId, [{ investorId, wallets: wallets(investorId) }])
  return {
    ...toRecord(row, wallets(investorId)),
    verifications: states.map((state) => ({
      user_pubkey: state.wallet,
      schema: state.schema_id,
      status: statusAt(state, now),
      attestation_id: state.id,
      expires_at: state.verified_at && state.expires_at ? toTimestamp(state.expires_at) : null,
      onchain_tx: state.verified_at && state.onchain_tx,
    })),
  }
}

export type InvestorFilter = TimeFilter & {
  externalId: string | null
  wallet: Address | null
  limit: number
  cursor: string | null
}

/** Newest first. A page stays the same while rows are added. Errors: validation_failed for a cursor. */
export async function listInvestors(
  { workspaceId }: Principal,
  { externalId, wallet, limit, cursor, ...times }: InvestorFilter,
): Promise<{ data: InvestorRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await seqAt("investors", "inv", workspaceId, cursor)
  const ofWallet = sql`(select investor_id from wallet_owner(${workspaceId}, ${wallet}))`
  const inSpan = await inTime(investorsOf(workspaceId), times)
  const rows =
    inSpan === null
      ? []
      : await sql<Row[]>`
    select ${sql(investorColumns)} from investors
    where workspace_id = ${workspaceId} and merged_into is null
      ${externalId === null ? sql`` : sql`and external_id = ${externalId}`}
      ${wallet === null ? sql`` : sql`and id = ${ofWallet}`}
      ${inSpan()}
      ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc nulls last limit ${limit + 1}`
  const ids = rows.map((row) => row.id)
  const wallets = await walletsOf(workspaceId, ids)
  return pageOf(rows, limit, (row) => toRecord(row, wallets(row.id)))
}

/** Served by the index of lists. */
const investorsOf = (workspaceId: string) => ({
  rows: () => sql`investors where workspace_id = ${workspaceId} and merged_into is null`,
  seq: "seq",
  at: "created_at",
  newestFirst: () => sql`seq desc nulls last`,
})
