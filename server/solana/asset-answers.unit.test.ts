import { beforeAll, describe, expect, test } from "vitest"
import { fundedWallet, transfer } from "#localnet/testing"
import { newMintPlace } from "#test/doubles/keys.ts"
import {
  AccountFrozen,
  authority,
  connection,
  createdAsset,
  creation,
  custom,
  feePayer,
  holderOf,
  InsufficientFunds,
  InvalidState,
  MintPaused,
  memoText,
  minting,
  moving,
  named,
  Overflow,
  ours,
  rentOf,
  send,
  wallet,
  withLocalnet,
} from "#test/fixtures/asset.ts"
import { type Asset, freezeAsset, pauseAsset, resumeAsset, thawAsset } from "./asset.ts"
import { SystemError } from "./program-error.ts"

withLocalnet()

describe("the chain's error", () => {
  let agent: Asset
  let holder: Asset
  beforeAll(async () => {
    agent = await createdAsset("agent")
    holder = await createdAsset("holder")
  })

  test("for thawing an account that is not frozen", async () => {
    const { publicKey } = await holderOf(holder, 1n, "thawed")
    expect(await ours(thawAsset(holder, publicKey, memoText()))).toEqual(custom(1, InvalidState))
    expect(await ours(minting(holder, publicKey, 1n, "frozen"))).toEqual(custom(0, InvalidState))
    expect(await ours(minting(holder, publicKey, 1n, "absent"))).toEqual(custom(1, InvalidState))
  })

  test("for freezing an account that is already frozen", async () => {
    const { publicKey } = await holderOf(holder, 1n, "frozen")
    expect(await ours(freezeAsset(holder, publicKey, memoText()))).toEqual(custom(1, InvalidState))
  })

  test("for freezing, thawing or minting without an account", async () => {
    const unknown = wallet()
    expect(await ours(freezeAsset(holder, unknown, memoText()))).toEqual(named(1, "IncorrectProgramId"))
    expect(await ours(thawAsset(holder, unknown, memoText()))).toEqual(named(1, "IncorrectProgramId"))
    expect(await ours(minting(holder, unknown, 1n, "frozen"))).toEqual(named(0, "IncorrectProgramId"))
    expect(await ours(minting(holder, unknown, 1n, "thawed"))).toEqual(named(1, "IncorrectProgramId"))
  })

  test("for minting to a frozen account", async () => {
    const { publicKey } = await holderOf(holder, 1n, "frozen")
    expect(await ours(minting(holder, publicKey, 1n, "thawed"))).toEqual(custom(1, AccountFrozen))
  })

  test("for moving more than the balance", async () => {
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

  test("for moving from or to an account that is missing or frozen", async () => {
    const [full, unknown, stranger] = [(await holderOf(agent, 1n, "frozen")).publicKey, wallet(), wallet()]
    const out = { from: unknown, to: stranger, amount: 1n }
    for (const from of ["absent", "frozen"] as const)
      expect(await ours(moving(agent, { ...out, before: { from, to: "absent" } }))).toEqual(
        named(1, "IncorrectProgramId"),
      )
    expect(await ours(moving(agent, { ...out, before: { from: "thawed", to: "absent" } }))).toEqual(
      named(3, "IncorrectProgramId"),
    )
    const into = { from: full, to: unknown, amount: 1n }
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

  test("for pausing twice, resuming without a pause, and pausing a mint that cannot be paused", async () => {
    expect(await ours(pauseAsset(holder, memoText()))).toBeNull()
    expect(await ours(pauseAsset(holder, memoText()))).toBeNull()
    expect(await ours(minting(holder, wallet(), 1n, "absent"))).toEqual(custom(3, MintPaused))
    expect(await ours(resumeAsset(holder, memoText()))).toBeNull()
    expect(await ours(resumeAsset(holder, memoText()))).toBeNull()
    const older = await createdAsset("agent", [])
    expect(await ours(pauseAsset(older, memoText()))).toEqual(named(1, "InvalidAccountData"))
  })

  test("for minting beyond 64 bits", async () => {
    const { publicKey } = await holderOf(agent, 1n, "frozen")
    expect(await ours(minting(agent, publicKey, 2n ** 64n - 1n, "frozen"))).toEqual(custom(2, Overflow))
  })

  test("for creating a mint that exists; lamports at its address do no harm", async () => {
    const [made, touched] = [newMintPlace(), newMintPlace()]
    const create = () => send(creation(made.place), authority, made.base)
    expect(await create()).toBeNull()
    expect(await create()).toEqual(custom(2, SystemError.AccountAlreadyInUse))
    expect(await send([transfer(feePayer.publicKey, touched.place.mint, rentOf(0))])).toBeNull()
    expect(await send(creation(touched.place), authority, touched.base)).toBeNull()
  })

  test("for a fee payer that cannot pay the rent", async () => {
    const lowFunds = await fundedWallet(connection, 0.001)
    const asset = { ...agent, feePayer: lowFunds.publicKey }
    expect(await send(minting(asset, wallet(), 1n, "absent"), authority, lowFunds)).toEqual(
      custom(0, SystemError.ResultWithNegativeLamports),
    )
    const { base, place } = newMintPlace()
    expect(await send(creation(place, undefined, lowFunds.publicKey), authority, base, lowFunds)).toEqual(
      custom(1, SystemError.ResultWithNegativeLamports),
    )
  })
})
