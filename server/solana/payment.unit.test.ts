import * as spl from "@solana/spl-token"
import { Keypair, PublicKey, type TransactionInstruction } from "@solana/web3.js"
import { describe, expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import {
  AccountFrozen,
  authority,
  connection,
  custom,
  feePayer,
  InsufficientFunds,
  ours,
  wallet,
  withLocalnet,
} from "#test/fixtures/asset.ts"
import { createPaymentMint, type MintOptions } from "#test/fixtures/payment-mint.ts"
import { addressOf, tokenAccountOf } from "./addresses.ts"
import { operationMemo } from "./memo.ts"
import { pay } from "./payment.ts"
import { accountsOfPaymentMint, isPausedMint, readPaymentMint } from "./payment-mint.ts"
import { computeBudget, TransactionSize } from "./transaction.ts"

withLocalnet()

const memoText = () => operationMemo(newId("pay"))
const { TOKEN_2022_PROGRAM_ID: token2022, TOKEN_PROGRAM_ID: classic } = spl

async function read(address: PublicKey) {
  const infos = await connection.getMultipleAccountsInfo(accountsOfPaymentMint(addressOf(address)))
  return readPaymentMint(addressOf(address), infos[0], infos[1])
}

const extension = (type: spl.ExtensionType, initialize: (mint: PublicKey) => TransactionInstruction) => ({
  program: token2022,
  extensions: [{ type, initialize }],
})

describe.each([
  ["the classic token program", classic],
  ["Token-2022", token2022],
])("a payment mint of %s", (_name, program) => {
  test("is paid to wallets with and without an account, in base units", async () => {
    const coin = await createPaymentMint(connection, { program })
    const [known, fresh] = [Keypair.generate().publicKey, Keypair.generate().publicKey]
    await coin.fund(authority.publicKey, 100n)
    await coin.open(known)
    const payer = { authority: authority.publicKey, feePayer: feePayer.publicKey }
    const paying = (wallet: PublicKey, amount: bigint, isNew: boolean) =>
      ours(pay(coin, payer, { wallet, amount, isNew, memoText: memoText() }))
    expect(await paying(known, 7n, false)).toBeNull()
    // Another sender created it first.
    expect(await paying(known, 1n, true)).toBeNull()
    expect(await paying(fresh, 2n, true)).toBeNull()
    expect(await Promise.all([known, fresh, authority.publicKey].map(coin.balanceOf))).toEqual([8n, 2n, 90n])
    expect(await paying(known, 91n, false)).toEqual(custom(1, InsufficientFunds))
    await coin.freeze(known)
    expect(await paying(known, 1n, false)).toEqual(custom(1, AccountFrozen))
  })

  test("has its decimals and its program", async () => {
    const coin = await createPaymentMint(connection, { program, decimals: 9 })
    expect(await read(coin.mint)).toMatchObject({ program, decimals: 9, name: null, symbol: null })
  })
})

test("a payment to a wallet off the curve reaches its associated account", async () => {
  const coin = await createPaymentMint(connection)
  await coin.fund(authority.publicKey, 5n)
  const [smartWallet] = PublicKey.findProgramAddressSync([Buffer.from("wallet")], Keypair.generate().publicKey)
  const payer = { authority: authority.publicKey, feePayer: feePayer.publicKey }
  const instructions = pay(coin, payer, { wallet: smartWallet, amount: 5n, isNew: true, memoText: memoText() })
  expect(await ours(instructions)).toBeNull()
  expect(await coin.balanceOf(smartWallet)).toBe(5n)
})

test("a Token-2022 mint's own metadata names it, without invisible characters", async () => {
  const metadata = { name: "Test\u202e Dollar\u0000", symbol: "TUSD" }
  const coin = await createPaymentMint(connection, { program: token2022, metadata })
  expect(await read(coin.mint)).toMatchObject({ name: "Test Dollar", symbol: "TUSD" })
})

test("a classic mint is named by its Metaplex account, if that is about this mint", () => {
  const [mint, other] = [Keypair.generate().publicKey, Keypair.generate().publicKey]
  const metaplex = new PublicKey("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s")
  const text = (value: string, bytes: number) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(bytes)
    return Buffer.concat([length, Buffer.from(value.padEnd(bytes, "\0"))])
  }
  const about = (mint: PublicKey) =>
    Buffer.concat([Buffer.from([4]), Buffer.alloc(32, 1), mint.toBytes(), text("USD Coin", 32), text("USDC", 10)])
  const account = (owner: PublicKey, data: Buffer) => ({ owner, data, lamports: 1, executable: false, rentEpoch: 0 })
  const data = Buffer.alloc(spl.MINT_SIZE)
  spl.MintLayout.encode(
    {
      mintAuthorityOption: 0,
      mintAuthority: mint,
      supply: 1n,
      decimals: 6,
      isInitialized: true,
      freezeAuthorityOption: 0,
      freezeAuthority: mint,
    },
    data,
  )
  const named = (metadata: ReturnType<typeof account> | null) =>
    readPaymentMint(addressOf(mint), account(classic, data), metadata)
  expect(named(account(metaplex, about(mint)))).toMatchObject({ name: "USD Coin", symbol: "USDC" })
  expect(named(account(metaplex, about(other)))).toMatchObject({ name: null, symbol: null })
  expect(named(account(other, about(mint)))).toMatchObject({ name: null, symbol: null })
  expect(named(account(metaplex, about(mint).subarray(0, 80)))).toMatchObject({ name: null, symbol: null })
  expect(named(null)).toMatchObject({ name: null, symbol: null })
})

