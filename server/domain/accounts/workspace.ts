import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { placeOfWebhookSecret } from "#server/settings/secrets.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { PlanName } from "./plans.ts"
import type { AccountSecurity } from "./security.ts"

/** A workspace and the services that it uses. */
export async function readWorkspace(principal: Principal) {
  const { workspaceId, mode, scopes } = principal
  type Row = AccountSecurity & {
    id: string
    name: string
    plan: PlanName
    authority: Address
    fee_payer: Address | null
  }
  const accounts = await sql<Row[]>`
    select a.id, a.name, a.plan, a.second_factor_required, w.authority, w.fee_payer
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  const { authority, fee_payer, ...account } = only(accounts)
  const chain = deployment.chains[mode]
  const provider = deployment.providers[mode].default
  const seesSecret = scopes.has("key:write") && provider?.settings.includes("WEBHOOK_SECRET")
  return {
    id: workspaceId,
    mode,
    account,
    /** The URL at which clients reach the API. */
    base_url: `${deployment.origin}/v1`,
    /** The provider's display name; null if the mode has no provider. */
    provider: provider?.label ?? null,
    /** Null for members who cannot manage keys, and if the provider has no Standard Webhooks secret. */
    webhook_secret: seesSecret ? placeOfWebhookSecret(deployment.settings, mode) : null,
    /** Null if the mode has none. */
    chain: chain && {
      /** `unknown` until the chain has answered once. */
      cluster: chain.identity?.cluster ?? "unknown",
      /** The workspace's own address. It issues its credentials and tokens, freezes accounts, and revokes. */
      authority,
      /** The address that pays for transactions: the workspace's own key, or the mode's shared one. */
      fee_payer: fee_payer ?? addressOf(chain.feePayer.publicKey),
    },
  }
}
