import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createInitializeAccount3Instruction,
  createMintToInstruction,
  createReallocateInstruction,
  createSetAuthorityInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAccount,
  getAccountLenForMint,
  getDefaultAccountState,
  getMemoTransfer,
  getMint,
  getPausableConfig,
  getPermanentDelegate,
  getTokenMetadata,
  TOKEN_2022_PROGRAM_ID,
  AccountState as TokenAccountState,
  TokenInstruction,
} from "@solana/spl-token"
import {
  type Connection,
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "#server/embedded/localnet/server.ts"
import {
  confirmed,
  disconnect,
  fundedWallet,
  plainConnection,
  signed,
  transfer,
} from "#server/embedded/localnet/test-client.ts"
import { newId } from "#server/lib/ids.ts"
import { MEMO_PROGRAM_ID, tokenAccountOf } from "./addresses.ts"
import {
  type AccountState,
  type Asset,
  createAssetMint,
  freezeAsset,
  mintAsset,
  moveAsset,
  pauseAsset,
  type RestingState,
  resumeAsset,
  type TransferMode,
  thawAsset,
} from "./asset.ts"
import { memo, operationMemo } from "./memo.ts"
import { readTransactionError, SystemError, TokenError } from "./program-error.ts"
import { TransactionSize } from "./transaction.ts"

const token = TOKEN_2022_PROGRAM_ID
const DECIMALS = 6

// Errors that only this file meets (token-2022 interface, `TokenError`).
const { InsufficientFunds, InvalidState, AccountFrozen } = TokenError
const [OwnerMismatch, HasBalance, Overflow, ImmutableOwner, NoMemo, MintPaused] = [4, 11, 14, 34, 36, 67]

let localnet: Localnet
let connection: Connection
let feePayer: Keypair
let authority: Keypair
let rentOf: (bytes: number) => number

beforeAll(async () => {
  localnet = await startLocalnet({ port: 0, dataDir: null, slotMs: 20, allowFaults: true })
  connection = plainConnection(localnet.url)
  feePayer = await fundedWallet(connection, 100)
  authority = Keypair.generate()
  const rent = (bytes: number) => connection.getMinimumBalanceForRentExemption(bytes)
  const [ofNothing, ofThousand] = await Promise.all([rent(0), rent(1000)])
  rentOf = (bytes) => ofNothing + ((ofThousand - ofNothing) / 1000) * bytes
})

afterAll(async () => {
  await disconnect(connection)
  await localnet.close()
})

/** What the chain says to a transaction that the fee payer and `signers` sign: null when it took effect. */
async function send(instructions: TransactionInstruction[], ...signers: Keypair[]) {
  const wire = await signed(connection, instructions, [feePayer, ...signers])
  const { err } = await confirmed(
    connection,
    await connection.sendRawTransaction(wire, { skipPreflight: true }),
  )
  return err && readTransactionError(err)
}

const ours = (instructions: TransactionInstruction[]) => send(instructions, authority)

const custom = (index: number, number: number) => ({
  kind: "instruction",
  index,
  error: { custom: number, name: "Custom" },
})
const named = (index: number, name: string) => ({
  kind: "instruction",
  index,
  error: { custom: null, name },
})

const memoText = () => operationMemo(newId("op"))
const wallet = () => Keypair.generate().publicKey

const mintConfig = { id: "us_real_estate_fund_v1", name: "US Real Estate Fund", symbol: "USREF" }
const creation = (asset: Asset, transferMode: TransferMode) =>
  createAssetMint(asset, { ...mintConfig, pausable: transferMode === "holder", memoText: memoText(), rentOf })

const newAsset = (mint: PublicKey): Asset => ({
  mint,
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
  decimals: DECIMALS,
})

async function createdAsset(transferMode: TransferMode): Promise<Asset> {
  const mint = Keypair.generate()
  const asset = newAsset(mint.publicKey)
  expect(await send(creation(asset, transferMode), authority, mint)).toBeNull()
  return asset
}

const minting = (
  asset: Asset,
  to: PublicKey,
  amount: bigint,
  before: AccountState,
  after: RestingState = "frozen",
) => mintAsset(asset, { wallet: to, amount, before, after, memoText: memoText() })

type Move = {
  from: PublicKey
  to: PublicKey
  amount: bigint
  before: { from: AccountState; to: AccountState }
  after?: { from: RestingState; to: RestingState }
}
const moving = (asset: Asset, move: Move) =>
  moveAsset(asset, { after: { from: "frozen", to: "frozen" }, ...move, memoText: memoText() })

const accountOf = (asset: Asset, owner: PublicKey) =>
  getAccount(connection, tokenAccountOf(asset.mint, owner), "confirmed", token)

async function holding(asset: Asset, owner: PublicKey) {
  const { amount, isFrozen } = await accountOf(asset, owner)
  return { amount, isFrozen }
}

/** A new wallet that can sign, and its account with `amount`. */
async function holderOf(asset: Asset, amount: bigint, after: RestingState) {
  const holder = Keypair.generate()
  expect(await ours(minting(asset, holder.publicKey, amount, "absent", after))).toBeNull()
  return holder
}

/** A transfer as any wallet makes it. */
const transferOf = (
  asset: Asset,
  from: PublicKey,
  to: PublicKey,
  amount: bigint,
  signer: PublicKey,
  account = tokenAccountOf(asset.mint, to),
) =>
  createTransferCheckedInstruction(
    tokenAccountOf(asset.mint, from),
    asset.mint,
    account,
    signer,
    amount,
    DECIMALS,
    [],
    token,
  )

const creationOfAccount = (asset: Asset, owner: PublicKey) =>
  createAssociatedTokenAccountIdempotentInstruction(
    feePayer.publicKey,
    tokenAccountOf(asset.mint, owner),
    owner,
    asset.mint,
    token,
  )

const requireMemo = (asset: Asset, owner: PublicKey) => [
  createReallocateInstruction(
    tokenAccountOf(asset.mint, owner),
    feePayer.publicKey,
    [ExtensionType.MemoTransfer],
    owner,
    [],
    token,
  ),
  createEnableRequiredMemoTransfersInstruction(tokenAccountOf(asset.mint, owner), owner, [], token),
]

describe("a mint", () => {
  test.each(["agent", "holder"] as const)("in %s mode reads back through spl-token", async (transferMode) => {
    const asset = await createdAsset(transferMode)
    const mint = await getMint(connection, asset.mint, "confirmed", token)
    const { publicKey } = authority
    expect(mint).toMatchObject({
      decimals: DECIMALS,
      supply: 0n,
      mintAuthority: publicKey,
      freezeAuthority: publicKey,
    })
    expect(getPermanentDelegate(mint)).toEqual({ delegate: publicKey })
    expect(getDefaultAccountState(mint)).toEqual({ state: TokenAccountState.Frozen })
    expect(getPausableConfig(mint)).toEqual(
      transferMode === "holder" ? { authority: publicKey, paused: false } : null,
    )
    expect(await getTokenMetadata(connection, asset.mint, "confirmed", token)).toMatchObject({
      updateAuthority: publicKey,
      name: mintConfig.name,
      symbol: mintConfig.symbol,
      uri: "",
      additionalMetadata: [["mint_config", mintConfig.id]],
    })
  })
})

test("the memo stands directly before the instruction that it belongs to", () => {
  const asset = newAsset(wallet())
  const before = { from: "frozen", to: "absent" } as const
  const belongs = (instructions: TransactionInstruction[]) => {
    const place = instructions.findIndex(({ programId }) => programId.equals(MEMO_PROGRAM_ID))
    const { programId, data } = instructions[place + 1]!
    return programId.equals(token) ? TokenInstruction[data[0]!] : programId
  }
  expect(belongs(creation(asset, "holder"))).toEqual(SystemProgram.programId)
  expect(belongs(minting(asset, wallet(), 1n, "absent"))).toBe("MintToChecked")
  expect(belongs(moving(asset, { from: wallet(), to: wallet(), amount: 1n, before }))).toBe("TransferChecked")
  expect(belongs(freezeAsset(asset, wallet(), memoText()))).toBe("FreezeAccount")
  expect(belongs(thawAsset(asset, wallet(), memoText()))).toBe("ThawAccount")
  expect(belongs(pauseAsset(asset, memoText()))).toBe("PausableExtension")
  expect(belongs(resumeAsset(asset, memoText()))).toBe("PausableExtension")
})

describe("in agent mode", () => {
  let asset: Asset
  beforeAll(async () => {
    asset = await createdAsset("agent")
  })

  test("mints and moves add up, and every account is frozen at rest", async () => {
    const [first, second] = [wallet(), wallet()]
    expect(await ours(minting(asset, first, 5n, "absent"))).toBeNull()
    expect(await holding(asset, first)).toEqual({ amount: 5n, isFrozen: true })
    expect(await ours(minting(asset, first, 2n, "frozen"))).toBeNull()
    expect(await holding(asset, first)).toEqual({ amount: 7n, isFrozen: true })
    const move = { from: first, to: second, amount: 3n }
    expect(await ours(moving(asset, { ...move, before: { from: "frozen", to: "absent" } }))).toBeNull()
    expect(await ours(moving(asset, { ...move, before: { from: "frozen", to: "frozen" } }))).toBeNull()
    expect(await holding(asset, first)).toEqual({ amount: 1n, isFrozen: true })
    expect(await holding(asset, second)).toEqual({ amount: 6n, isFrozen: true })
  })

  type Attempt = (account: PublicKey, holder: PublicKey, verified: PublicKey) => TransactionInstruction
  const attempts: Record<string, [attempt: Attempt, error: number]> = {
    transfer: [(_account, holder, to) => transferOf(asset, holder, to, 1n, holder), AccountFrozen],
    "approve a delegate for": [
      (account, holder, delegate) => createApproveInstruction(account, delegate, holder, 1n, [], token),
      AccountFrozen,
    ],
    burn: [
      (account, holder) => createBurnInstruction(account, asset.mint, holder, 1n, [], token),
      AccountFrozen,
    ],
    "close the account of": [
      (account, holder) => createCloseAccountInstruction(account, holder, holder, [], token),
      HasBalance,
    ],
    "give away the account of": [
      (account, holder, to) =>
        createSetAuthorityInstruction(account, holder, AuthorityType.AccountOwner, to, [], token),
      AccountFrozen,
    ],
    thaw: [
      (account, holder) => createThawAccountInstruction(account, asset.mint, holder, [], token),
      OwnerMismatch,
    ],
  }
  test.each(Object.entries(attempts))("a holder cannot %s the tokens", async (_name, [attempt, error]) => {
    const holder = await holderOf(asset, 5n, "frozen")
    const { publicKey: verified } = await holderOf(asset, 1n, "frozen")
    const instruction = attempt(tokenAccountOf(asset.mint, holder.publicKey), holder.publicKey, verified)
    expect(await send([instruction], holder)).toEqual(custom(0, error))
    expect(await holding(asset, holder.publicKey)).toEqual({ amount: 5n, isFrozen: true })
  })

  test("a stranger cannot mint, nor move what others hold", async () => {
    const stranger = Keypair.generate()
    const asStranger = { ...asset, authority: stranger.publicKey }
    const holder = await holderOf(asset, 5n, "frozen")
    const account = tokenAccountOf(asset.mint, holder.publicKey)
    const mint = createMintToInstruction(asset.mint, account, stranger.publicKey, 1n, [], token)
    // Even where the account happens to be open.
    const thawed = thawAsset(asset, holder.publicKey, memoText())
    expect(await send([...thawed, mint], authority, stranger)).toEqual(custom(2, OwnerMismatch))
    expect(await send(minting(asStranger, stranger.publicKey, 1n, "absent"), stranger)).toEqual(
      custom(1, OwnerMismatch),
    )
    const theft = transferOf(asset, holder.publicKey, holder.publicKey, 1n, stranger.publicKey)
    expect(await send([...thawed, theft], authority, stranger)).toEqual(custom(2, OwnerMismatch))
  })

  test("an account that somebody made beforehand does no harm, nor lamports where it will be", async () => {
    const owner = wallet()
    expect(await send([creationOfAccount(asset, owner)])).toBeNull()
    expect(await ours(minting(asset, owner, 5n, "absent"))).toBeNull()
    expect(await holding(asset, owner)).toEqual({ amount: 5n, isFrozen: true })
    const gifted = wallet()
    const gift = transfer(feePayer.publicKey, tokenAccountOf(asset.mint, gifted), rentOf(0))
    expect(await send([gift])).toBeNull()
    expect(await ours(minting(asset, gifted, 5n, "absent"))).toBeNull()
    expect(await holding(asset, gifted)).toEqual({ amount: 5n, isFrozen: true })
  })

  test("a holder who requires memos, as a frozen account allows, still receives", async () => {
    const [holder, sender] = [await holderOf(asset, 5n, "frozen"), await holderOf(asset, 5n, "frozen")]
    expect(await send(requireMemo(asset, holder.publicKey), holder)).toBeNull()
    const move = { from: sender.publicKey, to: holder.publicKey, amount: 1n }
    expect(await ours(moving(asset, { ...move, before: { from: "frozen", to: "frozen" } }))).toBeNull()
    expect(await holding(asset, holder.publicKey)).toEqual({ amount: 6n, isFrozen: true })
  })

  test("an emptied account that its holder closed is made again", async () => {
    const [holder, other] = [await holderOf(asset, 5n, "frozen"), wallet()]
    const { publicKey } = holder
    const exit = { from: publicKey, to: other, amount: 5n }
    expect(await ours(moving(asset, { ...exit, before: { from: "frozen", to: "absent" } }))).toBeNull()
    const account = tokenAccountOf(asset.mint, publicKey)
    expect(
      await send([createCloseAccountInstruction(account, publicKey, publicKey, [], token)], holder),
    ).toBeNull()
    const back = { from: other, to: publicKey, amount: 5n }
    expect(await ours(moving(asset, { ...back, before: { from: "frozen", to: "absent" } }))).toBeNull()
    expect(await holding(asset, publicKey)).toEqual({ amount: 5n, isFrozen: true })
  })
})

describe("in holder mode", () => {
  let asset: Asset
  beforeAll(async () => {
    asset = await createdAsset("holder")
  })

  test("holders of thawed accounts move tokens themselves, and may burn their own", async () => {
    const [first, second] = [await holderOf(asset, 5n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const move = transferOf(asset, first.publicKey, second.publicKey, 2n, first.publicKey)
    expect(await send([move], first)).toBeNull()
    const account = tokenAccountOf(asset.mint, second.publicKey)
    const burn = createBurnInstruction(account, asset.mint, second.publicKey, 1n, [], token)
    expect(await send([burn], second)).toBeNull()
    expect(await holding(asset, first.publicKey)).toEqual({ amount: 3n, isFrozen: false })
    expect(await holding(asset, second.publicKey)).toEqual({ amount: 2n, isFrozen: false })
  })

  test("nothing reaches the account of an unverified wallet, which is born frozen", async () => {
    const [holder, unverified] = [await holderOf(asset, 5n, "thawed"), wallet()]
    const move = transferOf(asset, holder.publicKey, unverified, 1n, holder.publicKey)
    expect(await send([creationOfAccount(asset, unverified), move], holder)).toEqual(custom(1, AccountFrozen))
  })

  test("freezing an account stops its holder, and thawing lets the holder go on", async () => {
    const [first, second] = [await holderOf(asset, 5n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const out = transferOf(asset, first.publicKey, second.publicKey, 1n, first.publicKey)
    const back = transferOf(asset, second.publicKey, first.publicKey, 1n, second.publicKey)
    expect(await ours(freezeAsset(asset, first.publicKey, memoText()))).toBeNull()
    expect(await send([out], first)).toEqual(custom(0, AccountFrozen))
    expect(await send([back], second)).toEqual(custom(0, AccountFrozen))
    expect(await ours(thawAsset(asset, first.publicKey, memoText()))).toBeNull()
    expect(await send([out], first)).toBeNull()
  })

  test("a second account of a verified wallet is born frozen and receives nothing", async () => {
    const holder = await holderOf(asset, 5n, "thawed")
    const second = Keypair.generate()
    const space = getAccountLenForMint(await getMint(connection, asset.mint, "confirmed", token))
    const create = [
      SystemProgram.createAccount({
        fromPubkey: feePayer.publicKey,
        newAccountPubkey: second.publicKey,
        space,
        lamports: rentOf(space),
        programId: token,
      }),
      createInitializeAccount3Instruction(second.publicKey, asset.mint, holder.publicKey, token),
    ]
    expect(await send(create, second)).toBeNull()
    expect(await getAccount(connection, second.publicKey, "confirmed", token)).toMatchObject({
      isFrozen: true,
    })
    const move = transferOf(asset, holder.publicKey, holder.publicKey, 1n, holder.publicKey, second.publicKey)
    expect(await send([move], holder)).toEqual(custom(0, AccountFrozen))
  })

  test("a thawed account cannot be given to another owner", async () => {
    const holder = await holderOf(asset, 5n, "thawed")
    const account = tokenAccountOf(asset.mint, holder.publicKey)
    const gift = createSetAuthorityInstruction(
      account,
      holder.publicKey,
      AuthorityType.AccountOwner,
      wallet(),
      [],
      token,
    )
    expect(await send([gift], holder)).toEqual(custom(0, ImmutableOwner))
  })

  test("a stranger can neither mint, freeze, thaw nor pause", async () => {
    const holder = await holderOf(asset, 5n, "thawed")
    const stranger = Keypair.generate()
    const asStranger = { ...asset, authority: stranger.publicKey }
    const { publicKey } = holder
    for (const attempt of [
      minting(asStranger, publicKey, 1n, "thawed", "thawed"),
      freezeAsset(asStranger, publicKey, memoText()),
      pauseAsset(asStranger, memoText()),
    ])
      expect(await send(attempt, stranger)).toEqual(custom(1, OwnerMismatch))
    expect(await ours(freezeAsset(asset, publicKey, memoText()))).toBeNull()
    expect(await send(thawAsset(asStranger, publicKey, memoText()), stranger)).toEqual(
      custom(1, OwnerMismatch),
    )
  })

  test("a wallet that requires memos still receives, because the memo stands directly before the transfer", async () => {
    const [sender, careful] = [await holderOf(asset, 5n, "thawed"), await holderOf(asset, 1n, "thawed")]
    expect(await send(requireMemo(asset, careful.publicKey), careful)).toBeNull()
    expect(getMemoTransfer(await accountOf(asset, careful.publicKey))).toEqual({
      requireIncomingTransferMemos: true,
    })
    const bare = transferOf(asset, sender.publicKey, careful.publicKey, 1n, sender.publicKey)
    expect(await send([bare], sender)).toEqual(custom(0, NoMemo))
    expect(await send([memo("for you"), bare], sender)).toBeNull()
    const move = { from: sender.publicKey, to: careful.publicKey, amount: 1n }
    const after = { from: "thawed", to: "thawed" } as const
    expect(await ours(moving(asset, { ...move, before: { from: "thawed", to: "thawed" }, after }))).toBeNull()
    expect(await ours(freezeAsset(asset, careful.publicKey, memoText()))).toBeNull()
    expect(await ours(moving(asset, { ...move, before: { from: "thawed", to: "frozen" }, after }))).toBeNull()
    expect(await ours(minting(asset, careful.publicKey, 1n, "thawed", "thawed"))).toBeNull()
    expect(await holding(asset, careful.publicKey)).toEqual({ amount: 5n, isFrozen: false })
  })

  test("a pause stops holders and authority alike until it ends, and does not hinder freezing", async () => {
    const paused = await createdAsset("holder")
    const [first, second] = [await holderOf(paused, 5n, "thawed"), await holderOf(paused, 1n, "thawed")]
    const theirs = transferOf(paused, first.publicKey, second.publicKey, 1n, first.publicKey)
    const burn = createBurnInstruction(
      tokenAccountOf(paused.mint, first.publicKey),
      paused.mint,
      first.publicKey,
      1n,
      [],
      token,
    )
    const mint = minting(paused, first.publicKey, 1n, "thawed", "thawed")
    const move = moving(paused, {
      from: first.publicKey,
      to: second.publicKey,
      amount: 1n,
      before: { from: "thawed", to: "thawed" },
      after: { from: "thawed", to: "thawed" },
    })
    expect(await ours(pauseAsset(paused, memoText()))).toBeNull()
    expect(await send([theirs], first)).toEqual(custom(0, MintPaused))
    expect(await send([burn], first)).toEqual(custom(0, MintPaused))
    expect(await ours(mint)).toEqual(custom(1, MintPaused))
    expect(await ours(move)).toEqual(custom(1, MintPaused))
    expect(await ours(freezeAsset(paused, first.publicKey, memoText()))).toBeNull()
    expect(await ours(thawAsset(paused, first.publicKey, memoText()))).toBeNull()
    expect(await ours(resumeAsset(paused, memoText()))).toBeNull()
    expect(await send([theirs], first)).toBeNull()
    expect(await send([burn], first)).toBeNull()
    expect(await ours(mint)).toBeNull()
    expect(await ours(move)).toBeNull()
    expect(await holding(paused, second.publicKey)).toEqual({ amount: 3n, isFrozen: false })
  })
})

describe("what the chain answers", () => {
  let agent: Asset
  let holder: Asset
  beforeAll(async () => {
    agent = await createdAsset("agent")
    holder = await createdAsset("holder")
  })

  test("to thawing an account that is not frozen", async () => {
    const { publicKey } = await holderOf(holder, 1n, "thawed")
    expect(await ours(thawAsset(holder, publicKey, memoText()))).toEqual(custom(1, InvalidState))
    expect(await ours(minting(holder, publicKey, 1n, "frozen"))).toEqual(custom(0, InvalidState))
    expect(await ours(minting(holder, publicKey, 1n, "absent"))).toEqual(custom(1, InvalidState))
  })

  test("to freezing an account that is frozen already", async () => {
    const { publicKey } = await holderOf(holder, 1n, "frozen")
    expect(await ours(freezeAsset(holder, publicKey, memoText()))).toEqual(custom(1, InvalidState))
  })

  test("to freezing, thawing or minting where no account is", async () => {
    const nobody = wallet()
    expect(await ours(freezeAsset(holder, nobody, memoText()))).toEqual(named(1, "IncorrectProgramId"))
    expect(await ours(thawAsset(holder, nobody, memoText()))).toEqual(named(1, "IncorrectProgramId"))
    expect(await ours(minting(holder, nobody, 1n, "frozen"))).toEqual(named(0, "IncorrectProgramId"))
    expect(await ours(minting(holder, nobody, 1n, "thawed"))).toEqual(named(1, "IncorrectProgramId"))
  })

  test("to minting to a frozen account", async () => {
    const { publicKey } = await holderOf(holder, 1n, "frozen")
    expect(await ours(minting(holder, publicKey, 1n, "thawed"))).toEqual(custom(1, AccountFrozen))
  })

  test("to moving more than the balance", async () => {
    const [from, to] = [(await holderOf(agent, 1n, "frozen")).publicKey, wallet()]
    const move = { from, to, amount: 2n }
    expect(await ours(moving(agent, { ...move, before: { from: "frozen", to: "absent" } }))).toEqual(
      custom(4, InsufficientFunds),
    )
    await ours(minting(agent, to, 1n, "absent"))
    expect(await ours(moving(agent, { ...move, before: { from: "frozen", to: "frozen" } }))).toEqual(
      custom(3, InsufficientFunds),
    )
  })

  test("to moving where an account is absent, or frozen", async () => {
    const [full, nobody, nobodyElse] = [(await holderOf(agent, 1n, "frozen")).publicKey, wallet(), wallet()]
    const out = { from: nobody, to: nobodyElse, amount: 1n }
    for (const from of ["absent", "frozen"] as const)
      expect(await ours(moving(agent, { ...out, before: { from, to: "absent" } }))).toEqual(
        named(1, "IncorrectProgramId"),
      )
    expect(await ours(moving(agent, { ...out, before: { from: "thawed", to: "absent" } }))).toEqual(
      named(3, "IncorrectProgramId"),
    )
    const into = { from: full, to: nobody, amount: 1n }
    expect(await ours(moving(agent, { ...into, before: { from: "frozen", to: "frozen" } }))).toEqual(
      named(1, "IncorrectProgramId"),
    )
    expect(await ours(moving(agent, { ...into, before: { from: "frozen", to: "thawed" } }))).toEqual(
      named(2, "IncorrectProgramId"),
    )
    expect(await ours(moving(agent, { ...into, before: { from: "thawed", to: "absent" } }))).toEqual(
      custom(3, AccountFrozen),
    )
  })

  test("to pausing twice, to ending no pause, and to pausing a mint that cannot be", async () => {
    expect(await ours(pauseAsset(holder, memoText()))).toBeNull()
    expect(await ours(pauseAsset(holder, memoText()))).toBeNull()
    expect(await ours(minting(holder, wallet(), 1n, "absent"))).toEqual(custom(3, MintPaused))
    expect(await ours(resumeAsset(holder, memoText()))).toBeNull()
    expect(await ours(resumeAsset(holder, memoText()))).toBeNull()
    expect(await ours(pauseAsset(agent, memoText()))).toEqual(named(1, "InvalidAccountData"))
  })

  test("to minting beyond 64 bits", async () => {
    const { publicKey } = await holderOf(agent, 1n, "frozen")
    expect(await ours(minting(agent, publicKey, 2n ** 64n - 1n, "frozen"))).toEqual(custom(2, Overflow))
  })

  test("to creating a mint that exists; lamports at its address do no harm", async () => {
    const [mint, touched] = [Keypair.generate(), Keypair.generate()]
    const create = () => send(creation(newAsset(mint.publicKey), "agent"), authority, mint)
    expect(await create()).toBeNull()
    expect(await create()).toEqual(custom(2, SystemError.AccountAlreadyInUse))
    expect(await send([transfer(feePayer.publicKey, touched.publicKey, rentOf(0))])).toBeNull()
    expect(await send(creation(newAsset(touched.publicKey), "agent"), authority, touched)).toBeNull()
  })

  test("to a fee payer that cannot pay the rent", async () => {
    const poor = await fundedWallet(connection, 0.001)
    const asset = { ...agent, feePayer: poor.publicKey }
    expect(await send(minting(asset, wallet(), 1n, "absent"), authority, poor)).toEqual(
      custom(0, SystemError.ResultWithNegativeLamports),
    )
    const mint = Keypair.generate()
    expect(
      await send(
        creation({ ...newAsset(mint.publicKey), feePayer: poor.publicKey }, "agent"),
        authority,
        mint,
        poor,
      ),
    ).toEqual(custom(1, SystemError.ResultWithNegativeLamports))
  })
})

describe("one transaction holds", () => {
  let asset: Asset
  beforeAll(async () => {
    asset = await createdAsset("agent")
  })

  /** As many of them as fit, all at once. */
  function packed(next: () => TransactionInstruction[]) {
    const batches: TransactionInstruction[][] = []
    let size = new TransactionSize(feePayer.publicKey)
    for (;;) {
      const batch = next()
      const grown = size.with(batch)
      if (!grown.fits) return batches
      size = grown
      batches.push(batch)
    }
  }

  const moveOnce = (to: AccountState) => () =>
    moving(asset, { from: wallet(), to: wallet(), amount: 1n, before: { from: "frozen", to } })

  test("at least 4 first mints, 6 repeated ones, and 3 moves between wallets of their own", async () => {
    const first = packed(() => minting(asset, wallet(), 1n, "absent"))
    const repeated = packed(() => minting(asset, wallet(), 1n, "frozen"))
    expect(first.length).toBeGreaterThanOrEqual(4)
    expect(repeated.length).toBeGreaterThanOrEqual(6)
    expect(packed(moveOnce("frozen")).length).toBeGreaterThanOrEqual(3)
    expect(packed(moveOnce("absent")).length).toBeGreaterThanOrEqual(3)
    expect(await ours(first.flat())).toBeNull()
  })
})
