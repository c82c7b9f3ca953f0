import { onBehalfOf, type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { applyHeld } from "#server/domain/kyc/approve.ts"
import type { SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { unwrapMessage } from "#server/solana/offchain-message.ts"
import { isSignedStrictly } from "#server/solana/strict-ed25519.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"
import {
  type Challenge,
  findChallenge,
  findOpenSession,
  inputOf,
  refuseProof,
  sessionNotOpen,
} from "./challenge.ts"
import { firstDifference } from "./sign-in-message.ts"

type Signed = {
  /** The bytes that the wallet says it signed. */
  message: Buffer
  signature: Buffer
}

/**
 * Takes what the wallet of a session signed: its own text must be the one that was asked for, byte for byte, plain or wrapped as
 * hardware wallets sign it, and each request serves once. An approval that waited for it is applied in the same commit. Errors: wallet_proof_refused,
 * chain_unavailable in quarantine.
 */
export async function proveWallet(sessionId: string, signed: Signed): Promise<void> {
  const now = clock.now()
  const session = await findOpenSession(sessionId, now)
  const challenge = await findChallenge(session)
  if (challenge === null) return noSuchRequest()
  const publicKey = publicKeyOf(session.wallet).toBytes()
  requireAsked(session, challenge, unwrapMessage(signed.message, publicKey) ?? signed.message)
  requireInTime(challenge, now)
  if (!isSignedStrictly({ publicKey, ...signed }))
    refuseProof("signature", `the message is not signed by ${session.wallet}. Sign it with that wallet.`)
  await onBehalfOf(session.workspace_id, () =>
    repeatOnDeadlock(() => sql.begin((sql) => record(sql, { sessionId, session, challenge, now }))),
  )
  publish("ledger")
  publishActivity(session.workspace_id)
}

const noSuchRequest = (): never =>
  refuseProof("request", "this message was used already, or replaced by a newer one. Ask for a new message.")

/** By the first field that differs; any other is a `message`. */
const problems: Partial<Record<NonNullable<ReturnType<typeof firstDifference>>, ProofProblem>> = {
  domain: "domain",
  uri: "domain",
  address: "wallet",
  resources: "session",
  nonce: "request",
}

/** Errors: wallet_proof_refused, where another message was signed than the one that was asked for. */
function requireAsked(session: SessionRow, challenge: Challenge, message: Buffer): void {
  const input = inputOf(session, challenge)
  const different = firstDifference(input, textOf(message))
  if (different === null) return
  const problem = problems[different] ?? "message"
  if (problem === "request") noSuchRequest()
  const sentences: Partial<Record<ProofProblem, string>> = {
    domain: `the message is for another site than ${input.domain}. Open the link again.`,
    wallet: `the message is for another wallet. Sign it with ${session.wallet}.`,
    session: "the message is for another session. Ask for a new message.",
  }
  refuseProof(
    problem,
    sentences[problem] ?? "the wallet signed another text than it was asked to. Try another wallet app.",
  )
}

/** Errors: wallet_proof_refused, where the message is not valid yet, or no more. */
function requireInTime({ issued_at, expires_at }: Challenge, now: Date): void {
  if (now < issued_at) refuseProof("early", "the message is not valid yet. Ask for a new message.")
  if (now >= expires_at) refuseProof("late", "the message has expired. Ask for a new message.")
}

function textOf(message: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(message)
  } catch {
    return ""
  }
}

type Proof = { sessionId: string; session: SessionRow; challenge: Challenge; now: Date }

/** Of two at once, one takes the request, and the other finds none. */
async function record(sql: Queryable, { sessionId, session, challenge, now }: Proof): Promise<void> {
  const { workspace_id, id } = session
  // Events lock the attestation first, too.
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
  // An investor without an external id is known by this wallet alone, so the person who signs with its key is that investor.
  await sql`
    select merge_investors(i.workspace_id, i.id, a.investor_id, null)
    from attestations a join investors i on i.workspace_id = a.workspace_id and i.wallet = a.wallet
      and i.external_id is null and i.merged_into is null and i.id <> a.investor_id
    where a.workspace_id = ${workspace_id} and a.id = ${id}`
  await applyHeld(sql, { sessionId }, now)
}
