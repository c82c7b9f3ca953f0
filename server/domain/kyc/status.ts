import { reads } from "#db/client.ts"
import { statusAt } from "#domain/attestations"
import { requireSchema } from "#domain/schemas"
import { inBatches } from "#server/lib/in-batches.ts"
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

type Key = { workspaceId: string; wallet: Address; schemaId: string | null }
type Found = {
  id: string
  schema_id: string
  status: AttestationStatus
  open_until: Date | null
  verified_at: Date | null
  expires_at: Date | null
  onchain_tx: string | null
}

const one = ({ workspaceId, wallet, schemaId }: Key) => reads<Found[]>`
  select id, schema_id, status, open_until, verified_at, expires_at, onchain_tx from attestations
  where workspace_id = ${workspaceId} and wallet = ${wallet} and (${schemaId}::text is null or schema_id = ${schemaId})
  order by (status = 'verified' and expires_at > ${clock.now()}) desc, seq desc limit 1`

const several = (keys: readonly Key[]) => reads<(Found & { n: number })[]>`
  select k.n::int, a.* from unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ wallet }) => wallet)}::text[],
    ${keys.map(({ schemaId }) => schemaId)}::text[]) with ordinality as k(workspace_id, wallet, schema_id, n)
  cross join lateral (
    select id, schema_id, status, open_until, verified_at, expires_at, onchain_tx from attestations
    where workspace_id = k.workspace_id and wallet = k.wallet and (k.schema_id is null or schema_id = k.schema_id)
    order by (status = 'verified' and expires_at > ${clock.now()}) desc, seq desc limit 1) a`

/**
 * A statement costs a third of such a request, so requests that arrive together share one. A request alone has its own
 * statement, because Postgres plans the other one again for each short list.
 */
const findAttestation = inBatches<Key, Found>(async (keys) => {
  if (keys.length === 1) return one(keys[0]!)
  const found: Found[] = []
  for (const row of await several(keys)) found[row.n - 1] = row
  return found
})

/**
 * A wallet's status, from its latest verified attestation that has not expired, or else from its newest attestation.
 * Errors: attestation_not_found, unknown_schema.
 */
export async function walletStatus({ workspaceId, wallet, schemaId }: Key): Promise<WalletStatus> {
  const now = clock.now()
  const row = await findAttestation({ workspaceId, wallet, schemaId })
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
