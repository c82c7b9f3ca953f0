import {
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  TOKEN_2022_PROGRAM_ID as TOKEN,
  unpackAccount,
} from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { readAuthority, setAuthority } from "#server/domain/signers/authority.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import { sweep } from "#server/start/housekeeping.ts"
import type { Address } from "#shared/address.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { answerOf, read, release } from "#test/fixtures/holds.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { enqueueMoveHold } from "./move.ts"

// A lost wallet's holds move to another wallet of its investor, in holder mode.

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const later = { headers: { prefer: "respond-async" } }
const investors = investorFixture(() => ({ app, key }))
const mintOf = (config: string) => assetMintOf(key.workspaceId, config)

type Party = { pair: Keypair; wallet: Address }

async function party(externalId: string): Promise<Party> {
  const pair = Keypair.generate()
  await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  const wallet = addressOf(pair.publicKey)
  await investors.verify(wallet, externalId)
  return { pair, wallet }
}

/** A token in holder mode, and an investor's two wallets. The first one has 10 tokens. */
async function fund(more: object = {}) {
  const config = await tokens.config({}, { transfer_mode: "holder", ...more })
  const name = newName("investor")
  const [lost, next] = [await party(name), await party(name)]
  expect((await tokens.mint(config, lost.wallet, "10")).status).toBe(200)
  const held = async (amount: string, fields: object = {}, wallet: Address = lost.wallet): Promise<string> => {
    const body = { user_pubkey: wallet, mint_config: config, amount, ...grounds, ...fields }
    const answer = await tokens.post("/token/holds", body)
    expect(answer.status, answer.text).toBe(200)
    return answer.json.hold_id
  }
  return { config, lost, next, held }
}

const begin = (holdId: string, to: Address) =>
  sql.begin((sql) => enqueueMoveHold(sql, key.workspaceId, { holdId, to, recoveryId: newId("req") }))
async function begun(holdId: string, { wallet }: Party): Promise<string> {
  const id = await begin(holdId, wallet)
  expect(id).not.toBeNull()
  publish("ledger")
  return id!
}
const ended = async (id: string) => {
  const [row] = await waitFor(async () => {
    const rows = await sql<{ status: string; error_code: string | null }[]>`
      select status, error_code from operations where id = ${id} and status in ('confirmed', 'failed')`
    return rows.length > 0 ? rows : null
  }, `${id} to end`)
  return row!.error_code ?? row!.status
}
const moved = async (holdId: string, to: Party) => expect(await ended(await begun(holdId, to))).toBe("confirmed")

async function accountAt(address: PublicKey) {
  const info = await app.connection.getAccountInfo(address, "confirmed")
  if (info === null) return null
  const { amount, isFrozen, owner } = unpackAccount(address, info, TOKEN)
  return { amount, isFrozen, owner: owner.toBase58() }
}
const mainOf = async (config: string, { pair }: Party) =>
  (await accountAt(tokenAccountOf(mintOf(config), pair.publicKey)))?.amount ?? null
async function placeOf(config: string, { pair }: Party): Promise<PublicKey> {
  const { authority } = (await readAuthority(key.workspaceId))!
  return holdPlace(new PublicKey(authority), mintOf(config), pair.publicKey).account
}
/** What is in a wallet's hold account, which must be frozen and the wallet's. */
async function inHolds(config: string, party: Party): Promise<bigint | null> {
  const account = await accountAt(await placeOf(config, party))
  if (account) expect(account).toMatchObject({ isFrozen: true, owner: party.wallet })
  return account?.amount ?? null
}
const balance = async (config: string, { wallet }: Party) => {
  const { amount, available, held } = (await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)).json
  return { amount, available, held }
}
const books = async (config: string, { wallet }: Party) => {
  const [row] = await sql`
    select balance, incoming, outgoing, held, counted from holdings
    where workspace_id = ${key.workspaceId} and mint_config = ${config} and wallet = ${wallet}`
  return { ...row }
}
const empty = { balance: "0", incoming: "0", outgoing: "0", held: "0", counted: false }
const holders = async (config: string) => (await tokens.trace(config)).counters.holders

