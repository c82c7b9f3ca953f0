import { reads } from "#db/client.ts"
import { statusAt } from "#domain/attestations"
import { requireSchema } from "#domain/schemas"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { AttestationStatus } from "#shared/statuses.ts"

export type WalletStatus = {
  status: AttestationStatus
  attestation_id: string
  schema: string
  expires_at: string | null
  onchain_tx: string | null
}

/**
 * A wallet's status, from its latest verified attestation that has not expired, or else from its newest attestation.
 * Errors: attestation_not_found, unknown_schema.
 */
export async function walletStatus({
  workspaceId,
  wallet,
  schemaId,
}: {
  workspaceId: string
  wallet: Address
  schemaId: string | null
}): Promise<WalletStatus> {
  const now = clock.now()
  const [row] = await reads<
    {
      id: string
      schema_id: string
      status: AttestationStatus
      open_until: Date | null
      verified_at: Date | null
      expires_at: Date | null
      onchain_tx: string | null
    }[]
  >`
    select id, schema_id, status, open_until, verified_at, expires_at, onchain_tx from attestations
    where workspace_id = ${workspaceId} and wallet = ${wallet} and (${schemaId}::text is null or schema_id = ${schemaId})
    order by (status = 'verified' and expires_at > ${now}) desc, seq desc limit 1`
  if (!row) {
    if (schemaId !== null) await requireSchema(workspaceId, schemaId)
    const of = schemaId === null ? "" : ` for ${schemaId}`
    return fail("attestation_not_found", `${wallet} has no attestation${of} in this workspace.`)
  }
  const wasVerified = row.verified_at !== null
  return {
    status: statusAt(row, now),
    attestation_id: row.id,
    schema: row.schema_id,
    expires_at: wasVerified && row.expires_at ? toTimestamp(row.expires_at) : null,
    onchain_tx: wasVerified ? row.onchain_tx : null,
  }
}
