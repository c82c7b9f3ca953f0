import { randomBytes } from "node:crypto"
import bs58 from "bs58"
import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { statusAt } from "#domain/attestations"
import { deployment } from "#domain/deployment"
import { findSession, needsProof, type SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { isOfProgram } from "#server/solana/strict-ed25519.ts"
import { unsentTransaction } from "#server/solana/unsent-transaction.ts"
import { fail } from "#shared/errors.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"
import { type SignInInput, signInText } from "./sign-in-message.ts"

const SECONDS = 600
/** 128 bits, in base58, because the standard allows only letters and digits. */
const NONCE_BYTES = 16

/** The standard's names of networks. Its grammar allows no others. */
const chainIds: Record<string, string> = {
  "mainnet-beta": "solana:mainnet",
  devnet: "solana:devnet",
  testnet: "solana:testnet",
  localnet: "localnet",
}

/** Without quotes and only in ASCII, because the standard's grammar allows no others. */
const STATEMENT =
  "Prove that this wallet is yours, for the verification that you started. This costs nothing and moves no tokens."

const challengeColumns = columns("wallet_challenges", "nonce, chain_id, issued_at, expires_at")
export type Challenge = RowOf<typeof challengeColumns>

/** Errors: wallet_proof_refused. */
export const refuseProof = (problem: ProofProblem, sentence: string): never =>
  fail("wallet_proof_refused", `${problem}: ${sentence}`)

export const sessionNotOpen = (): never =>
  refuseProof("session", "this session is not open. Ask the company for a new link.")

/** What a wallet must sign, for each method of the wallet standard. */
export type ProofRequest = {
  input: SignInInput
  /** The message as text, for `solana:signMessage` and `solana:signOffchainMessage`. */
  text: string
  /** The message as the memo of a transaction that can never land, for `solana:signTransaction`. Base64. */
  transaction: string
  /** The memo that a smart wallet, which has no key, sends on chain instead. */
  memo: string
}

/**
 * Makes the request that a session's wallet must sign, in place of the previous one. A smart wallet's members may need
 * hours, so its request stays valid while the session is open. Errors: wallet_proof_refused.
 */
export async function askForProof(sessionId: string): Promise<ProofRequest> {
  const now = clock.now()
  const session = await findOpenSession(sessionId, now)
  const cluster = deployment.chains[session.mode]?.identity?.cluster ?? ""
  // To the second, like the text.
  const issued = new Date(toTimestamp(now))
  const wallet = publicKeyOf(session.wallet)
  const isLasting = isOfProgram(wallet)
  const asked: Challenge = {
    nonce: bs58.encode(randomBytes(NONCE_BYTES)),
    chain_id: chainIds[cluster] ?? null,
    issued_at: issued,
    expires_at: (isLasting && session.open_until) || addSeconds(issued, SECONDS),
  }
  const [challenge] = await sql<Challenge[]>`
    insert into wallet_challenges ${sql({ workspace_id: session.workspace_id, attestation_id: session.id, ...asked })}
    on conflict (workspace_id, attestation_id) do update set
      nonce = case when ${isLasting}::boolean then wallet_challenges.nonce else excluded.nonce end,
      issued_at = case when ${isLasting}::boolean then wallet_challenges.issued_at else excluded.issued_at end,
      chain_id = excluded.chain_id, expires_at = excluded.expires_at
    returning ${sql(challengeColumns)}`
  const input = inputOf(session, challenge!)
  const text = signInText(input)
  return { input, text, transaction: unsentTransaction(wallet, text, input.nonce), memo: memoOf(challenge!) }
}

/** Public on chain, so it names only this site, not the session or the person. */
export const memoOf = ({ nonce }: Challenge): string =>
  `Proof of this wallet for ${new URL(deployment.origin).host}: ${nonce}`

/** Records the consent of an investor whose wallet signs next. Errors: wallet_proof_refused. */
export async function agreeToProof(sessionId: string): Promise<void> {
  const now = clock.now()
  const { workspace_id, id } = await findOpenSession(sessionId, now)
  await sql`
    update attestations set consented_at = ${now}
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending' and consented_at is null`
  publishActivity(workspace_id)
}

/** The session that waits for a proof. Errors: wallet_proof_refused. */
export async function findOpenSession(sessionId: string, now: Date): Promise<SessionRow> {
  const session = await findSession(sessionId)
  if (session === null || statusAt(session, now) !== "pending") return sessionNotOpen()
  if (session.wallet_proved_at !== null)
    return refuseProof("request", "this wallet is already proved. Reload the page to continue.")
  if (!needsProof(session))
    return refuseProof("session", "this session does not require proof of the wallet. Reload the page to continue.")
  return session
}

/** The request of a session; null if there is none or it was used. */
export async function findChallenge({ workspace_id, id }: SessionRow): Promise<Challenge | null> {
  const [row] = await sql<Challenge[]>`
    select ${sql(challengeColumns)} from wallet_challenges
    where workspace_id = ${workspace_id} and attestation_id = ${id}`
  return row ?? null
}

/** Names the session by its attestation, because the session's id opens the page. */
export const inputOf = ({ id, wallet }: SessionRow, challenge: Challenge): SignInInput => ({
  domain: new URL(deployment.origin).host,
  address: wallet,
  statement: STATEMENT,
  uri: `${deployment.origin}/verify`,
  version: "1",
  ...(challenge.chain_id !== null && { chainId: challenge.chain_id }),
  nonce: challenge.nonce,
  issuedAt: toTimestamp(challenge.issued_at),
  expirationTime: toTimestamp(challenge.expires_at),
  resources: [`${deployment.origin}/v1/attestation/${id}`],
})
