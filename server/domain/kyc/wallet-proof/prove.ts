import type { SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { unwrapMessage } from "#server/solana/offchain-message.ts"
import { isSignedStrictly } from "#server/solana/strict-ed25519.ts"
import { readUnsentTransaction } from "#server/solana/unsent-transaction.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"
import { type Challenge, findChallenge, findOpenSession, inputOf, refuseProof } from "./challenge.ts"
import { noSuchRequest, recordProof } from "./record.ts"
import { firstDifference } from "./sign-in-message.ts"

export type Signed =
  /** The bytes that the wallet reports to have signed. */
  | { message: Buffer; signature: Buffer }
  | { transaction: Buffer }

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
export function requireInTime({ issued_at, expires_at }: Challenge, now: Date): void {
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
