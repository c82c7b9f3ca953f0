import { sql } from "#db/client.ts"
import { readClaims } from "#domain/attestations"
import { type Principal, requireScope } from "#domain/requests"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Claims } from "#shared/claims.ts"
import { requireInvestor } from "./read.ts"

/** The most attestations of an investor whose claims are shown: the newest that have any. */
const MOST = 50

export type InvestorClaims = {
  attestation_id: string
  user_pubkey: string
  schema: string
  approved_at: string
  claims: Claims
}

/**
 * What providers reported about an investor, newest first. The audit log records each attestation that is read. Errors:
 * insufficient_scope, investor_not_found.
 */
export async function viewClaims(
  { principal, requestId }: { principal: Principal; requestId: string },
  id: string,
): Promise<{ data: InvestorClaims[] }> {
  requireScope(principal, "claims:read")
  const { workspaceId } = principal
  const investorId = await requireInvestor(workspaceId, id)
  const rows = await sql<{ id: string; wallet: Address; schema_id: string; approved_at: Date }[]>`
    select id, wallet, schema_id, coalesce(issued_at, held_at) as approved_at from attestations
    where workspace_id = ${workspaceId} and investor_id = ${investorId} and claims is not null
    order by seq desc nulls last limit ${MOST}`
  const claims = await readClaims({ principal, requestId, attestationIds: rows.map((row) => row.id) })
  return {
    data: rows.flatMap(({ id, wallet, schema_id, approved_at }) => {
      const known = claims.get(id)
      return known
        ? [
            {
              attestation_id: id,
              user_pubkey: wallet,
              schema: schema_id,
              approved_at: toTimestamp(approved_at),
              claims: known,
            },
          ]
        : []
    }),
  }
}
