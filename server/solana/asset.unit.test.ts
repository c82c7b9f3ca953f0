import {
  AuthorityType,
  createApproveInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createThawAccountInstruction,
  getDefaultAccountState,
  getMint,
  getPausableConfig,
  getPermanentDelegate,
  getTokenMetadata,
  AccountState as TokenAccountState,
  TokenInstruction,
} from "@solana/spl-token"
import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import { beforeAll, describe, expect, test } from "vitest"
import { transfer } from "#localnet/testing"
import { newMintPlace } from "#test/doubles/keys.ts"
import {
  AccountFrozen,
  authority,
  connection,
  createdAsset,
  creation,
  creationOfAccount,
  custom,
  DECIMALS,
  feePayer,
  HasBalance,
  hasPermissionedBurn,
  holderOf,
  holding,
  memoText,
  mintConfig,
  minting,
  moving,
  newAsset,
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
import { MEMO_PROGRAM_ID, tokenAccountOf } from "./addresses.ts"
import { type AccountState, type Asset, freezeAsset, pauseAsset, resumeAsset, thawAsset } from "./asset.ts"
import { extensionDefinitions, extensionsIn, isScaled } from "./mint-extensions.ts"
import { TransactionSize } from "./transaction.ts"

withLocalnet()

describe("a mint", () => {
  test.each(["agent", "holder"] as const)("in %s mode can be read with spl-token", async (transferMode) => {
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
    const extensions = extensionsIn(mint)
    expect(extensions).toEqual([
      "pausable",
      "scaled_ui_amount",
      ...(transferMode === "holder" && hasPermissionedBurn ? ["permissioned_burn"] : []),
    ])
    for (const one of extensions) expect(extensionDefinitions[one].authorityOf(mint)).toEqual(publicKey)
    expect(getPausableConfig(mint)!.paused).toBe(false)
    expect(isScaled(mint)).toBe(false)
    expect(await getTokenMetadata(connection, asset.mint, "confirmed", token)).toMatchObject({
      updateAuthority: publicKey,
      name: mintConfig.name,
      symbol: mintConfig.symbol,
      uri: "",
      additionalMetadata: [["mint_config", mintConfig.id]],
    })
  })
})

test("the memo is directly before the instruction that it belongs to", () => {
  const asset = newAsset(wallet())
  const before = { from: "frozen", to: "absent" } as const
  const belongs = (instructions: TransactionInstruction[]) => {
    const place = instructions.findIndex(({ programId }) => programId.equals(MEMO_PROGRAM_ID))
    const { programId, data } = instructions[place + 1]!
    return programId.equals(token) ? TokenInstruction[data[0]!] : programId
  }
  expect(belongs(creation(newMintPlace().place))).toEqual(SystemProgram.programId)
  expect(belongs(minting(asset, wallet(), 1n, "absent"))).toBe("MintToChecked")
  for (const isPaused of [false, true])
    expect(belongs(moving(asset, { from: wallet(), to: wallet(), amount: 1n, before, isPaused }))).toBe(
      "TransferChecked",
    )
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

  test("mints and moves add up, and every account is frozen between transactions", async () => {
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
    burn: [(account, holder) => createBurnInstruction(account, asset.mint, holder, 1n, [], token), AccountFrozen],
    "close the account of": [
      (account, holder) => createCloseAccountInstruction(account, holder, holder, [], token),
      HasBalance,
    ],
    "give away the account of": [
      (account, holder, to) =>
        createSetAuthorityInstruction(account, holder, AuthorityType.AccountOwner, to, [], token),
      AccountFrozen,
    ],
    thaw: [(account, holder) => createThawAccountInstruction(account, asset.mint, holder, [], token), OwnerMismatch],
  }
  test.each(Object.entries(attempts))("a holder cannot %s the tokens", async (_name, [attempt, error]) => {
    const holder = await holderOf(asset, 5n, "frozen")
    const { publicKey: verified } = await holderOf(asset, 1n, "frozen")
    const instruction = attempt(tokenAccountOf(asset.mint, holder.publicKey), holder.publicKey, verified)
    expect(await send([instruction], holder)).toEqual(custom(0, error))
    expect(await holding(asset, holder.publicKey)).toEqual({ amount: 5n, isFrozen: true })
  })

  test("a stranger can neither mint nor move others' tokens", async () => {
    const stranger = Keypair.generate()
    const asStranger = { ...asset, authority: stranger.publicKey }
    const holder = await holderOf(asset, 5n, "frozen")
    const account = tokenAccountOf(asset.mint, holder.publicKey)
    const mint = createMintToInstruction(asset.mint, account, stranger.publicKey, 1n, [], token)
    // Even if the account is open.
    const thawed = thawAsset(asset, holder.publicKey, memoText())
    expect(await send([...thawed, mint], authority, stranger)).toEqual(custom(2, OwnerMismatch))
    expect(await send(minting(asStranger, stranger.publicKey, 1n, "absent"), stranger)).toEqual(
      custom(1, OwnerMismatch),
    )
    const theft = transferOf(asset, holder.publicKey, holder.publicKey, 1n, stranger.publicKey)
    expect(await send([...thawed, theft], authority, stranger)).toEqual(custom(2, OwnerMismatch))
  })

  test("an account or lamports that a stranger put in place beforehand do no harm", async () => {
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

  test("an empty account that its holder closed is created again", async () => {
    const [holder, other] = [await holderOf(asset, 5n, "frozen"), wallet()]
    const { publicKey } = holder
    const exit = { from: publicKey, to: other, amount: 5n }
    expect(await ours(moving(asset, { ...exit, before: { from: "frozen", to: "absent" } }))).toBeNull()
    const account = tokenAccountOf(asset.mint, publicKey)
    expect(await send([createCloseAccountInstruction(account, publicKey, publicKey, [], token)], holder)).toBeNull()
    const back = { from: other, to: publicKey, amount: 5n }
    expect(await ours(moving(asset, { ...back, before: { from: "frozen", to: "absent" } }))).toBeNull()
    expect(await holding(asset, publicKey)).toEqual({ amount: 5n, isFrozen: true })
  })
})

describe("one transaction holds", () => {
  let asset: Asset
  beforeAll(async () => {
    asset = await createdAsset("agent")
  })

  /** As many as fit, all at once. */
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

  test("at least 4 first mints, 6 repeated ones, and 3 moves between different wallets", async () => {
    const first = packed(() => minting(asset, wallet(), 1n, "absent"))
    const repeated = packed(() => minting(asset, wallet(), 1n, "frozen"))
    expect(first.length).toBeGreaterThanOrEqual(4)
    expect(repeated.length).toBeGreaterThanOrEqual(6)
    expect(packed(moveOnce("frozen")).length).toBeGreaterThanOrEqual(3)
    expect(packed(moveOnce("absent")).length).toBeGreaterThanOrEqual(3)
    expect(await ours(first.flat())).toBeNull()
  })
})
