import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { pauseLedger } from "#test/fixtures/ledger-pause.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { ownTransfers } from "#test/fixtures/own-transfers.ts"
import {
  app,
  backUp,
  cluster,
  differences,
  goesOn,
  held,
  idle,
  key,
  placing,
  restore,
  restores,
  serve,
  tokens,
} from "#test/fixtures/restores.ts"

restores()

const forced = { ...grounds, document_sha256 }

describe("a change of mode", () => {
  /** A token with two holds, what its backup says, and what it has become since. */
  async function restored(about: {
    before: TransferMode
    /** The last thing before the backup. */
    asked?: (config: string, about: { wallet: Address; holds: string[] }) => Promise<unknown>
    lost: (config: string, about: { wallet: Address; holds: string[] }) => Promise<unknown>
  }) {
    const config = await tokens.config({}, { transfer_mode: about.before })
    const [wallet] = await tokens.wallets(1)
    await tokens.mint(config, wallet, "20")
    const place = placing(wallet, config)
    const holds = [await place("6"), await place("5")]
    await idle()
    await about.asked?.(config, { wallet, holds })
    await app.stop()
    const backup = await backUp()
    await serve()
    await about.lost(config, { wallet, holds })
    await restore(backup)
    await goesOn()
    await modeSettled({ key }, config)
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    const records = await Promise.all(holds.map(async (id) => (await tokens.get(`/token/hold/${id}`)).json))
    const { json: balance } = await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)
    const { json } = await tokens.get(`/mint-config/${config}`)
    return { config, wallet, records, balance, mode: json.transfer_mode }
  }
  const change = (config: string, mode: TransferMode) => changeMode({ tokens, key }, config, mode)
  const changed = async (config: string, mode: TransferMode) => {
    await change(config, mode)
    await modeSettled({ key }, config)
  }

  test("to holder mode that is lost is undone: holds are carried back, and accounts are frozen again", async () => {
    const lost: string[] = []
    const { config, wallet, records, balance, mode } = await restored({
      before: "agent",
      async lost(config, { wallet: user_pubkey, holds }) {
        const unknown = { user_pubkey, mint_config: config, amount: "1", ...grounds }
        lost.push((await tokens.post("/token/holds", unknown)).json.hold_id)
        await changed(config, "holder")
        lost.push((await tokens.post("/token/holds", { ...unknown, amount: "2" })).json.hold_id)
        const burned = { user_pubkey, mint_config: config, amount: "2", ...forced, holder_consent: true }
        expect((await tokens.post("/token/burn", { ...burned, holds: [holds[1]!] })).status).toBe(200)
        await idle()
      },
    })
    expect(mode).toBe("agent")
    // The chain does not show which hold the burn took from, so the oldest gave.
    expect(records).toMatchObject([
      { state: "active", remaining: "4", onchain_account: null },
      { state: "active", remaining: "5", onchain_account: null },
    ])
    for (const id of lost)
      expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "active", onchain_account: null })
    expect(await held(config, wallet)).toBe(18n)
    expect(balance).toMatchObject({ amount: "18", available: "6", held: "12", frozen: true })
  })

  test("to holder mode that is lost is undone without holds too, and the register says what it does not know", async () => {
    const config = await tokens.config({}, { transfer_mode: "agent" })
    const ownOf = () => ownTransfers({ app: { ...app, connection: cluster.connection }, key, tokens }, config)
    const [alice, bob] = [await ownOf().holder(100), await ownOf().holder(100)]
    await idle()
    await app.stop()
    const backup = await backUp()
    await serve()
    await changed(config, "holder")
    const signature = await ownOf().transfer(alice, bob, 30)
    const { value } = await cluster.connection.getSignatureStatus(signature, { searchTransactionHistory: true })
    const registerAt = (slot: number) =>
      waitFor(async () => {
        const { status, json } = await tokens.get(`/token/register/${config}?at=${slot}`)
        return status === 200 && json
      }, "the register")
    expect((await registerAt(value!.slot)).complete).toBe(true)
    await restore(backup)
    await goesOn()
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    await modeSettled({ key }, config)
    expect((await registerAt(value!.slot)).complete).toBe(false)
    await expect(ownOf().transfer(alice, bob, 1)).rejects.toThrow()
    // Set again, nothing counts twice.
    await changed(config, "holder")
    const again = await ownOf().transfer(alice, bob, 1)
    const later = await cluster.connection.getSignatureStatus(again, { searchTransactionHistory: true })
    const { data, complete } = await registerAt(later.value!.slot)
    expect(complete).toBe(true)
    expect(
      Object.fromEntries(data.map((one: { user_pubkey: string; balance: string }) => [one.user_pubkey, one.balance])),
    ).toEqual({
      [alice.wallet]: "69",
      [bob.wallet]: "131",
    })
    expect([await held(config, alice.wallet), await held(config, bob.wallet)]).toEqual([69n, 131n])
  })

  test("to agent mode that is lost is undone: no account is open before holds are in their accounts again", async () => {
    const { config, wallet, records, balance, mode } = await restored({
      before: "holder",
      lost: async (config, { wallet: user_pubkey, holds }) => {
        const burned = { user_pubkey, mint_config: config, amount: "2", ...forced, holder_consent: true }
        expect((await tokens.post("/token/burn", { ...burned, holds: [holds[1]!] })).status).toBe(200)
        await changed(config, "agent")
        await idle()
      },
    })
    expect(mode).toBe("holder")
    // What was carried shows which hold the burn had taken from.
    expect(records).toMatchObject([
      { state: "active", remaining: "6" },
      { state: "active", remaining: "3" },
    ])
    expect(await held(config, wallet)).toBe(9n)
    expect(balance).toMatchObject({ amount: "18", available: "9", held: "9", frozen: false })
  })

  test("whose carried holds are lost goes on", async () => {
    const { config, wallet, records, balance, mode } = await restored({
      before: "agent",
      async asked(config, { holds }) {
        await pauseLedger()
        await change(config, "holder")
        await waitFor(
          async () => (await sql`select from operations where payload ->> 'hold_id' = any(${holds})`).length === 2,
          "both holds to be queued",
        )
        await sql`update ledger_leases set until = '-infinity' where token = 'test'`
      },
      async lost(config) {
        await modeSettled({ key }, config)
        await idle()
      },
    })
    expect(mode).toBe("holder")
    expect(records.map(({ state, remaining }) => [state, remaining])).toEqual([
      ["active", "6"],
      ["active", "5"],
    ])
    expect(await held(config, wallet)).toBe(9n)
    expect(balance).toMatchObject({ amount: "20", available: "9", held: "11", frozen: false })
  })
})