/** What a wallet's key may try with a hold account: each attempt must fail. */
async function triesAll(config: string, by: Party, hold: PublicKey, to: Party): Promise<void> {
  const [mint, own] = [mintOf(config), by.pair.publicKey]
  const target = tokenAccountOf(mint, to.pair.publicKey)
  const attempts = [
    createTransferCheckedInstruction(hold, mint, target, own, 1n, 0, [], TOKEN),
    createCloseAccountInstruction(hold, own, own, [], TOKEN),
  ]
  for (const attempt of attempts)
    await expect(sendOwn(app.connection, [by.pair], attempt)).rejects.toThrow(/custom program error|Custom/)
}

test("a hold moves whole to a wallet without a hold account, and remains what it was", async () => {
  const { config, lost, next, held } = await fund()
  const id = await held("4", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) })
  const before = await read(id)
  const operationId = await begun(id, next)
  expect(await ended(operationId)).toBe("confirmed")
  expect(await read(id)).toEqual({
    ...before,
    user_pubkey: next.wallet,
    onchain_account: (await placeOf(config, next)).toBase58(),
    operation_id: operationId,
  })
  expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 4n])
  expect([await mainOf(config, lost), await mainOf(config, next)]).toEqual([6n, null])
  expect(await balance(config, lost)).toEqual({ amount: "6", available: "6", held: "0" })
  expect(await balance(config, next)).toEqual({ amount: "4", available: "0", held: "4" })
  expect(await books(config, lost)).toEqual({ ...empty, balance: "6", counted: true })
  expect(await books(config, next)).toEqual({ ...empty, balance: "4", held: "4", counted: true })
  expect(await holders(config)).toBe(2)
  expect(await differences()).toEqual([])

  // Its movement is not one that a client made, so no list has it.
  const { json } = await tokens.get(`/token/operations?mint_config=${config}`)
  expect(json.data.map(({ kind }: { kind: string }) => kind)).toEqual(["hold", "mint"])
  await triesAll(config, next, await placeOf(config, next), lost)
  expect((await release(id)).json.state).toBe("released")
  expect(await mainOf(config, next)).toBe(4n)
})

test("a wallet whose whole balance was held gives its holder slot up", async () => {
  const { config, lost, next, held } = await fund()
  await moved(await held("10"), next)
  expect(await books(config, lost)).toEqual(empty)
  expect(await books(config, next)).toEqual({ ...empty, balance: "10", held: "10", counted: true })
  expect(await holders(config)).toBe(1)
})

test("one of two holds moves into the account of the new wallet's own holds", async () => {
  const { config, lost, next, held } = await fund()
  expect((await tokens.mint(config, next.wallet, "5")).status).toBe(200)
  const [first, second, own] = [await held("4"), await held("3"), await held("2", {}, next.wallet)]
  await moved(first, next)
  const { onchain_account } = await read(own)
  expect(await read(first)).toMatchObject({ user_pubkey: next.wallet, remaining: "4", onchain_account })
  expect(await read(second)).toMatchObject({ user_pubkey: lost.wallet, remaining: "3", state: "active" })
  expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([3n, 6n])
  expect([await mainOf(config, lost), await mainOf(config, next)]).toEqual([3n, 3n])
  expect(await differences()).toEqual([])
  for (const id of [own, first]) expect((await release(id)).json.state).toBe("released")
  expect([await mainOf(config, next), await inHolds(config, next)]).toEqual([9n, 0n])
})

test("holds that are queued together move one after the other into one account", async () => {
  const { config, lost, next, held } = await fund()
  const ids = [await held("1"), await held("2"), await held("3")]
  const operations = await whileLedgerPaused(async () => {
    const queued: string[] = []
    for (const id of ids) queued.push(await begun(id, next))
    return queued
  })
  expect(await Promise.all(operations.map(ended))).toEqual(Array(3).fill("confirmed"))
  const accounts = (await Promise.all(ids.map(read))).map((one) => one.onchain_account)
  expect(new Set(accounts)).toEqual(new Set([(await placeOf(config, next)).toBase58()]))
  expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 6n])
})

test("an empty hold account that the lost wallet's key closes afterwards changes nothing", async () => {
  const { config, lost, next, held } = await fund()
  const id = await held("4")
  await moved(id, next)
  const own = lost.pair.publicKey
  await sendOwn(
    app.connection,
    [lost.pair],
    createCloseAccountInstruction(await placeOf(config, lost), own, own, [], TOKEN),
  )
  expect(await inHolds(config, lost)).toBeNull()
  expect(await differences()).toEqual([])
  // It can also move back.
  await moved(id, lost)
  expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([4n, 0n])
})

