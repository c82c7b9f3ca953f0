import { randomBytes } from "node:crypto"
import bs58 from "bs58"
import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { statusAt } from "#server/domain/attestations/status.ts"
import { deployment } from "#server/domain/deployment.ts"
import { findSession, needsProof, type SessionRow } from "#server/domain/kyc/hosted-page/view.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"
import { type SignInInput, signInText } from "./sign-in-message.ts"

/** How long a wallet has to sign. */
const SECONDS = 600
/** 128 bits. In base58: the standard wants letters and digits. */
const NONCE_BYTES = 16

/** What the standard calls a network. Its grammar has no other one. */
const chainIds: Record<string, string> = {
  "mainnet-beta": "solana:mainnet",
  devnet: "solana:devnet",
  testnet: "solana:testnet",
  localnet: "localnet",
}

/** The standard's grammar knows no quotes, and no letters beyond ASCII. */
const STATEMENT =
  "Prove that this wallet is yours, for the verification that you started. This costs nothing and moves no tokens."

const challengeColumns = columns("wallet_challenges", "nonce", "chain_id", "issued_at", "expires_at")
export type Challenge = RowOf<typeof challengeColumns>

/** Errors: wallet_proof_refused. */
export const refuseProof = (problem: ProofProblem, sentence: string): never =>
  fail("wallet_proof_refused", `${problem}: ${sentence}`)

export const sessionNotOpen = (): never =>
  refuseProof("session", "this session is not open. Ask the company for a new link.")

/**
 * What the wallet of a session is to sign, by the wallet standard's two ways: the input of `solana:signIn`, and the same
 * as text for `solana:signMessage`. It replaces what was asked before. Errors: wallet_proof_refused.
 */
export async function askForProof(sessionId: string): Promise<{ input: SignInInput; text: string }> {
  const now = clock.now()
  const session = await findOpenSession(sessionId, now)
  const cluster = deployment.chains[session.mode]?.identity?.cluster ?? ""
  // As the text says it: to the second.
  const issued = new Date(toTimestamp(now))
  const challenge: Challenge = {
    nonce: bs58.encode(randomBytes(NONCE_BYTES)),
    chain_id: chainIds[cluster] ?? null,
    issued_at: issued,
    expires_at: addSeconds(issued, SECONDS),
  }
  await sql`
    insert into wallet_challenges ${sql({ workspace_id: session.workspace_id, attestation_id: session.id, ...challenge })}
    on conflict (workspace_id, attestation_id) do update set nonce = excluded.nonce, chain_id = excluded.chain_id,
      issued_at = excluded.issued_at, expires_at = excluded.expires_at`
  const input = inputOf(session, challenge)
  return { input, text: signInText(input) }
}

/** Records the consent of an investor whose wallet is to sign next. Errors: wallet_proof_refused. */
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
    return refuseProof("request", "this wallet was proved already. Reload the page to continue.")
  if (!needsProof(session))
    return refuseProof(
      "session",
      "this session asks for no proof of the wallet. Reload the page to continue.",
    )
  return session
}

/** What was asked of a session. Null where nothing was, or where it has served. */
export async function findChallenge({ workspace_id, id }: SessionRow): Promise<Challenge | null> {
  const [row] = await sql<Challenge[]>`
    select ${sql(challengeColumns)} from wallet_challenges
    where workspace_id = ${workspace_id} and attestation_id = ${id}`
  return row ?? null
}

/** The session is named by its attestation, as its own id opens the page. */
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
