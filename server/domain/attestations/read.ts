import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { resolveInvestor } from "#server/domain/attestations/resolve-investor.ts"
import { toCursor } from "#server/lib/cursor.ts"
import { isId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { AttestationStatus } from "#shared/statuses.ts"
import { placeOf } from "./list-position.ts"
import { type AttestationRecord, type AttestationRow, attestationFields, toRecord } from "./record.ts"
import { findRows } from "./search.ts"

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
    select ${attestationFields(sql)} from attestations where workspace_id = ${workspaceId} and id = ${id}`
  return row ?? attestationNotFound(id)
}

export type AttestationFilter = {
  wallet: Address | null
  schemaId: string | null
  status: AttestationStatus | null
  investorId: string | null
  externalId: string | null
  sessionId: string | null
  /** Started at or after the first time, and before the second. */
  createdAfter: string | null
  createdBefore: string | null
  /** Verified now, and expires before then. */
  expiringBefore: string | null
  limit: number
  cursor: string | null
}

/** Newest first. A page stays the same while rows are added. Errors: validation_failed for a cursor, unknown_schema. */
export async function listAttestations(
  principal: Principal,
  { limit, cursor, ...filter }: AttestationFilter,
): Promise<{ data: AttestationRecord[]; next_cursor: string | null }> {
  const { workspaceId } = principal
  const { schemaId, status } = filter
  const last = cursor === null ? null : await placeOf(workspaceId, cursor)
  const investorId = filter.investorId === null ? undefined : await resolveInvestor(workspaceId, filter.investorId)
  const isNoSession = filter.sessionId !== null && !isId("sess", filter.sessionId)
  // Such an investor does not exist, so neither do attestations.
  const rows =
    investorId === null || isNoSession
      ? []
      : await findRows<AttestationRow>(
          workspaceId,
          {
            investorId,
            wallet: filter.wallet ?? undefined,
            schema: schemaId ?? undefined,
            status: (status === "rejected" ? "rejected or revoked" : status) ?? undefined,
            externalId: filter.externalId ?? undefined,
            sessionId: filter.sessionId ?? undefined,
            from: filter.createdAfter ?? undefined,
            to: filter.createdBefore ?? undefined,
            expiring_before: filter.expiringBefore ?? undefined,
          },
          { last, limit: limit + 1, fields: () => attestationFields(sql) },
        )
  if (rows.length === 0 && schemaId !== null) await requireSchema(workspaceId, schemaId)
  const shown = rows.slice(0, limit)
  return {
    data: shown.map((row) => toRecord(row, principal)),
    next_cursor: rows.length > limit ? toCursor(shown.at(-1)!.id) : null,
  }
}
