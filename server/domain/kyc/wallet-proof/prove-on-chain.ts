import { chainOf } from "#domain/deployment"
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