describe("until it has moved", () => {
  test("nothing else takes from the hold or ends it, and the audit finds no difference", async () => {
    const { config, lost, next, held } = await fund()
    const [id, other] = [await held("4"), await held("3")]
    const operationId = await whileLedgerPaused(async () => {
      const operationId = await begun(id, next)
      const burn = { user_pubkey: lost.wallet, mint_config: config, amount: "1", ...grounds, holder_consent: true }
      expect(answerOf(await tokens.post("/token/burn", { ...burn, holds: [id] }))).toBe("hold_ended")
      expect(answerOf(await release(id))).toBe("hold_ended")
      const execution = { to_pubkey: next.wallet, document_sha256 }
      expect(answerOf(await tokens.post(`/token/hold/${id}/execute`, execution))).toBe("hold_ended")
      expect(await begin(id, next.wallet)).toBeNull()
      expect(await read(id)).toMatchObject({ user_pubkey: lost.wallet, state: "active", operation_id: operationId })
      expect(await balance(config, lost)).toEqual({ amount: "10", available: "3", held: "7" })
      expect(await differences()).toEqual([])
      await triesAll(config, lost, await placeOf(config, lost), lost)
      // An act on another hold of the wallet waits its turn.
      expect((await tokens.post(`/token/hold/${other}/release`, {}, later)).status).toBe(202)
      return operationId
    })
    expect(await ended(operationId)).toBe("confirmed")
    await waitFor(async () => (await read(other)).state === "released", "the other hold's release")
    expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 4n])
    expect(await mainOf(config, lost)).toBe(6n)
  })

  test("its time may come: then it is moved back within the new wallet", async () => {
    const { config, lost, next, held } = await fund()
    const id = await held("4", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) })
    const operationId = await whileLedgerPaused(async () => {
      const operationId = await begun(id, next)
      await advanceClock({ seconds: 7200 })
      await sweep()
      expect(await read(id)).toMatchObject({ state: "expired", user_pubkey: lost.wallet })
      return operationId
    })
    expect(await ended(operationId)).toBe("confirmed")
    expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 4n])
    await sweep()
    await expect.poll(() => mainOf(config, next)).toBe(4n)
    expect(await read(id)).toMatchObject({ state: "expired", user_pubkey: next.wallet, remaining: "0" })
  })

  test("pausing the token fails it and leaves the hold as it was", async () => {
    const { config, lost, next, held } = await fund()
    const id = await held("4")
    const before = await books(config, lost)
    const operationId = await whileLedgerPaused(async () => {
      const operationId = await begun(id, next)
      await tokens.post(`/mint-config/${config}/pause`, {})
      return operationId
    })
    expect(await ended(operationId)).toBe("mint_paused")
    expect(await begin(id, next.wallet)).toBeNull()
    expect(await read(id)).toMatchObject({ user_pubkey: lost.wallet, state: "active", remaining: "4" })
    expect(await books(config, lost)).toEqual(before)
    expect(await differences()).toEqual([])
    await tokens.post(`/mint-config/${config}/unpause`, {})
    await moved(id, next)
    expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 4n])
  })

  test("the new wallet may pass to another person: then it fails, and the hold stays where it is", async () => {
    const { config, lost, next, held } = await fund()
    const id = await held("4")
    const before = await books(config, lost)
    const operationId = await whileLedgerPaused(async () => {
      const operationId = await begun(id, next)
      const session = await investors.start(next.wallet, newName("other"))
      await sql`
        update attestations set wallet_proved_at = ${addSeconds(clock.now(), 60)} where session_id = ${session}`
      return operationId
    })
    expect(await ended(operationId)).toBe("recovery_not_possible")
    expect(await read(id)).toMatchObject({ user_pubkey: lost.wallet, state: "active", remaining: "4" })
    expect(await books(config, lost)).toEqual(before)
    expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([4n, null])
  })

  test("changing the mode fails it, and the hold is carried where the wallet's books hold it", async () => {
    const { config, lost, next, held } = await fund()
    const id = await held("4")
    const operationId = await whileLedgerPaused(async () => {
      const operationId = await begun(id, next)
      await changeMode({ tokens, key }, config, "agent")
      expect(await begin(id, next.wallet)).toBeNull()
      return operationId
    })
    expect(await ended(operationId)).toBe("mint_paused")
    await modeSettled({ key }, config)
    expect(await read(id)).toMatchObject({ user_pubkey: lost.wallet, remaining: "4", onchain_account: null })
    expect(await mainOf(config, lost)).toBe(10n)
    expect(await books(config, lost)).toEqual({ ...empty, balance: "10", held: "4", counted: true })
    // In agent mode, no operation on chain can move it.
    expect(await begin(id, next.wallet)).toBeNull()
  })

  test("a change of mode that comes once it is signed waits, and carries it within the new wallet", async () => {
    const { config, lost, next, held } = await fund()
    const id = await held("4")
    await app.chain.hold(true)
    const operationId = await begun(id, next)
    const isSigned = async () =>
      (await sql`select from operations where id = ${operationId} and status = 'submitted'`).length > 0
    await waitFor(isSigned, "it to be signed")
    await changeMode({ tokens, key }, config, "agent")
    expect(await isSigned()).toBe(true)
    await app.chain.hold(false)
    expect(await ended(operationId)).toBe("confirmed")
    await modeSettled({ key }, config)
    expect(await read(id)).toMatchObject({ user_pubkey: next.wallet, remaining: "4", onchain_account: null })
    expect([await mainOf(config, lost), await mainOf(config, next)]).toEqual([6n, 4n])
    expect(await books(config, next)).toEqual({ ...empty, balance: "4", held: "4", counted: true })
  })
})

