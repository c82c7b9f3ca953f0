import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import type { Address } from "#shared/address.ts"
import { testWallets } from "#shared/test-wallets.ts"
import { reportDecision } from "./decide-test-session.ts"

/**
 * Decides a session that was started for a test wallet, in the same way as `decideTestSession`. This applies only to
 * sandbox sessions in test mode. In live mode, or with any other provider, the address is an ordinary wallet.
 */
export async function decideTestWallet(
  { workspaceId, mode }: Principal,
  wallet: Address,
  sessionId: string,
): Promise<void> {
  const decision = mode === "test" ? testWallets.get(wallet) : undefined
  if (decision === undefined) return
  const [session] = await sql<{ id: string; provider: string }[]>`
    select id, provider from attestations where workspace_id = ${workspaceId} and session_id = ${sessionId}`
  const provider = session && deployment.providers[mode].configured.get(session.provider)
  if (provider?.flow.kind !== "form") return
  // A start that returns the session again sends the same event, which counts once.
  const eventId = `evt_${session!.id}`
  await reportDecision({ name: provider.name, report: provider.flow.report }, { eventId, sessionId, ...decision })
}
