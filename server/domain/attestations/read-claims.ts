import { sql } from "#db/client.ts"
import { recordChanges } from "#domain/audit-log"
import { type Principal, requireScope } from "#domain/requests"
import type { Claims } from "#shared/claims.ts"
import { openClaims } from "./claims.ts"

/**
 * Opens the claims of attestations to show them to a member. First, the audit log records each: whose claims and which,
 * never their values. Attestations without claims and those of other workspaces are left out. Errors:
 * insufficient_scope.
 */
export async function readClaims({
  principal,
  requestId,
  attestationIds,
}: {
  principal: Principal
  requestId: string
  attestationIds: readonly string[]
}): Promise<ReadonlyMap<string, Claims>> {
  requireScope(principal, "claims:read")
  const { workspaceId } = principal
  return sql.begin(async (sql) => {
    const rows = await sql<{ id: string; investor_id: string; claims: Buffer }[]>`
      select id, investor_id, claims from attestations
      where workspace_id = ${workspaceId} and id = any(${attestationIds as string[]}) and claims is not null order by seq`
    const opened = rows.map((row) => ({ ...row, claims: openClaims(row.id, row.claims) }))
    const author = { principal, requestId }
    if (opened.length > 0) {
      await recordChanges(
        sql,
        workspaceId,
        opened.map(({ id, investor_id, claims }) => ({
          author,
          action: "claims.viewed",
          subject: id,
          detail: { investor: investor_id, claims: Object.keys(claims).sort() },
        })),
      )
    }
    return new Map(opened.map(({ id, claims }) => [id, claims]))
  })
}
