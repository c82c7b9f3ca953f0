import { sql } from "#db/client.ts"
import { keysKnownTo } from "#domain/people"
import type { Principal } from "#domain/requests"
import { revokeKey } from "./manage.ts"

/** Revokes every key of the account whose secret a former member saw. */
export async function revokeKeysKnownTo({
  principal,
  requestId,
  userId,
}: {
  principal: Principal
  requestId: string
  userId: string
}): Promise<{ revoked: number }> {
  const [workspace] = await sql<{ account_id: string }[]>`
    select account_id from workspaces where id = ${principal.workspaceId}`
  const keys = await keysKnownTo(sql, workspace!.account_id, userId)
  for (const { key_id, workspace_id } of keys) {
    await revokeKey({ keyId: key_id, workspaceId: workspace_id, author: { principal, requestId } })
  }
  return { revoked: keys.length }
}
