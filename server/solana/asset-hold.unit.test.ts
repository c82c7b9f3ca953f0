import * as spl from "@solana/spl-token"
import type { Keypair, PublicKey, TransactionInstruction } from "@solana/web3.js"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { transfer } from "#localnet/testing"
import { newId } from "#server/lib/ids.ts"
import {
  connection,
  createdAsset,
  custom,
  feePayer,
  hasPermissionedBurn,
  holderOf,
  holding,
  InsufficientFunds,
  MintPaused,
  ours,
  rentOf,
  requireMemo,
  send,
  token,
  transferOf,
  wallet,
  withLocalnet,
} from "#test/fixtures/asset.ts"
import { holdAttempts } from "#test/fixtures/hold-attempts.ts"
import { tokenAccountOf } from "./addresses.ts"
import {
  type AccountState,
  type Asset,
  burnAsset,
  moveAsset,
  pauseAsset,
  type RestingState,
  resumeAsset,
} from "./asset.ts"
import { holdAsset, holdPlace, moveHeldAsset, releaseAsset } from "./asset-hold.ts"
import { operationMemo } from "./memo.ts"
import { computeBudget, TransactionSize } from "./transaction.ts"

withLocalnet()

const mark = (kind: "hold" | "release" | "recover") => operationMemo(newId("op"), `${kind}:${newId("hold")}`)

const placeOf = (asset: Asset, owner: PublicKey) => holdPlace(asset.authority, asset.mint, owner)

/** `first`: the hold account does not exist yet. */
const holdingBack = (
  asset: Asset,
  owner: PublicKey,
  amount: bigint,
  { state = "thawed", first = false }: { state?: RestingState; first?: boolean } = {},
) => {
  const place = placeOf(asset, owner)
  return holdAsset(asset, {
    ...{ wallet: owner, hold: place.account, amount, before: state, after: state, memoText: mark("hold") },
    create: first ? { place, isPausable: pausable.has(asset), rentOf } : null,
  })
}

const releasing = (
  asset: Asset,
  owner: PublicKey,
  amount: bigint,
  { before = "thawed", after = "thawed" }: { before?: AccountState; after?: RestingState } = {},
) => {
  const hold = placeOf(asset, owner).account
  return releaseAsset(asset, { wallet: owner, hold, amount, before, after, memoText: mark("release") })
}

/** `first`: the hold account of `to` does not exist yet. */
const movingHold = (asset: Asset, from: PublicKey, to: PublicKey, amount: bigint, { first = false } = {}) => {
  const [source, place] = [placeOf(asset, from).account, placeOf(asset, to)]
  return moveHeldAsset(asset, {
    ...{ from: source, to: place.account, amount, memoText: mark("recover") },
    create: first ? { wallet: to, place, isPausable: pausable.has(asset), rentOf } : null,
  })
}

async function held(asset: Asset, owner: PublicKey) {
  const account = await spl.getAccount(connection, placeOf(asset, owner).account, "confirmed", token)
  expect([account.owner, account.mint]).toEqual([owner, asset.mint])
  return { amount: account.amount, isFrozen: account.isFrozen }
}

const isPermissioned = (asset: Asset) => permissioned.has(asset)
const burning = (
  asset: Asset,
  owner: PublicKey,
  amount: bigint,
  fromHold: bigint,
  { state, isPaused = false }: { state: RestingState; isPaused?: boolean },
) =>
  burnAsset(asset, {
    isPaused,
    ...{ wallet: owner, amount, before: state, after: state, isPermissioned: isPermissioned(asset) },
    memoText: operationMemo(newId("op"), "forced"),
    held: [{ account: placeOf(asset, owner).account, amount: fromHold }],
  })

/** What mints are like, by name. */
const pausable = new Set<Asset>()
const permissioned = new Set<Asset>()
const mints = {
  "a mint in holder mode": () => createdAsset("holder"),
  "a mint in agent mode": () => createdAsset("agent"),
  "a mint of version 0.1.0 in holder mode": () => createdAsset("holder", ["pausable"]),
  "a mint of version 0.1.0 in agent mode, without extensions": () => createdAsset("agent", []),
}

