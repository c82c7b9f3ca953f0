import { sql } from "#db/client.ts"
import { timestamped } from "#db/rows.ts"
import { readClaims } from "#domain/attestations"
import { type Caller, requireScope } from "#domain/requests"
import type { Address } from "#shared/address.ts"
import { requireInvestor } from "./read.ts"

/** The most attestations of an investor whose claims are shown: the newest that have any. */
const MOST = 50

/**
 * What providers reported about an investor, newest first. The audit log records each attestation that is read. Errors:
 * insufficient_scope, investor_not_found.
 */
export async function viewClaims(caller: Caller, id: string) {
  requireScope(caller.principal, "claims:read")
  const { workspaceId } = caller.principal
  const investorId = await requireInvestor(workspaceId, id)
  type Row = { attestation_id: string; user_pubkey: Address; schema: string; approved_at: Date }
  const rows = await sql<Row[]>`
    select id as attestation_id, wallet as user_pubkey, schema_id as schema, coalesce(issued_at, held_at) as approved_at
    from attestations
    where workspace_id = ${workspaceId} and investor_id = ${investorId} and claims is not null
    order by seq desc nulls last limit ${MOST}`
  const ids = rows.map((row) => row.attestation_id)
  const known = await readClaims(caller, ids)
  return {
    data: rows.flatMap((row) => {
      const claims = known.get(row.attestation_id)
      return claims ? [{ ...timestamped(row), claims }] : []
    }),
  }
}
