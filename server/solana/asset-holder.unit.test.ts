import {
  AuthorityType,
  createBurnInstruction,
  createInitializeAccount3Instruction,
  createSetAuthorityInstruction,
  getAccount,
  getAccountLenForMint,
  getMemoTransfer,
  getMint,
} from "@solana/spl-token"
import { Keypair, SystemProgram } from "@solana/web3.js"
import { beforeAll, describe, expect, test } from "vitest"
import {
  AccountFrozen,
  accountOf,
  connection,
  createdAsset,
  creationOfAccount,
  custom,
  feePayer,
  hasPermissionedBurn,
  holderOf,
  holding,
  ImmutableOwner,
  InvalidInstruction,
  MintPaused,
  memoText,
  minting,
  moving,
  NoMemo,
  OwnerMismatch,
  ours,
  rentOf,
  requireMemo,
  send,
  token,
  transferOf,
  wallet,
  withLocalnet,
} from "#test/fixtures/asset.ts"
import { tokenAccountOf } from "./addresses.ts"
import { type Asset, freezeAsset, pauseAsset, resumeAsset, thawAsset } from "./asset.ts"
import { memo } from "./memo.ts"

withLocalnet()

describe("in holder mode", () => {
  let asset: Asset
  beforeAll(async () => {
    asset = await createdAsset("holder")
  })

  test("holders of thawed accounts move tokens themselves, and cannot burn them if the chain knows PermissionedBurn", async () => {
    const [first, second] = [await holderOf(asset, 5n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const move = transferOf(asset, first.publicKey, second.publicKey, 2n, first.publicKey)
    expect(await send([move], first)).toBeNull()
    const account = tokenAccountOf(asset.mint, second.publicKey)
    const burn = createBurnInstruction(account, asset.mint, second.publicKey, 1n, [], token)
    expect(await send([burn], second)).toEqual(hasPermissionedBurn ? custom(0, InvalidInstruction) : null)
    expect(await holding(asset, first.publicKey)).toEqual({ amount: 3n, isFrozen: false })
    const left = hasPermissionedBurn ? 3n : 2n
    expect(await holding(asset, second.publicKey)).toEqual({ amount: left, isFrozen: false })
  })

  test("holders of a mint without PermissionedBurn may burn their tokens, unless it is paused", async () => {
    const older = await createdAsset("holder", ["pausable"])
    const holder = await holderOf(older, 5n, "thawed")
    const account = tokenAccountOf(older.mint, holder.publicKey)
    const burn = createBurnInstruction(account, older.mint, holder.publicKey, 1n, [], token)
    expect(await ours(pauseAsset(older, memoText()))).toBeNull()
    expect(await send([burn], holder)).toEqual(custom(0, MintPaused))
    expect(await ours(resumeAsset(older, memoText()))).toBeNull()
    expect(await send([burn], holder)).toBeNull()
    expect(await holding(older, holder.publicKey)).toEqual({ amount: 4n, isFrozen: false })
  })

  test("an account of an unverified wallet is created frozen, and nothing reaches it", async () => {
    const [holder, unverified] = [await holderOf(asset, 5n, "thawed"), wallet()]
    const move = transferOf(asset, holder.publicKey, unverified, 1n, holder.publicKey)
    expect(await send([creationOfAccount(asset, unverified), move], holder)).toEqual(custom(1, AccountFrozen))
  })

  test("freezing an account stops its holder, and thawing lets the holder continue", async () => {
    const [first, second] = [await holderOf(asset, 5n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const out = transferOf(asset, first.publicKey, second.publicKey, 1n, first.publicKey)
    const back = transferOf(asset, second.publicKey, first.publicKey, 1n, second.publicKey)
    expect(await ours(freezeAsset(asset, first.publicKey, memoText()))).toBeNull()
    expect(await send([out], first)).toEqual(custom(0, AccountFrozen))
    expect(await send([back], second)).toEqual(custom(0, AccountFrozen))
    expect(await ours(thawAsset(asset, first.publicKey, memoText()))).toBeNull()
    expect(await send([out], first)).toBeNull()
  })

  test("a second account of a verified wallet is created frozen and receives nothing", async () => {
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
    expect(await send(thawAsset(asStranger, publicKey, memoText()), stranger)).toEqual(custom(1, OwnerMismatch))
  })

  test("a wallet that requires memos still receives, because the memo is directly before the transfer", async () => {
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

  test("a pause stops holders and the authority until it ends, and does not prevent freezing", async () => {
    const paused = await createdAsset("holder")
    const [first, second] = [await holderOf(paused, 5n, "thawed"), await holderOf(paused, 1n, "thawed")]
    const theirs = transferOf(paused, first.publicKey, second.publicKey, 1n, first.publicKey)
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
    expect(await ours(mint)).toEqual(custom(1, MintPaused))
    expect(await ours(move)).toEqual(custom(1, MintPaused))
    const [from, to] = [first.publicKey, second.publicKey]
    const open = { from: "thawed", to: "thawed" } as const
    const forced = moving(paused, { from, to, amount: 1n, before: open, after: open, isPaused: true })
    expect(await ours(forced)).toBeNull()
    expect(await send([theirs], first)).toEqual(custom(0, MintPaused))
    expect(await ours(freezeAsset(paused, first.publicKey, memoText()))).toBeNull()
    expect(await ours(thawAsset(paused, first.publicKey, memoText()))).toBeNull()
    expect(await ours(resumeAsset(paused, memoText()))).toBeNull()
    expect(await send([theirs], first)).toBeNull()
    expect(await ours(mint)).toBeNull()
    expect(await ours(move)).toBeNull()
    expect(await holding(paused, second.publicKey)).toEqual({ amount: 4n, isFrozen: false })
  })
})
