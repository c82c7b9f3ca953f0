import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import type { Issuer } from "./issuer.ts"

/** How far a workspace is set up. */
export type Setup = {
  /** Whether a provider is configured, so that investors can be verified. */
  provider: boolean
  /** Whether the fee payer has SOL. Null while unknown. */
  sol: boolean | null
  key: boolean
  verification: boolean
  mint: boolean
  webhook: boolean
}

export async function readSetup({ workspaceId, mode }: Principal, issuer: Issuer | null): Promise<Setup> {
  const { default: common, bySchema } = deployment.providers[mode]
  const has = await sql<Pick<Setup, "key" | "verification" | "mint" | "webhook">[]>`
    select
      exists (select from api_keys where workspace_id = ${workspaceId} and revoked_at is null) as key,
      exists (select from attestations where workspace_id = ${workspaceId}) as verification,
      exists (select from operations where workspace_id = ${workspaceId} and kind = 'mint') as mint,
      exists (select from webhook_endpoints where workspace_id = ${workspaceId} and deleted_at is null) as webhook`
  return {
    provider: common !== null || bySchema.size > 0,
    sol: issuer === null || issuer.sol === null ? null : !issuer.low,
    ...only(has),
  }
}
