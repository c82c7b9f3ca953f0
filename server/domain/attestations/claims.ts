import { sql } from "#db/client.ts"
import { type Change, recordChanges } from "#domain/audit-log"
import { openClaims, sealClaims } from "#domain/deployment"
import { type Caller, type Principal, requireScope } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { type ClaimName, type Claims, contradictions } from "#shared/claims.ts"

export { openClaims, sealClaims }

/**
 * Opens the claims of attestations to show them to a member. First, the audit log records each: whose claims and which,
 * never their values. Attestations without claims and those of other workspaces are left out. Errors:
 * insufficient_scope.
 */
export async function readClaims(
  caller: Caller,
  attestationIds: readonly string[],
): Promise<ReadonlyMap<string, Claims>> {
  requireScope(caller.principal, "claims:read")
  const { workspaceId } = caller.principal
  return sql.begin(async (sql) => {
    const rows = await sql<{ id: string; investor_id: string; claims: Buffer }[]>`
      select id, investor_id, claims from attestations
      where workspace_id = ${workspaceId} and id = any(${attestationIds as string[]}) and claims is not null order by seq`
    const opened = rows.map((row) => ({ ...row, claims: openClaims(row.id, row.claims) }))
    const views = opened.map(({ id, investor_id, claims }): Change => {
      const detail = { investor: investor_id, claims: Object.keys(claims).sort() }
      return { author: caller, action: "claims.viewed", subject: id, detail }
    })
    if (views.length > 0) await recordChanges(sql, workspaceId, views)
    return new Map(opened.map(({ id, claims }) => [id, claims]))
  })
}

/** An investor has few verifications. */
const MOST_COMPARED = 100

/**
 * On which claims an investor's verifications in force contradict each other or `sent`, which a review has received. What
 * a renewal changes is no contradiction, because the earlier verification has ended. The values stay sealed, so this is
 * not an entry in the audit log. Empty for a reader who may not see claims.
 */
export async function readContradictions(
  principal: Principal,
  investorId: string | null,
  sent: Claims = {},
): Promise<ClaimName[]> {
  if (investorId === null || !principal.scopes.has("claims:read")) return []
  const rows = await sql<{ id: string; claims: Buffer }[]>`
    select id, claims from attestations
    where workspace_id = ${principal.workspaceId} and investor_id = ${investorId} and claims is not null
      and status = 'verified' and expires_at > ${clock.now()}
    order by seq desc nulls last limit ${MOST_COMPARED}`
  return contradictions([sent, ...rows.map(({ id, claims }) => openClaims(id, claims))])
}