test("a hold that another operation takes from, that has ended or that is the wallet's already does not move", async () => {
  const { config, lost, next, held } = await fund()
  const [id, gone, expiring] = [
    await held("4"),
    await held("1"),
    await held("1", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) }),
  ]
  expect(await begin(id, lost.wallet)).toBeNull()
  await release(gone)
  expect(await begin(gone, next.wallet)).toBeNull()
  await expect(begin(newId("hold"), next.wallet)).rejects.toMatchObject({ code: "hold_not_found" })
  await whileLedgerPaused(async () => {
    const burn = { user_pubkey: lost.wallet, mint_config: config, amount: "1", ...grounds, holder_consent: true }
    expect((await tokens.post("/token/burn", { ...burn, holds: [id] }, later)).status).toBe(202)
    const body = { user_pubkey: lost.wallet, mint_config: config, amount: "1", ...grounds }
    const { json } = await tokens.post("/token/holds", body, later)
    for (const one of [id, json.hold_id]) expect(await begin(one, next.wallet)).toBeNull()
  })
  await waitFor(
    async () =>
      (await sql`select from operations where mint_config = ${config} and status in ('queued', 'submitted')`).length ===
      0,
    "both to end",
  )
  await advanceClock({ seconds: 7200 })
  expect(await begin(expiring, next.wallet)).toBeNull()
  // What is left of a hold moves.
  await moved(id, next)
  expect(await read(id)).toMatchObject({ user_pubkey: next.wallet, amount: "4", remaining: "3" })
})

test("the new account has the mint's key of the time, and the old one stays where it is", async () => {
  const { config, lost, next, held } = await fund()
  const [first, second] = [await held("4"), await held("3")]
  const before = await placeOf(config, lost)
  const operationId = await whileLedgerPaused(async () => {
    await setAuthority(key.workspaceId, "derived:2", theOperator)
    return begun(first, next)
  })
  expect(await ended(operationId)).toBe("confirmed")
  const { onchain_account } = await read(first)
  expect(onchain_account).toBe((await placeOf(config, next)).toBase58())
  expect((await read(second)).onchain_account).toBe(before.toBase58())
  await moved(second, next)
  expect((await read(second)).onchain_account).toBe(onchain_account)
  expect([(await accountAt(before))!.amount, await inHolds(config, next)]).toEqual([0n, 7n])
})

test.each([
  ["without extensions", [] as const],
  ["with a pause only", ["pausable"] as const],
])("a hold of a token that version 0.1.0 created, %s, moves", async (_name, extensions) => {
  const config = await tokens.olderConfig(extensions, { transfer_mode: "holder" })
  const name = newName("investor")
  const [lost, next] = [await party(name), await party(name)]
  expect((await tokens.mint(config, lost.wallet, "10")).status).toBe(200)
  const body = { user_pubkey: lost.wallet, mint_config: config, amount: "4", ...grounds }
  await moved((await tokens.post("/token/holds", body)).json.hold_id, next)
  expect([await inHolds(config, lost), await inHolds(config, next)]).toEqual([0n, 4n])
})
