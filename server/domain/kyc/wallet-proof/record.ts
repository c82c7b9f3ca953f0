import { onBehalfOf, type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { endOthers } from "#domain/attestations"
import { applyHeld } from "#server/domain/kyc/approve.ts"
import type { SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { type Challenge, refuseProof, sessionNotOpen } from "./challenge.ts"

export const noSuchRequest = (): never =>
  refuseProof("request", "this message was already used, or replaced by a newer one. Ask for a new message.")

type Proof = { sessionId: string; session: SessionRow; challenge: Challenge; now: Date }

/**
 * Records that a session's wallet is proved, and uses up the request. Other people's verifications of it end. Applies a
 * held approval. Errors: wallet_proof_refused, chain_unavailable in quarantine.
 */
export async function recordProof(proof: Proof): Promise<void> {
  const { workspace_id } = proof.session
  await onBehalfOf(workspace_id, () => repeatOnDeadlock(() => sql.begin((sql) => record(sql, proof))))
  publish("ledger")
  publishActivity(workspace_id)
}

/** Of two simultaneous proofs, one uses the request and the other finds none. */
async function record(sql: Queryable, { sessionId, session, challenge, now }: Proof): Promise<void> {
  const { workspace_id, id } = session
  // Lock the attestation first, in the same order as events.
  await sql`select id from attestations where workspace_id = ${workspace_id} and id = ${id} for update`
  const taken = await sql`
    delete from wallet_challenges
    where workspace_id = ${workspace_id} and attestation_id = ${id} and nonce = ${challenge.nonce}
      and expires_at > ${now}
    returning nonce`
  if (taken.length === 0) noSuchRequest()
  const proved = await sql`
    update attestations set wallet_proved_at = ${now}
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending' and open_until > ${now}
      and wallet_proved_at is null
    returning id`
  if (proved.length === 0) sessionNotOpen()
  // An investor without an external id is known only by this wallet, so its key's owner is that investor.
  await sql`
    select merge_investors(i.workspace_id, i.id, a.investor_id, null)
    from attestations a join investors i on i.workspace_id = a.workspace_id and i.wallet = a.wallet
      and i.external_id is null and i.merged_into is null and i.id <> a.investor_id
    where a.workspace_id = ${workspace_id} and a.id = ${id}`
  await endOthers(sql, { workspaceId: workspace_id, wallets: [session.wallet], now })
  await applyHeld(sql, { sessionId }, now)
}
