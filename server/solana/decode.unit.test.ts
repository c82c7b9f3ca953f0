import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, SystemProgram, TransactionInstruction, VersionedTransaction } from "@solana/web3.js"
import { expect, test } from "vitest"
import { mintExtensions } from "#shared/mint-extensions.ts"
import { tokenAccountOf } from "./addresses.ts"
import { createAssetMint, mintAsset } from "./asset.ts"
import { decodeInstructions } from "./decode.ts"
import { mintPlace, signerFromSeed } from "./keys.ts"
import { operationMemo } from "./memo.ts"
import { pay } from "./payment.ts"
import { computeBudget, signTransactions } from "./transaction.ts"

const feePayer = signerFromSeed(new Uint8Array(32).fill(1))
const authority = signerFromSeed(new Uint8Array(32).fill(2))
const mintBase = signerFromSeed(new Uint8Array(32).fill(3))
const place = mintPlace(mintBase.publicKey, { workspaceId: "ws_a", kind: "asset", name: "fund" })
const wallet = Keypair.generate().publicKey
const asset = {
  mint: place.mint,
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
  decimals: 6,
}
const blockhash = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

const decode = async (instructions: TransactionInstruction[], signers = [authority]) => {
  const [signed] = await signTransactions([{ instructions, signers }], { feePayer, blockhash })
  return decodeInstructions(VersionedTransaction.deserialize(signed!.wire).message)
}

test("a decoded mint names its programs, instructions, memo and accounts", async () => {
  const memoText = operationMemo("op_9sXcVbNmQwErTyUiPaSdFg")
  const decoded = await decode([
    ...computeBudget({ units: 1, price: 1000 }),
    ...mintAsset(asset, { wallet, amount: 5n, before: "absent", after: "frozen", memoText }),
  ])
  expect(decoded.map(({ program_name, name }) => `${program_name}: ${name}`)).toEqual([
    "Compute budget: SetComputeUnitLimit",
    "Compute budget: SetComputeUnitPrice",
    "Associated token account: CreateIdempotent",
    "Token-2022: ThawAccount",
    "Memo: Memo",
    "Token-2022: MintToChecked",
    "Token-2022: FreezeAccount",
  ])
  expect(decoded[4]!.memo).toBe(memoText)
  expect(decoded[5]).toMatchObject({
    memo: null,
    amount: "5",
    accounts: [
      { address: asset.mint.toBase58(), signer: false, writable: true },
      { address: tokenAccountOf(asset.mint, wallet).toBase58(), signer: false, writable: true },
      { address: authority.publicKey.toBase58(), signer: true },
    ],
  })
})

test("the creation of a mint is decoded step by step, with its metadata", async () => {
  const create = createAssetMint(asset, {
    place,
    id: "fund",
    name: "Fund",
    symbol: "FUND",
    extensions: mintExtensions,
    memoText: "vouch:1:op_1",
    rentOf: (bytes) => bytes,
  })
  expect((await decode(create, [authority, mintBase])).map(({ name }) => name)).toEqual([
    "Memo",
    "Transfer",
    "AllocateWithSeed",
    "PausableExtension",
    "ScaledUiAmountExtension",
    "InitializePermissionedBurn",
    "InitializePermanentDelegate",
    "DefaultAccountStateExtension",
    "MetadataPointerExtension",
    "InitializeMint2",
    "InitializeTokenMetadata",
    "UpdateTokenMetadata",
  ])
})

test("unknown programs and unknown instructions have no name", async () => {
  const program = Keypair.generate().publicKey
  const decoded = await decode(
    [
      new TransactionInstruction({ programId: program, keys: [], data: Buffer.from([1, 2]) }),
      new TransactionInstruction({ programId: SystemProgram.programId, keys: [], data: Buffer.from([255]) }),
    ],
    [],
  )
  expect(decoded).toMatchObject([
    { program: program.toBase58(), program_name: null, name: null, accounts: [], memo: null, data: "AQI=" },
    { program_name: "System", name: null },
  ])
})

test.each([
  ["the classic token program", TOKEN_PROGRAM_ID, "Token"],
  ["Token-2022", TOKEN_2022_PROGRAM_ID, "Token-2022"],
])("a decoded payment in a token of %s names its memo, accounts and amount", async (_name, program, programName) => {
  const coin = { mint: Keypair.generate().publicKey, program, decimals: 6 }
  const payer = { authority: authority.publicKey, feePayer: feePayer.publicKey }
  const memoText = operationMemo("pay_8RbWx2LpYs6VdHcN4kTzQm")
  const decoded = await decode(pay(coin, payer, { wallet, amount: 2_500_000n, isNew: true, memoText }))
  expect(decoded.map(({ program_name, name }) => `${program_name}: ${name}`)).toEqual([
    "Associated token account: CreateIdempotent",
    "Memo: Memo",
    `${programName}: TransferChecked`,
  ])
  expect(decoded[1]!.memo).toBe(memoText)
  expect(decoded[2]).toMatchObject({ amount: "2500000" })
  expect(decoded[2]!.accounts.map(({ address }) => address)).toEqual([
    tokenAccountOf(coin.mint, authority.publicKey, program).toBase58(),
    coin.mint.toBase58(),
    tokenAccountOf(coin.mint, wallet, program).toBase58(),
    authority.publicKey.toBase58(),
  ])
})

test("the classic token program has no instructions of extensions", async () => {
  const extended = new TransactionInstruction({ programId: TOKEN_PROGRAM_ID, keys: [], data: Buffer.from([44, 1]) })
  expect(await decode([extended], [])).toMatchObject([{ program_name: "Token", name: null, amount: null }])
})
