import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createInitializeAccountInstruction,
  createReallocateInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAccountLen,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

// The holder or a stranger sends everything here with plain web3.js and their own key, without Vouch.

usesCustomer()
afterAll(async () => expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([]))

const token = TOKEN_2022_PROGRAM_ID
const mintOf = (config: string): PublicKey => assetMintOf(key.workspaceId, config)

async function funded(): Promise<Keypair> {
  const pair = Keypair.generate()
  await app.connection.requestAirdrop(pair.publicKey, 10 * LAMPORTS_PER_SOL)
  await waitFor(async () => (await app.connection.getBalance(pair.publicKey)) > 0, "the airdrop")
  return pair
}

const sendAs = (signers: Keypair[], ...instructions: TransactionInstruction[]) =>
  sendOwn(app.connection, signers, ...instructions)

async function verifiedHolder(config: string, amount: string) {
  const pair = await funded()
  const wallet = addressOf(pair.publicKey)
  await app.verifiedWallet(key, wallet)
  if (amount !== "0") expect((await tokens.mint(config, wallet, amount)).status).toBe(200)
  return { pair, wallet, account: tokenAccountOf(mintOf(config), pair.publicKey) }
}

test("in agent mode, nothing moves except through Vouch", async () => {
  const config = await tokens.config()
  const mint = mintOf(config)
  const [a, b] = [await verifiedHolder(config, "100"), await verifiedHolder(config, "1")]
  const own = a.pair.publicKey
  const attempts = {
    transfer: createTransferCheckedInstruction(a.account, mint, b.account, own, 1n, 0, [], token),
    approval: createApproveInstruction(a.account, b.pair.publicKey, own, 1n, [], token),
    burn: createBurnInstruction(a.account, mint, own, 1n, [], token),
    close: createCloseAccountInstruction(a.account, own, own, [], token),
    thaw: createThawAccountInstruction(a.account, mint, own, [], token),
  }
  for (const [name, instruction] of Object.entries(attempts)) {
    await expect(sendAs([a.pair], instruction), name).rejects.toThrow(/custom program error|Custom/)
  }
  expect(await tokens.onChain(config, a.wallet)).toBe(100n)
})

test("lamports that a stranger sends in advance stop neither a mint nor an account", async () => {
  const stranger = await funded()
  const dust = (to: PublicKey) =>
    SystemProgram.transfer({ fromPubkey: stranger.publicKey, toPubkey: to, lamports: 5_000_000 })
  const id = "dusted_fund"
  const holder = await verifiedHolder(id, "0")
  await sendAs([stranger], dust(mintOf(id)), dust(holder.account))
  const created = await tokens.post("/mint-configs", {
    id,
    name: "Dusted",
    symbol: "DUST",
    decimals: 0,
    required_schema: "kyc_individual_v1",
  })
  expect(created.json.mint).toBe(mintOf(id).toBase58())
  expect((await tokens.mint(id, holder.wallet, "7")).status).toBe(200)
  expect(await tokens.onChain(id, holder.wallet)).toBe(7n)
})

test.each(["agent", "holder"])(
  "an account that was created beforehand and requires a memo for each transfer gets its tokens (%s mode)",
  async (transfer_mode) => {
    const config = await tokens.config({}, { transfer_mode })
    const giver = await verifiedHolder(config, "10")
    const taker = await verifiedHolder(config, "0")
    const own = taker.pair.publicKey
    await sendAs(
      [taker.pair],
      createAssociatedTokenAccountInstruction(own, taker.account, own, mintOf(config), token),
      createReallocateInstruction(taker.account, own, [ExtensionType.MemoTransfer], own, [], token),
      createEnableRequiredMemoTransfersInstruction(taker.account, own, [], token),
    )
    expect((await tokens.transfer(config, giver.wallet, taker.wallet, "4")).status).toBe(200)
    expect((await tokens.mint(config, taker.wallet, "1")).status).toBe(200)
    expect(await tokens.onChain(config, taker.wallet)).toBe(5n)
  },
)

test("a second account of a verified holder cannot receive", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const mint = mintOf(config)
  const [a, b] = [await verifiedHolder(config, "10"), await verifiedHolder(config, "1")]
  const second = Keypair.generate()
  const space = getAccountLen([ExtensionType.PausableAccount])
  await sendAs(
    [b.pair, second],
    SystemProgram.createAccount({
      fromPubkey: b.pair.publicKey,
      newAccountPubkey: second.publicKey,
      space,
      lamports: await app.connection.getMinimumBalanceForRentExemption(space),
      programId: token,
    }),
    createInitializeAccountInstruction(second.publicKey, mint, b.pair.publicKey, token),
  )
  const to = (account: PublicKey) =>
    createTransferCheckedInstruction(a.account, mint, account, a.pair.publicKey, 1n, 0, [], token)
  await expect(sendAs([a.pair], to(second.publicKey))).rejects.toThrow(/0x11/)
  await sendAs([a.pair], to(b.account))
  expect(await tokens.onChain(config, b.wallet)).toBe(2n)
})

test("an unverified wallet cannot receive, not even from a verified one", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const mint = mintOf(config)
  const a = await verifiedHolder(config, "10")
  const stranger = Keypair.generate().publicKey
  const account = tokenAccountOf(mint, stranger)
  await expect(
    sendAs(
      [a.pair],
      createAssociatedTokenAccountInstruction(a.pair.publicKey, account, stranger, mint, token),
      createTransferCheckedInstruction(a.account, mint, account, a.pair.publicKey, 1n, 0, [], token),
    ),
  ).rejects.toThrow(/0x11/)
})
