import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
import { type AttestationRecord, type AttestationRow, attestationFields, toRecord } from "./record.ts"
import { type ApiFilter, listInApi } from "./search.ts"

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

/** Newest first. Errors: validation_failed for a cursor, unknown_schema. */
export const listAttestations = (principal: Principal, filter: ApiFilter) =>
  listInApi(principal, filter, {
    fields: () => attestationFields(sql),
    show: (row: AttestationRow) => toRecord(row, principal),
  })
