import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { placeOfWebhookSecret } from "#server/settings/secrets.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import type { PlanName } from "./plans.ts"
import { type AccountSecurity, type OffRequest, readOffRequest } from "./security.ts"

export type WorkspaceFacts = {
  id: string
  mode: Mode
  account: { id: string; name: string; plan: PlanName; four_eyes_off: OffRequest | null } & AccountSecurity
  /** The URL at which clients reach the API. */
  base_url: string
  /** The provider's display name; null if the mode has no provider. */
  provider: string | null
  /**
   * Where the server stores the Standard Webhooks secret; null for members who cannot manage keys, and if the provider
   * uses another kind of secret.
   */
  webhook_secret: {
    variable: string
    /** Null if it is in the environment. */
    file: string | null
  } | null
  /** Null if the mode has none. */
  chain: {
    /** `unknown` until the chain has answered once. */
    cluster: string
    /** The workspace's own address. It issues its credentials and tokens, freezes accounts, and revokes. */
    authority: string
    /** The address that pays for transactions: the workspace's own key, or the mode's shared one. */
    fee_payer: string
  } | null
}

/** A workspace and the services that it uses. */
export async function readWorkspace(principal: Principal): Promise<WorkspaceFacts> {
  const { workspaceId, mode, scopes } = principal
  type Row = Omit<WorkspaceFacts["account"], "four_eyes_off"> & {
    authority: Address
    fee_payer: Address | null
  }
  const accounts = await sql<Row[]>`
    select a.id, a.name, a.plan, a.second_factor_required, a.four_eyes, w.authority, w.fee_payer
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  const { authority, fee_payer, ...account } = only(accounts)
  const chain = deployment.chains[mode]
  const provider = deployment.providers[mode].default
  const seesSecret = scopes.has("key:write") && provider?.settings.includes("WEBHOOK_SECRET")
  return {
    id: workspaceId,
    mode,
    account: { ...account, four_eyes_off: await readOffRequest(principal) },
    base_url: `${deployment.origin}/v1`,
    provider: provider?.label ?? null,
    webhook_secret: seesSecret ? placeOfWebhookSecret(deployment.settings, mode) : null,
    chain: chain && {
      cluster: chain.identity?.cluster ?? "unknown",
      authority,
      fee_payer: fee_payer ?? addressOf(chain.feePayer.publicKey),
    },
  }
}
