import {
  AccountState,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
  createInitializeDefaultAccountStateInstruction,
  createInitializeMetadataPointerInstruction,
  createInitializeMintInstruction,
  createInitializeNonTransferableMintInstruction,
  createInitializePermanentDelegateInstruction,
  createMintToInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
  getMintLen,
  getTokenMetadata,
  TOKEN_2022_PROGRAM_ID,
  tokenMetadataInitializeWithRentTransfer,
} from "@solana/spl-token"
import {
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import { confirmed, disconnect, fundedWallet, plainConnection, rpc, signed } from "./client.ts"

const PROGRAM = TOKEN_2022_PROGRAM_ID
const MEMO = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")

let localnet: Localnet
let connection: Connection
let issuer: Keypair
let mint: PublicKey

beforeAll(async () => {
  localnet = await startLocalnet({ slotMs: 10 })
  connection = plainConnection(localnet.url)
  issuer = await fundedWallet(connection, 100)
  mint = await createCredentialMint()
})

afterAll(async () => {
  await disconnect(connection)
  await localnet.close()
})

async function createCredentialMint(): Promise<PublicKey> {
  const keypair = Keypair.generate()
  const { publicKey: address } = keypair
  const space = getMintLen([
    ExtensionType.NonTransferable,
    ExtensionType.PermanentDelegate,
    ExtensionType.DefaultAccountState,
    ExtensionType.MetadataPointer,
  ])
  const create = new Transaction().add(
    SystemProgram.createAccount({
      fromPubkey: issuer.publicKey,
      newAccountPubkey: address,
      space,
      lamports: await connection.getMinimumBalanceForRentExemption(space),
      programId: PROGRAM,
    }),
    createInitializeNonTransferableMintInstruction(address, PROGRAM),
    createInitializePermanentDelegateInstruction(address, issuer.publicKey, PROGRAM),
    createInitializeDefaultAccountStateInstruction(address, AccountState.Frozen, PROGRAM),
    createInitializeMetadataPointerInstruction(address, issuer.publicKey, address, PROGRAM),
    createInitializeMintInstruction(address, 0, issuer.publicKey, issuer.publicKey, PROGRAM),
  )
  await sendAndConfirmTransaction(connection, create, [issuer, keypair])
  const metadata = ["KYC credential", "KYC", "https://example.com/kyc.json"] as const
  await tokenMetadataInitializeWithRentTransfer(connection, issuer, address, issuer.publicKey, issuer, ...metadata)
  return address
}

function issueTo(owner: PublicKey, memo: string) {
  const account = getAssociatedTokenAddressSync(mint, owner, true, PROGRAM)
  const authority = issuer.publicKey
  const instructions = [
    createAssociatedTokenAccountIdempotentInstruction(authority, account, owner, mint, PROGRAM),
    createThawAccountInstruction(account, mint, authority, [], PROGRAM),
    new TransactionInstruction({
      programId: MEMO,
      keys: [{ pubkey: authority, isSigner: true, isWritable: false }],
      data: Buffer.from(memo),
    }),
    createMintToInstruction(mint, account, authority, 1n, [], PROGRAM),
    createFreezeAccountInstruction(account, mint, authority, [], PROGRAM),
  ]
  return { account, instructions }
}

test("a mint with every extension of a credential reads back through spl-token", async () => {
  const found = await getMint(connection, mint, "confirmed", PROGRAM)
  expect(found).toMatchObject({ decimals: 0, freezeAuthority: issuer.publicKey })
  expect(await getTokenMetadata(connection, mint, "confirmed", PROGRAM)).toMatchObject({ symbol: "KYC" })
})

test("create, thaw, memo, mint and freeze fit in one transaction, whose history shows memo and balances", async () => {
  const owner = Keypair.generate().publicKey
  const { account, instructions } = issueTo(owner, "vouch:1:att_1")
  const signature = await sendAndConfirmTransaction(connection, new Transaction().add(...instructions), [issuer])
  expect(await getAccount(connection, account, "confirmed", PROGRAM)).toMatchObject({
    amount: 1n,
    isFrozen: true,
  })
  const [summary] = await connection.getSignaturesForAddress(account)
  expect(summary).toMatchObject({ signature, memo: "[13] vouch:1:att_1", err: null })
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  const uiTokenAmount = { amount: "1", decimals: 0, uiAmount: 1, uiAmountString: "1" }
  expect(found?.meta?.preTokenBalances).toEqual([])
  expect(found?.meta?.postTokenBalances).toMatchObject([
    { mint: mint.toBase58(), owner: owner.toBase58(), programId: PROGRAM.toBase58(), uiTokenAmount },
  ])
  // The library's types omit the depth, which shows the caller.
  expect(found?.meta?.innerInstructions?.[0]).toMatchObject({
    index: 0,
    instructions: expect.arrayContaining([expect.objectContaining({ stackHeight: 2 })]),
  })
  expect(found?.blockTime).toBeGreaterThan(Date.now() / 1000 - 60)
})

test("minting to an account that starts frozen fails with Token-2022's 0x11 at the minting instruction", async () => {
  const { instructions } = issueTo(Keypair.generate().publicKey, "vouch:1:att_2")
  const withoutThaw = instructions.toSpliced(1, 1)
  const signature = await connection.sendRawTransaction(await signed(connection, withoutThaw, [issuer]), {
    skipPreflight: true,
  })
  expect(await confirmed(connection, signature)).toMatchObject({
    err: { InstructionError: [2, { Custom: 17 }] },
  })
})

test("a credential cannot be transferred", async () => {
  const from = issueTo(issuer.publicKey, "vouch:1:att_3")
  const to = issueTo(Keypair.generate().publicKey, "vouch:1:att_4")
  const move = createTransferCheckedInstruction(from.account, mint, to.account, issuer.publicKey, 1n, 0, [], PROGRAM)
  const thaw = createThawAccountInstruction(from.account, mint, issuer.publicKey, [], PROGRAM)
  await connection.sendRawTransaction(await signed(connection, from.instructions, [issuer]))
  await connection.sendRawTransaction(await signed(connection, to.instructions, [issuer]))
  const wire = await signed(connection, [thaw, move], [issuer])
  await expect(connection.sendRawTransaction(wire)).rejects.toThrow("custom program error: 0x25")
})

test("token accounts are found by owner, by mint and by filter", async () => {
  const owner = Keypair.generate().publicKey
  const { account, instructions } = issueTo(owner, "vouch:1:att_5")
  await connection.sendRawTransaction(await signed(connection, instructions, [issuer]))
  const byMint = await connection.getTokenAccountsByOwner(owner, { mint })
  const byProgram = await connection.getTokenAccountsByOwner(owner, { programId: PROGRAM })
  const memcmp = { offset: 32, bytes: owner.toBase58() }
  const byFilter = await connection.getProgramAccounts(PROGRAM, { filters: [{ memcmp }] })
  for (const [found] of [byMint.value, byProgram.value, byFilter]) expect(found?.pubkey).toEqual(account)
  expect((await connection.getTokenAccountBalance(account)).value.amount).toBe("1")
  const supply = (await connection.getTokenSupply(mint)).value.amount
  const holders = (await connection.getTokenLargestAccounts(mint)).value
  expect(holders.filter(({ amount }) => amount === "1").length).toBe(Number(supply))
})

test("an address's history is paged newest first, with before and until", async () => {
  const owner = Keypair.generate().publicKey
  const sent: string[] = []
  for (const number of [1, 2, 3, 4, 5])
    sent.unshift(
      await connection.sendRawTransaction(
        await signed(connection, issueTo(owner, `vouch:1:page_${number}`).instructions, [issuer]),
      ),
    )
  await confirmed(connection, sent[0]!)
  const page = async (options: { limit?: number; before?: string; until?: string }) =>
    (await connection.getSignaturesForAddress(owner, options)).map(({ signature }) => signature)
  expect(await page({})).toEqual(sent)
  expect(await page({ limit: 2 })).toEqual(sent.slice(0, 2))
  expect(await page({ limit: 2, before: sent[1]! })).toEqual(sent.slice(2, 4))
  expect(await page({ until: sent[2]! })).toEqual(sent.slice(0, 2))
})

test("a simulation returns the outcome and changes nothing", async () => {
  const { account, instructions } = issueTo(Keypair.generate().publicKey, "vouch:1:att_6")
  const wire = await signed(connection, instructions, [issuer])
  const accounts = { addresses: [account.toBase58()] }
  const options = { encoding: "base64", commitment: "confirmed", sigVerify: true, accounts }
  const { result } = await rpc(localnet.url, "simulateTransaction", [wire.toString("base64"), options])
  expect(result).toMatchObject({ value: { err: null, accounts: [{ owner: PROGRAM.toBase58() }] } })
  expect(await connection.getAccountInfo(account)).toBeNull()
})

test("the chain's clock shows the machine's time", async () => {
  const clock = await connection.getAccountInfo(new PublicKey("SysvarC1ock11111111111111111111111111111111"))
  expect(Math.abs(Number(clock!.data.readBigInt64LE(32)) - Date.now() / 1000)).toBeLessThan(60)
})
