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
  /** The bytes that the wallet says it signed. */
  | { message: Buffer; signature: Buffer }
  /** The signed transaction, as it would be sent. */
  | { transaction: Buffer }

/**
 * Takes what the wallet of a session signed: the text must be the one that was asked for, byte for byte, plain, wrapped as
 * hardware wallets sign it, or as the memo of a transaction that can never land. Each request serves once. An approval
 * that waited for it is applied in the same commit. Errors: wallet_proof_refused, chain_unavailable in quarantine.
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

/** The text that was signed, and what the signature is of. Errors: wallet_proof_refused. */
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
      `the transaction is another one than the wallet was asked to sign. It has one memo, and ${wallet} alone signs it and pays.`,
    )
  // A transaction that could be sent may have been signed for another purpose.
  if (!read.isNeverSent(nonce)) noSuchRequest()
  return read
}

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
