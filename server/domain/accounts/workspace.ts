import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { Principal } from "#server/domain/context.ts"
import { deployment } from "#server/domain/deployment.ts"
import { placeOfWebhookSecret } from "#server/settings/secrets.ts"
import { authorityOf } from "#server/solana/keys.ts"
import type { Mode } from "#shared/mode.ts"
import type { PlanName } from "./plans.ts"

export type WorkspaceFacts = {
  id: string
  mode: Mode
  account: { id: string; name: string; plan: PlanName }
  /** Where clients reach the API. */
  base_url: string
  /** Null where the mode has none. */
  provider: string | null
  /** Where the server keeps the Standard Webhooks secret; null for members who cannot manage keys, and where the provider has another. */
  webhook_secret: {
    variable: string
    /** Null where it is in the environment. */
    file: string | null
  } | null
  /** Null where the mode has none. */
  chain: {
    /** `unknown` until it has answered once. */
    cluster: string
    /** The workspace's own address: issues its credentials and tokens, freezes, and revokes. */
    authority: string
    /** Pays for what all workspaces of the mode issue. */
    fee_payer: string
  } | null
}

/** What a workspace is, and what it runs on. */
export async function readWorkspace({ workspaceId, mode, scopes }: Principal): Promise<WorkspaceFacts> {
  const accounts = await sql<WorkspaceFacts["account"][]>`
    select a.id, a.name, a.plan from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  const chain = deployment.chains[mode]
  const provider = deployment.providers[mode].default
  const seesSecret = scopes.has("key:write") && provider?.settings.includes("WEBHOOK_SECRET")
  return {
    id: workspaceId,
    mode,
    account: only(accounts),
    base_url: `${deployment.origin}/v1`,
    provider: provider?.name ?? null,
    webhook_secret: seesSecret ? placeOfWebhookSecret(deployment.settings, mode) : null,
    chain: chain && {
      cluster: chain.bound?.cluster ?? "unknown",
      authority: authorityOf(chain.keys, workspaceId).publicKey.toBase58(),
      fee_payer: chain.feePayer.publicKey.toBase58(),
    },
  }
}