describe.each(Object.entries(mints))("of %s", (name, create) => {
  let asset: Asset
  beforeAll(async () => {
    asset = await create()
    if (!name.includes("without")) pausable.add(asset)
    if (name === "a mint in holder mode" && hasPermissionedBurn) permissioned.add(asset)
  })

  test.each(["thawed", "frozen"] as const)("an amount of a wallet that is %s is held, and released", async (state) => {
    const { publicKey: owner } = await holderOf(asset, 10n, state)
    expect(await ours(holdingBack(asset, owner, 4n, { state, first: true }))).toBeNull()
    expect(await holding(asset, owner)).toEqual({ amount: 6n, isFrozen: state === "frozen" })
    expect(await held(asset, owner)).toEqual({ amount: 4n, isFrozen: true })
    expect(await ours(holdingBack(asset, owner, 1n, { state }))).toBeNull()
    expect(await held(asset, owner)).toEqual({ amount: 5n, isFrozen: true })
    expect(await ours(releasing(asset, owner, 3n, { before: state, after: state }))).toBeNull()
    expect(await held(asset, owner)).toEqual({ amount: 2n, isFrozen: true })
    expect(await holding(asset, owner)).toEqual({ amount: 8n, isFrozen: state === "frozen" })
  })

  test("a burn takes from a hold, alone or with what is free", async () => {
    const { publicKey: owner } = await holderOf(asset, 10n, "frozen")
    expect(await ours(holdingBack(asset, owner, 4n, { state: "frozen", first: true }))).toBeNull()
    expect(await ours(burning(asset, owner, 1n, 1n, { state: "frozen" }))).toBeNull()
    expect([await holding(asset, owner), await held(asset, owner)]).toMatchObject([{ amount: 6n }, { amount: 3n }])
    expect(await ours(burning(asset, owner, 8n, 3n, { state: "frozen" }))).toBeNull()
    expect([await holding(asset, owner), await held(asset, owner)]).toEqual([
      { amount: 1n, isFrozen: true },
      { amount: 0n, isFrozen: true },
    ])
  })

  test("a burn and a forced transfer pass a pause, which stays", async () => {
    if (name.includes("without")) return
    const [{ publicKey: owner }, to] = [await holderOf(asset, 10n, "frozen"), wallet()]
    expect(await ours(holdingBack(asset, owner, 4n, { state: "frozen", first: true }))).toBeNull()
    const isPaused = async () =>
      spl.getPausableConfig(await spl.getMint(connection, asset.mint, "confirmed", token))!.paused
    expect(await ours(pauseAsset(asset, mark("hold")))).toBeNull()
    expect(await ours(burning(asset, owner, 2n, 1n, { state: "frozen" }))).toEqual(
      expect.objectContaining({ error: { custom: MintPaused, name: "Custom" } }),
    )
    expect(await ours(burning(asset, owner, 2n, 1n, { state: "frozen", isPaused: true }))).toBeNull()
    expect(await isPaused()).toBe(true)
    const move = moveAsset(asset, {
      ...{ from: owner, to, amount: 2n, memoText: operationMemo(newId("op"), "forced"), isPaused: true },
      ...{ before: { from: "frozen", to: "absent" }, after: { from: "frozen", to: "frozen" } },
      held: [{ account: placeOf(asset, owner).account, amount: 1n }],
    })
    expect(await ours(move)).toBeNull()
    expect(await isPaused()).toBe(true)
    expect([await holding(asset, owner), await held(asset, owner)]).toMatchObject([{ amount: 4n }, { amount: 2n }])
    expect(await ours(resumeAsset(asset, mark("hold")))).toBeNull()
  })

  test("a forced transfer takes from a hold, alone or with what is free", async () => {
    const [{ publicKey: owner }, to] = [await holderOf(asset, 10n, "thawed"), wallet()]
    expect(await ours(holdingBack(asset, owner, 4n, { first: true }))).toBeNull()
    const take = (amount: bigint, fromHold: bigint, before: AccountState) =>
      moveAsset(asset, {
        isPaused: false,
        ...{ from: owner, to, amount, memoText: operationMemo(newId("op"), "forced") },
        ...{ before: { from: "thawed", to: before }, after: { from: "thawed", to: "frozen" } },
        held: [{ account: placeOf(asset, owner).account, amount: fromHold }],
      })
    expect(await ours(take(1n, 1n, "absent"))).toBeNull()
    expect([await holding(asset, owner), await held(asset, owner)]).toMatchObject([{ amount: 6n }, { amount: 3n }])
    expect(await ours(take(8n, 3n, "frozen"))).toBeNull()
    expect(await holding(asset, owner)).toEqual({ amount: 1n, isFrozen: false })
    expect(await held(asset, owner)).toEqual({ amount: 0n, isFrozen: true })
    expect(await holding(asset, to)).toEqual({ amount: 9n, isFrozen: true })
  })

  test("a held amount moves into another wallet's hold account, and both stay frozen", async () => {
    const [{ publicKey: lost }, { publicKey: to }] = [
      await holderOf(asset, 10n, "thawed"),
      await holderOf(asset, 10n, "frozen"),
    ]
    expect(await ours(holdingBack(asset, lost, 7n, { first: true }))).toBeNull()
    expect(await ours(movingHold(asset, lost, to, 4n, { first: true }))).toBeNull()
    expect([await held(asset, lost), await held(asset, to)]).toEqual([
      { amount: 3n, isFrozen: true },
      { amount: 4n, isFrozen: true },
    ])
    expect(await ours(movingHold(asset, lost, to, 3n))).toBeNull()
    expect([await held(asset, lost), await held(asset, to)]).toEqual([
      { amount: 0n, isFrozen: true },
      { amount: 7n, isFrozen: true },
    ])
    // Neither main account has changed.
    expect(await holding(asset, lost)).toEqual({ amount: 3n, isFrozen: false })
    expect(await holding(asset, to)).toEqual({ amount: 10n, isFrozen: true })
    expect(await ours(movingHold(asset, lost, to, 1n))).toEqual(custom(3, InsufficientFunds))
    expect(await ours(releasing(asset, to, 7n, { before: "frozen", after: "frozen" }))).toBeNull()
    expect(await holding(asset, to)).toMatchObject({ amount: 17n })
  })

  test("lamports at the new account, and wallets that require memos, do not stop a held amount from moving", async () => {
    const [holder, other] = [await holderOf(asset, 10n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const [lost, to] = [holder.publicKey, other.publicKey]
    expect(await ours(holdingBack(asset, lost, 4n, { first: true }))).toBeNull()
    expect(await send([transfer(feePayer.publicKey, placeOf(asset, to).account, rentOf(0))])).toBeNull()
    expect(await ours(movingHold(asset, lost, to, 1n, { first: true }))).toBeNull()
    for (const one of [holder, other])
      expect(await send(requireMemo(asset, one.publicKey, placeOf(asset, one.publicKey).account), one)).toBeNull()
    expect(await ours(movingHold(asset, lost, to, 3n))).toBeNull()
    expect(await held(asset, to)).toEqual({ amount: 4n, isFrozen: true })
  })

  test("a paused mint moves no held amount to another wallet", async () => {
    if (name.includes("without")) return
    const [{ publicKey: lost }, to] = [await holderOf(asset, 10n, "frozen"), wallet()]
    expect(await ours(holdingBack(asset, lost, 4n, { state: "frozen", first: true }))).toBeNull()
    expect(await ours(pauseAsset(asset, mark("hold")))).toBeNull()
    expect(await ours(movingHold(asset, lost, to, 4n, { first: true }))).toEqual(
      expect.objectContaining({ error: { custom: MintPaused, name: "Custom" } }),
    )
    expect(await held(asset, lost)).toEqual({ amount: 4n, isFrozen: true })
    expect(await ours(resumeAsset(asset, mark("hold")))).toBeNull()
  })

  test("lamports that a stranger sent to its address beforehand do no harm", async () => {
    const { publicKey: owner } = await holderOf(asset, 10n, "thawed")
    expect(await send([transfer(feePayer.publicKey, placeOf(asset, owner).account, rentOf(0))])).toBeNull()
    expect(await ours(holdingBack(asset, owner, 4n, { first: true }))).toBeNull()
    expect(await held(asset, owner)).toEqual({ amount: 4n, isFrozen: true })
  })

  test("an empty hold account that its owner closed is created again", async () => {
    const holder = await holderOf(asset, 10n, "thawed")
    const owner = holder.publicKey
    expect(await ours(holdingBack(asset, owner, 4n, { first: true }))).toBeNull()
    expect(await ours(releasing(asset, owner, 4n))).toBeNull()
    const close = spl.createCloseAccountInstruction(placeOf(asset, owner).account, owner, owner, [], token)
    expect(await send([close], holder)).toBeNull()
    expect(await ours(holdingBack(asset, owner, 10n, { first: true }))).toBeNull()
    expect(await held(asset, owner)).toEqual({ amount: 10n, isFrozen: true })

    // The main account is empty now. Its owner may close that one too.
    const closeMain = spl.createCloseAccountInstruction(tokenAccountOf(asset.mint, owner), owner, owner, [], token)
    expect(await send([closeMain], holder)).toBeNull()
    expect(await ours(releasing(asset, owner, 10n, { before: "absent" }))).toBeNull()
    expect(await holding(asset, owner)).toEqual({ amount: 10n, isFrozen: false })
  })

  test("a wallet that requires memos on both accounts is no obstacle", async () => {
    const holder = await holderOf(asset, 10n, "thawed")
    const owner = holder.publicKey
    expect(await ours(holdingBack(asset, owner, 4n, { first: true }))).toBeNull()
    const { account } = placeOf(asset, owner)
    for (const one of [tokenAccountOf(asset.mint, owner), account])
      expect(await send(requireMemo(asset, owner, one), holder)).toBeNull()
    expect(await ours(holdingBack(asset, owner, 2n))).toBeNull()
    expect(await ours(releasing(asset, owner, 5n))).toBeNull()
    expect(await ours(burning(asset, owner, 2n, 1n, { state: "thawed" }))).toBeNull()
    expect([await holding(asset, owner), await held(asset, owner)]).toMatchObject([{ amount: 8n }, { amount: 0n }])
  })

  test("nothing moves if the holder emptied the wallet while the hold was on its way", async () => {
    const [holder, other] = [await holderOf(asset, 10n, "thawed"), await holderOf(asset, 1n, "thawed")]
    const owner = holder.publicKey
    expect(await send([transferOf(asset, owner, other.publicKey, 7n, owner)], holder)).toBeNull()
    const instructions = holdingBack(asset, owner, 4n, { first: true })
    const at = instructions.findIndex((one) => spl.TokenInstruction[one.data[0]!] === "TransferChecked")
    expect(await ours(instructions)).toEqual(custom(at, InsufficientFunds))
    expect(await holding(asset, owner)).toEqual({ amount: 3n, isFrozen: false })
    expect(await connection.getAccountInfo(placeOf(asset, owner).account, "confirmed")).toBeNull()
  })
})

test("its address names the mint and the wallet, so no two wallets or tokens share one", () => {
  const [base, mint, other, owner] = [wallet(), wallet(), wallet(), wallet()]
  const places = [holdPlace(base, mint, owner), holdPlace(base, other, owner), holdPlace(base, mint, other)]
  expect(new Set(places.map(({ account }) => account.toBase58())).size).toBe(3)
  for (const { seed } of places) expect(Buffer.byteLength(seed)).toBe(32)
  expect(holdPlace(base, mint, owner)).toEqual(places[0])
})

test("every transaction with a hold fits, with the longest memos", async () => {
  const asset = { ...(await createdAsset("holder")), mint: wallet() }
  const [owner, to] = [wallet(), wallet()]
  const place = placeOf(asset, owner)
  const frozen = { before: "frozen", after: "frozen" } as const
  const largest: Record<string, TransactionInstruction[]> = {
    hold: holdAsset(asset, {
      ...{ wallet: owner, hold: place.account, amount: 1n, ...frozen, memoText: mark("hold") },
      create: { place, isPausable: true, rentOf },
    }),
    release: releasing(asset, owner, 1n, { before: "absent", after: "frozen" }),
    "hold of a lost wallet": moveHeldAsset(asset, {
      ...{ from: place.account, to: placeOf(asset, to).account, amount: 1n, memoText: mark("recover") },
      create: { wallet: to, place: placeOf(asset, to), isPausable: true, rentOf },
    }),
    burn: burning(asset, owner, 2n, 1n, { state: "frozen", isPaused: true }),
    "forced transfer": moveAsset(asset, {
      ...{ from: owner, to, amount: 2n, memoText: operationMemo(newId("op"), "forced") },
      ...{ before: { from: "frozen", to: "absent" }, after: { from: "frozen", to: "frozen" } },
      held: [{ account: place.account, amount: 1n }],
      isPaused: true,
    }),
  }
  const budget = computeBudget({ units: 1, price: 1, marker: wallet() })
  for (const [name, instructions] of Object.entries(largest)) {
    const size = new TransactionSize(feePayer.publicKey).with(budget).with(instructions)
    expect.soft(size.fits, `${name}: ${size.bytes} bytes`).toBe(true)
  }
})

const signs = (instructions: TransactionInstruction[]) => (one: Keypair) =>
  instructions.some(({ keys }) => keys.some(({ pubkey, isSigner }) => isSigner && pubkey.equals(one.publicKey)))

test("neither wallet gets anything out of a hold while it moves between them, in 200 attempts each", async () => {
  const asset = await createdAsset("holder")
  pausable.add(asset)
  const [lost, next] = [await holderOf(asset, 500n, "thawed"), await holderOf(asset, 10n, "thawed")]
  const places = [lost, next].map(({ publicKey }) => placeOf(asset, publicKey).account)
  expect(await ours(holdingBack(asset, lost.publicKey, 50n, { first: true }))).toBeNull()
  expect(await ours(movingHold(asset, lost.publicKey, next.publicKey, 1n, { first: true }))).toBeNull()
  const succeeded: string[] = []
  const tries = [lost, next].map(async (holder) => {
    const other = holder === lost ? next : lost
    const { attempt } = holdAttempts(asset, { owner: holder.publicKey, friend: other.publicKey })
    const attempts = fc.sample(attempt, 200)
    for (let i = 0; i < attempts.length; i += 25) {
      const sent = attempts.slice(i, i + 25).map(async ({ name, instructions }) => {
        if ((await send(instructions, ...[holder, other].filter(signs(instructions)))) === null) succeeded.push(name)
      })
      await Promise.all(sent)
    }
  })
  let moved = 1n
  const moves = (async () => {
    for (; moved < 20n; moved++) expect(await ours(movingHold(asset, lost.publicKey, next.publicKey, 1n))).toBeNull()
  })()
  await Promise.all([...tries, moves])
  expect(succeeded).toEqual([])
  expect([await held(asset, lost.publicKey), await held(asset, next.publicKey)]).toEqual([
    { amount: 50n - moved, isFrozen: true },
    { amount: moved, isFrozen: true },
  ])
  for (const account of places) {
    const { delegate, closeAuthority } = await spl.getAccount(connection, account, "confirmed", token)
    expect([delegate, closeAuthority]).toEqual([null, null])
  }
})

test("a holder cannot get anything out of a hold in 1,000 attempts", async () => {
  const asset = await createdAsset("holder")
  pausable.add(asset)
  const [holder, friend] = [await holderOf(asset, 10n, "thawed"), await holderOf(asset, 10n, "thawed")]
  const owner = holder.publicKey
  // From before the hold was made.
  const main = tokenAccountOf(asset.mint, owner)
  const approve = spl.createApproveInstruction(main, friend.publicKey, owner, 10n, [], token)
  expect(await send([approve], holder)).toBeNull()
  expect(await ours(holdingBack(asset, owner, 5n, { first: true }))).toBeNull()
  const hold = placeOf(asset, owner).account
  const before = await connection.getAccountInfo(hold, "confirmed")

  const { attempt, kinds } = holdAttempts(asset, { owner, friend: friend.publicKey })
  const attempts = fc.sample(attempt, 1000)
  expect(new Set(attempts.map(({ name }) => name))).toEqual(new Set(kinds))
  const succeeded: string[] = []
  for (let i = 0; i < attempts.length; i += 50) {
    const sent = attempts.slice(i, i + 50).map(async ({ name, instructions }) => {
      const signers = [holder, friend].filter(signs(instructions))
      if ((await send(instructions, ...signers)) === null) succeeded.push(name)
    })
    await Promise.all(sent)
  }
  expect(succeeded).toEqual([])
  expect(await connection.getAccountInfo(hold, "confirmed")).toEqual(before)
  expect(await held(asset, owner)).toEqual({ amount: 5n, isFrozen: true })
})
