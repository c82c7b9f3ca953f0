import type { Queryable } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { endOthers, lockOwners } from "#domain/attestations"
import { chainOf } from "#domain/deployment"
import { followMerge } from "#domain/token-investors"
import { isBarred, isReceiving } from "#domain/tokens"
import { applyHeld } from "#server/domain/kyc/approve.ts"
import type { SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { transactionFor } from "#server/domain/kyc/recorded-event.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { unwrapMessage } from "#server/solana/offchain-message.ts"
import { isRefusal } from "#server/solana/rpc/errors.ts"
import { hasMemoOfProgram } from "#server/solana/signed-memo.ts"
import { isOfProgram, isSignedStrictly } from "#server/solana/strict-ed25519.ts"
import { readUnsentTransaction } from "#server/solana/unsent-transaction.ts"
import { fail } from "#shared/errors.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"
import {
  type Challenge,
  findChallenge,
  findOpenSession,
  inputOf,
  memoOf,
  refuseProof,
  sessionNotOpen,
} from "./challenge.ts"
import { firstDifference } from "./sign-in-message.ts"

export type Signed =
  /** The bytes that the wallet reports to have signed. */
  { message: Buffer; signature: Buffer } | { transaction: Buffer }

/**
 * Accepts what the wallet of a session signed: exactly the requested text, either plain, in a hardware wallet's
 * envelope, or as the memo of a transaction that can never land. Each request is valid once. Applies a held approval in
 * the same commit. Errors: wallet_proof_refused, chain_unavailable in quarantine.
 */
export async function proveWallet(sessionId: string, signed: Signed): Promise<void> {
  const now = clock.now()
  const session = await findOpenSession(sessionId, now)
  const challenge = await findChallenge(session)
  if (challenge === null) return noSuchRequest()
  const { text, message, signature } = readSigned(session, challenge, signed)
  requireAsked(session, challenge, text)
  requireInTime(challenge, now)
  const publicKey = publicKeyOf(session.wallet).toBytes()
  if (!isSignedStrictly({ publicKey, message, signature }))
    refuseProof("signature", `the message is not signed by ${session.wallet}. Sign it with that wallet.`)
  await recordProof({ sessionId, session, challenge, now })
}

/** The signed text, and the bytes that the signature covers. Errors: wallet_proof_refused. */
function readSigned({ wallet }: SessionRow, { nonce }: Challenge, signed: Signed) {
  const key = publicKeyOf(wallet)
  if ("message" in signed) {
    const { message, signature } = signed
    return { text: unwrapMessage(message, key.toBytes()) ?? message, message, signature }
  }
  const read = readUnsentTransaction(signed.transaction, key)
  if (read === null)
    return refuseProof(
      "message",
      `this is not the transaction that the wallet was asked to sign. That one has one memo, and only ${wallet} signs it and pays.`,
    )
  // A transaction that could land may have been signed for another purpose.
  if (!read.isNeverSent(nonce)) noSuchRequest()
  return read
}

/** The problem for the first field that differs. For other fields, `message`. */
const problems: Partial<Record<NonNullable<ReturnType<typeof firstDifference>>, ProofProblem>> = {
  domain: "domain",
  uri: "domain",
  address: "wallet",
  resources: "session",
  nonce: "request",
}

/** Errors: wallet_proof_refused, if the wallet signed a different message. */
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
  refuseProof(problem, sentences[problem] ?? "the wallet signed a different text. Try another wallet app.")
}

/** Errors: wallet_proof_refused, if the message is not valid yet or has expired. */
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

/**
 * Accepts a transaction on chain in which a smart wallet's program signed the requested memo. A wallet with a key must
 * sign the message instead: any program in one of its transactions could add a memo that the wallet does not show.
 * Errors: wallet_proof_refused, chain_unavailable, chain_not_configured.
 */
export async function proveOnChain(sessionId: string, signature: string): Promise<void> {
  const session = await findOpenSession(sessionId, clock.now())
  const wallet = publicKeyOf(session.wallet)
  if (!isOfProgram(wallet)) return refuseProof("session", "this wallet has a key. Sign the message with it instead.")
  const challenge = await findChallenge(session)
  if (challenge === null) return noSuchRequest()
  // The page is public, so the ledger's requests take priority.
  const { rpc } = chainOf(session.mode)
  const found = await rpc.patient.transaction(signature).catch((error) => {
    // The node refuses the request, because it is not a signature.
    if (isRefusal(error)) return null
    return fail("chain_unavailable", "The chain does not answer right now. Check the transaction again in a moment.")
  })
  if (found === null || found.meta === null || found.meta.err !== null)
    return refuseProof(
      "transaction",
      "the chain has no confirmed transaction with this signature, or it failed. Wait until it is confirmed.",
    )
  if (!hasMemoOfProgram(found, wallet, memoOf(challenge)))
    return refuseProof(
      "memo",
      `the transaction has no memo that ${session.wallet} signed with exactly the requested text.`,
    )
  const now = clock.now()
  requireInTime(challenge, now)
  await recordProof({ sessionId, session, challenge, now })
}

const noSuchRequest = (): never =>
  refuseProof("request", "this message was already used, or replaced by a newer one. Ask for a new message.")

type Proof = { sessionId: string; session: SessionRow; challenge: Challenge; now: Date }

/**
 * Records that a session's wallet is proved, and uses up the request. Other people's verifications of it end. Applies a
 * held approval. Errors: wallet_proof_refused, chain_unavailable in quarantine.
 */
async function recordProof(proof: Proof): Promise<void> {
  const { workspace_id } = proof.session
  await transactionFor(workspace_id, (sql) => record(sql, proof))
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
  await lockOwners(sql, workspace_id, [session.wallet])
  // The wallet was barred after the session began, or its tokens are on the way.
  const isTaken = await isReceiving(sql, workspace_id, { wallet: session.wallet, attestationId: id })
  if (isTaken || (await isBarred(sql, workspace_id, session.wallet))) sessionNotOpen()
  const proved = await sql`
    update attestations set wallet_proved_at = ${now}
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending' and open_until > ${now}
      and wallet_proved_at is null
    returning id`
  if (proved.length === 0) sessionNotOpen()
  // An investor without an external id is known only by this wallet, so its key's owner is that investor.
  const merged = await sql<{ from: string; into: string; done: boolean }[]>`
    select i.id as from, a.investor_id as into, merge_investors(i.workspace_id, i.id, a.investor_id, null) as done
    from attestations a join investors i on i.workspace_id = a.workspace_id and i.wallet = a.wallet
      and i.external_id is null and i.merged_into is null and i.id <> a.investor_id
    where a.workspace_id = ${workspace_id} and a.id = ${id}`
  for (const { done, ...merge } of merged) if (done) await followMerge(sql, workspace_id, merge)
  await endOthers(sql, { workspaceId: workspace_id, wallets: [session.wallet], now })
  await applyHeld(sql, { sessionId }, now)
}
