import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token"
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  NONCE_ACCOUNT_LENGTH,
  NonceAccount,
  PublicKey,
  type Signer,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import { until } from "../client.ts"

/** The same wallets, tokens and transactions on any chain, for the compared calls. */
export type Fixture = Awaited<ReturnType<typeof createFixture>>

export const MEMO_PROGRAM = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
const memo = (text: string) =>
  new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(text) })

/** A real validator finalizes a block within half of that. */
const LIMIT_MS = 30_000

export async function createFixture(url: string) {
  const connection = new Connection(url, { commitment: "confirmed", disableRetryOnRateLimit: true })
  const key = () => Keypair.generate()
  const [payer, wallet, mint, oldMint, nonce] = [key(), key(), key(), key(), key()]
  const unusedAddress = key().publicKey

  const landed = (signature: string, status: "confirmed" | "finalized" = "confirmed") =>
    until(async () => {
      const found = (await connection.getSignatureStatus(signature, { searchTransactionHistory: true })).value
      return found?.confirmationStatus === "finalized" || found?.confirmationStatus === status
    }, LIMIT_MS)
  const blockhash = async () => (await connection.getLatestBlockhash("confirmed")).blockhash
  const signed = async (instructions: (TransactionInstruction | Transaction)[], signers: Signer[] = [payer]) => {
    const transaction = new Transaction({
      feePayer: signers[0]!.publicKey,
      recentBlockhash: await blockhash(),
    })
    transaction.add(...instructions).sign(...signers)
    return transaction.serialize()
  }
  const sendRaw = async (wire: Uint8Array) => {
    const signature = await connection.sendRawTransaction(wire, { skipPreflight: true })
    await landed(signature)
    return signature
  }
  const send = async (instructions: (TransactionInstruction | Transaction)[], signers?: Signer[]) =>
    sendRaw(await signed(instructions, signers))
  const transfer = (lamports: number, to = wallet.publicKey) =>
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports })

  const airdrop = await connection.requestAirdrop(payer.publicKey, 100 * LAMPORTS_PER_SOL)
  await landed(airdrop)
  const rent = (bytes: number) => connection.getMinimumBalanceForRentExemption(bytes)
  const createMint = async (account: Keypair, programId: PublicKey) => [
    SystemProgram.createAccount({
      fromPubkey: payer.publicKey,
      newAccountPubkey: account.publicKey,
      space: MINT_SIZE,
      lamports: await rent(MINT_SIZE),
      programId,
    }),
    createInitializeMint2Instruction(account.publicKey, 6, payer.publicKey, null, programId),
  ]
  const ata = (owner: PublicKey, ofMint: PublicKey, program: PublicKey) =>
    getAssociatedTokenAddressSync(ofMint, owner, false, program)
  const createAta = (owner: PublicKey, ofMint: PublicKey, program: PublicKey) =>
    createAssociatedTokenAccountIdempotentInstruction(
      payer.publicKey,
      ata(owner, ofMint, program),
      owner,
      ofMint,
      program,
    )
  const tokenAccount = ata(payer.publicKey, mint.publicKey, TOKEN_2022_PROGRAM_ID)
  const toAccount = ata(wallet.publicKey, mint.publicKey, TOKEN_2022_PROGRAM_ID)

  const simple = await send([transfer(LAMPORTS_PER_SOL), memo("a story")])
  await send(await createMint(mint, TOKEN_2022_PROGRAM_ID), [payer, mint])
  await send(await createMint(oldMint, TOKEN_PROGRAM_ID), [payer, oldMint])
  await send([
    createAta(payer.publicKey, mint.publicKey, TOKEN_2022_PROGRAM_ID),
    createMintToInstruction(mint.publicKey, tokenAccount, payer.publicKey, 5_500_000, [], TOKEN_2022_PROGRAM_ID),
  ])
  // In this transaction, programs call programs and tokens move.
  const tokens = await send([
    createAta(wallet.publicKey, mint.publicKey, TOKEN_2022_PROGRAM_ID),
    createTransferCheckedInstruction(
      tokenAccount,
      mint.publicKey,
      toAccount,
      payer.publicKey,
      1_000_000,
      6,
      [],
      TOKEN_2022_PROGRAM_ID,
    ),
  ])
  const failed = await send([transfer(1_000 * LAMPORTS_PER_SOL)])

  const nonceRent = await rent(NONCE_ACCOUNT_LENGTH)
  await send(
    [
      SystemProgram.createNonceAccount({
        fromPubkey: payer.publicKey,
        noncePubkey: nonce.publicKey,
        authorizedPubkey: payer.publicKey,
        lamports: nonceRent,
      }),
    ],
    [payer, nonce],
  )
  const nonceValue = NonceAccount.fromAccountData((await connection.getAccountInfo(nonce.publicKey))!.data).nonce
  const nonced = (...instructions: TransactionInstruction[]) => {
    const transaction = new Transaction()
    transaction.feePayer = payer.publicKey
    transaction.recentBlockhash = nonceValue
    const advance = SystemProgram.nonceAdvance({
      noncePubkey: nonce.publicKey,
      authorizedPubkey: payer.publicKey,
    })
    transaction.add(advance, ...instructions).sign(payer)
    return transaction.serialize()
  }
  const nonceUsed = nonced(transfer(1))
  const byNonce = await sendRaw(nonceUsed)

  const [createTable, table] = AddressLookupTableProgram.createLookupTable({
    authority: payer.publicKey,
    payer: payer.publicKey,
    recentSlot: await connection.getSlot("finalized"),
  })
  await send([
    createTable,
    AddressLookupTableProgram.extendLookupTable({
      lookupTable: table,
      authority: payer.publicKey,
      payer: payer.publicKey,
      addresses: [wallet.publicKey, unusedAddress],
    }),
  ])
  const slotOfTable = await connection.getSlot("confirmed")
  // A table can be used from the slot after its change.
  await until(async () => (await connection.getSlot("confirmed")) > slotOfTable + 1, LIMIT_MS)
  const lookup = (await connection.getAddressLookupTable(table)).value!
  const versioned = async (tables: (typeof lookup)[]) => {
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: await blockhash(),
      instructions: [transfer(2_000_000), memo("by a table")],
    }).compileToV0Message(tables)
    const transaction = new VersionedTransaction(message)
    transaction.sign([payer])
    return transaction
  }
  const looked = await versioned([lookup])
  const byTable = await sendRaw(looked.serialize())
  const unlooked = await sendRaw((await versioned([])).serialize())
  await landed(unlooked, "finalized")

  return {
    ...{
      url,
      connection,
      payer,
      wallet,
      mint,
      oldMint,
      nonce,
      unusedAddress,
      table,
      tokenAccount,
      toAccount,
    },
    ...{ airdrop, simple, tokens, failed, byNonce, byTable, unlooked, nonceUsed, nonceValue },
    ...{ signed, send, sendRaw, transfer, memo, blockhash, versioned, lookup, landed },
    slotOf: async (signature: string) =>
      (await connection.getSignatureStatus(signature, { searchTransactionHistory: true })).value!.slot,
  }
}
