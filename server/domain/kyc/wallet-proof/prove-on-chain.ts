import { chainOf } from "#server/domain/deployment.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { isRefusal } from "#server/solana/rpc/errors.ts"
import { hasMemoOfProgram } from "#server/solana/signed-memo.ts"
import { isOfProgram } from "#server/solana/strict-ed25519.ts"
import { fail } from "#shared/errors.ts"
import { findChallenge, findOpenSession, memoOf, refuseProof } from "./challenge.ts"
import { requireInTime } from "./prove.ts"
import { noSuchRequest, recordProof } from "./record.ts"

/**
 * Takes the signature of a transaction on chain, in which the wallet signed the memo that was asked for: the way of smart
 * wallets, whose program signs for them once enough members have approved. A wallet with a key signs transactions all day,
 * and any program in one of them could add a memo that the wallet never shows: it signs the message. Errors:
 * wallet_proof_refused, chain_unavailable, chain_not_configured.
 */
export async function proveOnChain(sessionId: string, signature: string): Promise<void> {
  const session = await findOpenSession(sessionId, clock.now())
  const wallet = publicKeyOf(session.wallet)
  if (!isOfProgram(wallet))
    return refuseProof("session", "this wallet has a key. Sign the message with it instead.")
  const challenge = await findChallenge(session)
  if (challenge === null) return noSuchRequest()
  // The page is open to strangers: what the ledger needs comes first.
  const { rpc } = chainOf(session.mode)
  const found = await rpc.patient.transaction(signature).catch((error) => {
    // The node refuses the question: what was sent is no signature.
    if (isRefusal(error)) return null
    return fail(
      "chain_unavailable",
      "The chain does not answer right now. Check the transaction again in a moment.",
    )
  })
  if (found === null || found.meta === null || found.meta.err !== null)
    return refuseProof(
      "transaction",
      "the chain has no confirmed transaction with this signature, or it failed. Wait until it is confirmed.",
    )
  if (!hasMemoOfProgram(found, wallet, memoOf(challenge)))
    return refuseProof(
      "memo",
      `the transaction has no memo that ${session.wallet} signed with exactly the text that was asked for.`,
    )
  const now = clock.now()
  requireInTime(challenge, now)
  await recordProof({ sessionId, session, challenge, now })
}
