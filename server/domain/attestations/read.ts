import { sql } from "#db/client.ts"
import type { Principal } from "#server/domain/context.ts"
import { requireSchema } from "#server/domain/kyc/schemas/require.ts"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { AttestationStatus } from "#shared/statuses.ts"
import { type AttestationRecord, type AttestationRow, attestationColumns, toRecord } from "./record.ts"
import { statusInSql } from "./status.ts"

export const attestationNotFound = (id: string): never =>
  fail(
    "attestation_not_found",
    `id: this workspace has no attestation ${isId("att", id) ? id : "with this id"}. Check the id, and the key's workspace.`,
  )

/** Errors: attestation_not_found. */
export const getAttestation = async (principal: Principal, id: string): Promise<AttestationRecord> =>
  toRecord(await readAttestation(principal, id), principal)

/** Errors: attestation_not_found. */
export async function readAttestation({ workspaceId }: Principal, id: string): Promise<AttestationRow> {
  if (!isId("att", id)) return attestationNotFound(id)
  const [row] = await sql<AttestationRow[]>`
    select ${sql(attestationColumns)} from attestations where workspace_id = ${workspaceId} and id = ${id}`
  return row ?? attestationNotFound(id)
}

export type AttestationFilter = {
  wallet: string | null
  schemaId: string | null
  status: AttestationStatus | null
  limit: number
  cursor: string | null
}

/** Newest first; a page stays the same while rows are added. Errors: validation_failed for a cursor, unknown_schema. */
export async function listAttestations(
  principal: Principal,
  { wallet, schemaId, status, limit, cursor }: AttestationFilter,
): Promise<{ data: AttestationRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await placeOf(principal.workspaceId, cursor)
  const rows = await sql<AttestationRow[]>`
    select ${sql(attestationColumns)} from attestations
    where workspace_id = ${principal.workspaceId}
      ${wallet === null ? sql`` : sql`and wallet = ${wallet}`}
      ${schemaId === null ? sql`` : sql`and schema_id = ${schemaId}`}
      ${status === null ? sql`` : sql`and ${statusInSql(clock.now())} = ${status}`}
      ${before === null ? sql`` : sql`and seq < ${before}`}
    order by seq desc nulls last limit ${limit + 1}`
  if (rows.length === 0 && schemaId !== null) await requireSchema(principal.workspaceId, schemaId)
  const shown = rows.slice(0, limit)
  return {
    data: shown.map((row) => toRecord(row, principal)),
    next_cursor: rows.length > limit ? toCursor(shown.at(-1)!.id) : null,
  }
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from attestations where workspace_id = ${workspaceId} and id = ${fromCursor("att", cursor)}`
  return row?.seq ?? badCursor()
}
