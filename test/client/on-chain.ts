import { AuthorityType, createSetAuthorityInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { createUpdateAuthorityInstruction } from "@solana/spl-token-metadata"
import { Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram, Transaction } from "@solana/web3.js"
import { attest, createCredentialMint } from "#server/solana/credential.ts"
import { memo } from "#server/solana/memo.ts"
import type { Address } from "#shared/address.ts"
import { newMintPlace } from "#test/doubles/keys.ts"
import { type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"

export type AttestationRecord = {
  attestation_id: string
  schema: string
  expires_at: string
  onchain_tx: string
  onchain: { authority: string; mint: string; token_account: string; commitment: string }
}

export async function recordOf(app: TestApp, key: TestKey, wallet: string): Promise<AttestationRecord> {
  const get = async (path: string) => (await app.request({ method: "GET", path, key: key.apiKey })).json
  const { attestation_id } = await get(`/kyc/status/${wallet}`)
  return get(`/attestation/${attestation_id}`)
}

/** What verifyOnChain returns for a wallet with this API record. */
export const credential = ({ attestation_id, expires_at, onchain, onchain_tx }: AttestationRecord) => ({
  verified: true,
  attestationId: attestation_id,
  expiresAt: new Date(expires_at),
  commitment: onchain.commitment,
  mint: onchain.mint,
  tokenAccount: onchain.token_account,
  transaction: onchain_tx,
  isLatest: true,
})

export const refused = (reason: string) => ({ verified: false, reason })

export async function renew(app: TestApp, key: TestKey, wallet: Address): Promise<AttestationRecord> {
  const old = await recordOf(app, key, wallet)
  const { sessionId } = await app.startSession(key, wallet)
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await waitFor(async () => (await recordOf(app, key, wallet)).attestation_id !== old.attestation_id, "the renewal")
  return recordOf(app, key, wallet)
}

export async function strangerWithSol(app: TestApp): Promise<Keypair> {
  const stranger = Keypair.generate()
  await app.connection.requestAirdrop(stranger.publicKey, 10 * LAMPORTS_PER_SOL)
  await waitFor(async () => (await app.connection.getBalance(stranger.publicKey)) > 0, "the airdrop")
  return stranger
}

/** The memo of an attestation, which anyone can copy. */
export const memoOf = ({ attestation_id, onchain, expires_at }: AttestationRecord): string =>
  `vouch:1:${attestation_id}:${onchain.commitment}:${Date.parse(expires_at) / 1000}`

/** A credential that a stranger creates for a wallet, with every byte correct, and then hands to an issuer. */
export async function forge(
  { connection }: TestApp,
  stranger: Keypair,
  { to, memoText, schema = "kyc_individual_v1" }: { to: PublicKey; memoText: string; schema?: string },
) {
  const { base, place } = newMintPlace()
  const { mint } = place
  const self = { mint, authority: stranger.publicKey, feePayer: stranger.publicKey }
  const made = createCredentialMint(self, {
    place,
    schemaId: schema,
    schemaName: "KYC",
    memoText: "mine",
    rentOf: () => LAMPORTS_PER_SOL / 10,
  })
  await sendOwn(connection, [stranger, base], ...made)
  const transaction = await sendOwn(connection, [stranger], ...attest(self, to, memoText))
  const roles = [
    AuthorityType.MintTokens,
    AuthorityType.FreezeAccount,
    AuthorityType.PermanentDelegate,
    AuthorityType.MetadataPointer,
  ]
  return {
    mint: mint.toBase58(),
    transaction,
    async handTo(issuer: PublicKey) {
      await sendOwn(
        connection,
        [stranger],
        ...roles.map((role) =>
          createSetAuthorityInstruction(mint, stranger.publicKey, role, issuer, [], TOKEN_2022_PROGRAM_ID),
        ),
        createUpdateAuthorityInstruction({
          programId: TOKEN_2022_PROGRAM_ID,
          metadata: mint,
          oldAuthority: stranger.publicKey,
          newAuthority: issuer,
        }),
      )
    },
  }
}

/** A different address for each number, because base58 has no 0. */
const idOf = (at: number): string => `${at}`.padStart(18, "0").replaceAll("0", "z")

/** The number of transactions per blockhash, which is valid for 3 s with slots of 20 ms. */
const AT_ONCE = 100

/** A stranger's transactions that name accounts, with a memo like an attestation's. Resolves when all have landed. */
export async function fillHistory(
  { connection }: TestApp,
  stranger: Keypair,
  {
    accounts,
    count,
    memoText = (at) => `vouch:1:att_${idOf(at)}:${"A".repeat(43)}:4000000000`,
  }: { accounts: string[]; count: number; memoText?: (at: number) => string },
): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const latest = await connection.getLatestBlockhash("confirmed")
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => {
      const transaction = new Transaction({ ...latest, feePayer: stranger.publicKey }).add(
        memo(memoText(from + at)),
        ...accounts.map((account) =>
          SystemProgram.transfer({
            fromPubkey: stranger.publicKey,
            toPubkey: new PublicKey(account),
            // This works for an account that does not exist yet.
            lamports: 0,
          }),
        ),
      )
      transaction.sign(stranger)
      return transaction.serialize()
    })
    const signatures = await Promise.all(
      batch.map((bytes) => connection.sendRawTransaction(bytes, { skipPreflight: true })),
    )
    await waitFor(async () => {
      const { value } = await connection.getSignatureStatuses(signatures)
      return value.every((one) => one?.err === null && one.confirmationStatus !== "processed")
    }, "the transactions that fill the history")
  }
}
