import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, type PublicKey, type TransactionInstruction } from "@solana/web3.js"
import { expect, test } from "vitest"
import { addressOf } from "#server/solana/addresses.ts"
import { memo } from "#server/solana/memo.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"

// Everything here bypasses the service: it is sent with plain web3.js and the key of the holder or of a stranger.

usesCustomer()

async function funded(): Promise<Keypair> {
  const keypair = Keypair.generate()
  await app.connection.requestAirdrop(keypair.publicKey, 10 * LAMPORTS_PER_SOL)
  await waitFor(async () => (await app.connection.getBalance(keypair.publicKey)) > 0, "the airdrop")
  return keypair
}

const sendAs = (signer: Keypair, ...instructions: TransactionInstruction[]) =>
  sendOwn(app.connection, [signer], ...instructions)

async function verifiedHolder() {
  const holder = await funded()
  await app.verifiedWallet(key, addressOf(holder.publicKey))
  return { holder, ...(await credentialOf(app, key, addressOf(holder.publicKey))) }
}

type Attempt = (
  account: PublicKey,
  mint: PublicKey,
  holder: PublicKey,
  elsewhere: PublicKey,
) => TransactionInstruction[]

const token = TOKEN_2022_PROGRAM_ID
const attempts: Record<string, Attempt> = {
  burn: (account, mint, holder) => [createBurnInstruction(account, mint, holder, 1n, [], token)],
  close: (account, _mint, holder) => [createCloseAccountInstruction(account, holder, holder, [], token)],
  transfer: (account, mint, holder, elsewhere) => {
    const target = getAssociatedTokenAddressSync(mint, elsewhere, false, token)
    return [
      createAssociatedTokenAccountIdempotentInstruction(holder, target, elsewhere, mint, token),
      createTransferCheckedInstruction(account, mint, target, holder, 1n, 0, [], token),
    ]
  },
  "give away the account of": (account, _mint, holder, elsewhere) => [
    createSetAuthorityInstruction(account, holder, AuthorityType.AccountOwner, elsewhere, [], token),
  ],
  delegate: (account, _mint, holder, elsewhere) => [
    createApproveInstruction(account, elsewhere, holder, 1n, [], token),
  ],
  thaw: (account, mint, holder) => [createThawAccountInstruction(account, mint, holder, [], token)],
}

test.each(Object.entries(attempts))("a holder cannot %s the credential", async (_name, attempt) => {
  const { holder, account, mint } = await verifiedHolder()
  const elsewhere = Keypair.generate().publicKey
  await expect(sendAs(holder, ...attempt(account, mint, holder.publicKey, elsewhere))).rejects.toThrow(
    /failed|custom program error/i,
  )
  expect(await credentialOf(app, key, addressOf(holder.publicKey))).toMatchObject({ amount: 1, frozen: true })
})

test("an account that a stranger created beforehand does not stop the credential", async () => {
  const stranger = await funded()
  const wallet = Keypair.generate().publicKey
  await app.verifiedWallet(key) // From here on, the mint exists.
  const { mint, account } = await credentialOf(app, key, addressOf(wallet))
  await sendAs(
    stranger,
    createAssociatedTokenAccountIdempotentInstruction(stranger.publicKey, account, wallet, mint, token),
  )
  await app.verifiedWallet(key, addressOf(wallet))
  expect(await credentialOf(app, key, addressOf(wallet))).toMatchObject({ amount: 1, frozen: true })
})

test("an empty account that its holder closed after a revocation is created again", async () => {
  const { holder, account } = await verifiedHolder()
  const wallet = addressOf(holder.publicKey)
  const { json } = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
  await app.request({
    method: "POST",
    path: `/attestation/${json.attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "Test" },
  })
  await waitFor(async () => (await credentialOf(app, key, wallet)).amount === 0, "the burn")
  await sendAs(holder, createCloseAccountInstruction(account, holder.publicKey, holder.publicKey, [], token))
  await app.verifiedWallet(key, wallet)
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 1, frozen: true })
})

test("a stranger's transaction with a memo like ours is not a difference", async () => {
  const { status, wallet } = await app.verifiedWallet(key)
  const { json } = await app.request({
    method: "GET",
    path: `/attestation/${status.attestation_id}`,
    key: key.apiKey,
  })
  const transaction = await app.connection.getTransaction(status.onchain_tx, {
    maxSupportedTransactionVersion: 0,
  })
  const { message } = transaction!.transaction
  const keys = message.staticAccountKeys
  const memoInstruction = message.compiledInstructions.find(({ programIdIndex }) =>
    keys[programIdIndex]!.toBase58().startsWith("Memo"),
  )!
  const stranger = await funded()
  const copy = memo(Buffer.from(memoInstruction.data).toString("utf8"))
  // The authority is named but did not sign, so the transaction is in its history.
  copy.keys.push({
    pubkey: keys.find((one) => one.toBase58() === json.onchain.authority)!,
    isSigner: false,
    isWritable: false,
  })
  await expect(sendAs(stranger, copy)).rejects.toThrow() // The memo program requires every named account to sign.
  await sendAs(
    stranger,
    memo(Buffer.from(memoInstruction.data).toString("utf8")),
    createAssociatedTokenAccountIdempotentInstruction(
      stranger.publicKey,
      getAssociatedTokenAddressSync((await credentialOf(app, key, wallet)).mint, copy.keys[0]!.pubkey, true, token),
      copy.keys[0]!.pubkey,
      (await credentialOf(app, key, wallet)).mint,
      token,
    ),
  )
  const history = await app.connection.getSignaturesForAddress(copy.keys[0]!.pubkey)
  expect(history.filter(({ memo }) => memo?.includes(status.attestation_id))).toHaveLength(2)
  expect(await differences()).toEqual([])
})
