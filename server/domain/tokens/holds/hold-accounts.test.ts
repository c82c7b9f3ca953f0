import { PublicKey } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { readAuthority, setAuthority } from "#server/domain/signers/authority.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { answerOf, fund, read } from "#test/fixtures/holds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const holder = { transfer_mode: "holder" }
const later = { headers: { prefer: "respond-async" } }
const becomes = (id: string, state: string) =>
  waitFor(async () => (await read(id)).state === state, `${id} to be ${state}`)

const setKey = (uri: string) => setAuthority(key.workspaceId, uri, theOperator)
const moved = () =>
  waitFor(async () => {
    const { moved, mints } = (await readAuthority(key.workspaceId))!
    return moved === mints
  }, "all mints to have the new key")
const placeOf = (authority: string, config: string, wallet: string) =>
  holdPlace(new PublicKey(authority), assetMintOf(key.workspaceId, config), new PublicKey(wallet)).account.toBase58()

test("all holds of a wallet are in one account, which stays where the mint's key first created it", async () => {
  const { authority: oldKey } = (await readAuthority(key.workspaceId))!
  const { config, wallet, other, held, burn, release, transfer, balance } = await fund(holder)
  expect(answerOf(await transfer("20"))).toBe("done")
  const first = await held("30")
  const newKey = await setKey("derived:2")
  const second = await held("20")
  await moved()
  const third = await held("10")
  const accounts = (await Promise.all([first, second, third].map(read))).map((one) => one.onchain_account)
  expect(new Set(accounts)).toEqual(new Set([placeOf(oldKey, config, wallet)]))
  expect(await balance()).toMatchObject({ amount: "80", available: "20", held: "60" })

  const body = { user_pubkey: other, mint_config: config, amount: "5", ...grounds }
  const { json: theirs } = await tokens.post("/token/holds", body)
  expect(theirs).toMatchObject({ state: "active", onchain_account: placeOf(newKey, config, other) })

  expect(answerOf(await burn("25", { holds: [first] }))).toBe("done")
  for (const id of [first, second, third]) expect(answerOf(await release(id))).toBe("done")
  expect(await balance()).toMatchObject({ amount: "55", available: "55", held: "0" })
  // The account is empty, and no hold names it any more.
  expect((await read(await held("1"))).onchain_account).toBe(accounts[0])
})

test("holds that wait while the mint gets another key are placed in one account", async () => {
  const { config, wallet, place, balance } = await fund(holder)
  const placed = await whileLedgerPaused(async () => {
    const before = await place("30", {}, later)
    await setKey("derived:3")
    return [before, await place("20", {}, later)]
  })
  const ids = placed.map(({ json }) => json.hold_id as string)
  for (const id of ids) await becomes(id, "active")
  await moved()
  const [first, second] = await Promise.all(ids.map(read))
  expect(first.onchain_account).toBe(second.onchain_account)
  expect(await balance()).toMatchObject({ amount: "100", available: "50", held: "50" })
  expect(await tokens.onChain(config, wallet)).toBe(50n)
})

test("if moving an expired hold back fails, it is tried again after an hour", async () => {
  const { config, held, balance, burn } = await fund(holder)
  const id = await held("40", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) })
  const releases = () => sql`
    select status, error_code from operations where mint_config = ${config} and kind = 'release' order by seq`
  const ended = (count: number) =>
    waitFor(async () => {
      const all = await releases()
      return all.length === count && all.every(({ status }) => status === "confirmed" || status === "failed")
    }, "the release to end")
  await advanceClock({ seconds: 3700 })
  await whileLedgerPaused(async () => {
    await sweep()
    expect(await releases()).toHaveLength(1)
    await tokens.post(`/mint-config/${config}/pause`, {})
  })
  await ended(1)
  expect((await releases())[0]).toMatchObject({ status: "failed", error_code: "mint_paused" })
  expect(await read(id)).toMatchObject({ state: "expired", remaining: "0" })
  expect(await balance()).toMatchObject({ amount: "100", available: "60", held: "40" })
  expect(answerOf(await burn("1", { holds: [id] }))).toBe("mint_paused")

  await advanceClock({ seconds: 3700 + 3500 })
  await tokens.post(`/mint-config/${config}/unpause`, {})
  await sweep()
  await tokens.post(`/mint-config/${config}/pause`, {})
  await advanceClock({ seconds: 3700 + 3700 })
  await sweep()
  expect(await releases()).toHaveLength(1)
  await tokens.post(`/mint-config/${config}/unpause`, {})
  await sweep()
  await ended(2)
  expect((await releases())[1]).toMatchObject({ status: "confirmed" })
  expect(await balance()).toMatchObject({ amount: "100", available: "100", held: "0" })
  expect(await read(id)).toMatchObject({ state: "expired", remaining: "0" })
})

test("an audit finds no difference while holds are placed and released", async () => {
  const { held, place, balance } = await fund(holder)
  const id = await held("40")
  await whileLedgerPaused(async () => {
    await tokens.post(`/token/hold/${id}/release`, {}, later)
    await place("10", {}, later)
    expect(await differences()).toEqual([])
  })
  await waitFor(async () => (await balance()).held === "10", "both to land")
})