const key = Keypair.generate().publicKey
const refusedMints: [string, MintOptions, RegExp][] = [
  [
    "a transfer fee",
    extension(spl.ExtensionType.TransferFeeConfig, (mint) =>
      spl.createInitializeTransferFeeConfigInstruction(mint, key, key, 0, 0n, token2022),
    ),
    /transfer fee/,
  ],
  [
    "a transfer hook",
    extension(spl.ExtensionType.TransferHook, (mint) =>
      spl.createInitializeTransferHookInstruction(mint, key, PublicKey.default, token2022),
    ),
    /transfer hook/,
  ],
  [
    "tokens that cannot be transferred",
    extension(spl.ExtensionType.NonTransferable, (mint) =>
      spl.createInitializeNonTransferableMintInstruction(mint, token2022),
    ),
    /cannot be transferred/,
  ],
  [
    "a permanent delegate",
    extension(spl.ExtensionType.PermanentDelegate, (mint) =>
      spl.createInitializePermanentDelegateInstruction(mint, key, token2022),
    ),
    /permanent delegate/,
  ],
  [
    "accounts that are created frozen",
    extension(spl.ExtensionType.DefaultAccountState, (mint) =>
      spl.createInitializeDefaultAccountStateInstruction(mint, spl.AccountState.Frozen, token2022),
    ),
    /created frozen/,
  ],
  [
    "scaled amounts",
    extension(spl.ExtensionType.ScaledUiAmountConfig, (mint) =>
      spl.createInitializeScaledUiAmountConfigInstruction(mint, key, 1, token2022),
    ),
    /scales amounts/,
  ],
  [
    "interest",
    extension(spl.ExtensionType.InterestBearingConfig, (mint) =>
      spl.createInitializeInterestBearingMintInstruction(mint, key, 1, token2022),
    ),
    /interest/,
  ],
]

test.each(refusedMints)("a mint with %s is refused, and the reason says so", async (_name, options, reason) => {
  const coin = await createPaymentMint(connection, options)
  expect(await read(coin.mint)).toEqual({ refused: expect.stringMatching(reason) })
})

test("a mint whose accounts are created open, or that can be paused, is accepted", async () => {
  const open = extension(spl.ExtensionType.DefaultAccountState, (mint) =>
    spl.createInitializeDefaultAccountStateInstruction(mint, spl.AccountState.Initialized, token2022),
  )
  expect(await read((await createPaymentMint(connection, open)).mint)).toMatchObject({ decimals: 6 })
  const pausable = extension(spl.ExtensionType.PausableConfig, (mint) =>
    spl.createInitializePausableConfigInstruction(mint, key, token2022),
  )
  const { mint, address } = await createPaymentMint(connection, pausable)
  expect(await read(mint)).toMatchObject({ decimals: 6 })
  expect(isPausedMint(address, (await connection.getAccountInfo(mint))!)).toBe(false)
})

test("what is no mint is refused", async () => {
  const coin = await createPaymentMint(connection)
  await coin.fund(key, 1n)
  expect(await read(Keypair.generate().publicKey)).toEqual({ refused: expect.stringMatching(/no account/) })
  expect(await read(coin.issuer.publicKey)).toEqual({ refused: expect.stringMatching(/belongs to the program 1{32}/) })
  expect(await read(coin.accountOf(key))).toEqual({ refused: "it is not a mint" })
})

test.each([
  ["9 payments to known accounts", { most: 9, isNew: false, price: 1 }],
  ["5 payments that create accounts", { most: 5, isNew: true, price: 1 }],
  ["6 payments that create accounts, if no price is offered,", { most: 6, isNew: true, price: 0 }],
])("%s fit into one transaction, and no more", (_name, { most, isNew, price }) => {
  const [mint, authority, feePayer] = [wallet(), wallet(), wallet()]
  const coin = { mint, program: classic, decimals: 6 }
  const memoText = operationMemo(`pay_${"9".repeat(22)}`)
  const fits = (count: number) => {
    const payments = Array.from({ length: count }, () =>
      pay(coin, { authority, feePayer }, { wallet: wallet(), amount: 1n, isNew, memoText }),
    )
    const all = [...computeBudget({ units: 1, price }), ...payments.flat()]
    return new TransactionSize(feePayer).with(all).fits
  }
  expect([fits(most), fits(most + 1)]).toEqual([true, false])
})

test("an account of the classic program has another address than one of Token-2022", () => {
  const [mint, wallet] = [Keypair.generate().publicKey, Keypair.generate().publicKey]
  for (const program of [classic, token2022])
    expect(tokenAccountOf(mint, wallet, program)).toEqual(
      spl.getAssociatedTokenAddressSync(mint, wallet, true, program),
    )
})
