import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import type { Principal } from "#server/domain/requests/context.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { endOf } from "#test/matchers/token-outcomes.ts"
import { applyConfig } from "./change-config.ts"
import type { ConfigInput } from "./config.ts"
import { readReconcileProgress } from "./reconcile-accounts.ts"

const base: ConfigInput = {
  id: "open_fund",
  name: "Open Fund",
  symbol: "OPEN",
  decimals: 2,
  required_schema: "kyc_individual_v1",
  transfer_mode: "holder",
  rules: {},
}

usesCustomer()
afterAll(async () => expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([]))

const post = (path: string, json: object) => app.request({ method: "POST", path, key: key.apiKey, json })
const author = () => ({ principal: principal(), requestId: null })
const principal = (): Principal => ({
  workspaceId: key.workspaceId,
  mode: key.mode,
  scopes: new Set(),
  via: { kind: "key", keyId: key.keyId },
})

async function newConfig(more: Partial<ConfigInput>): Promise<string> {
  const { status, json } = await post("/mint-configs", { ...base, ...more })
  expect(status).toBe(200)
  return json.mint
}

/** A verified wallet with its own tokens and SOL, whose key the test has. */
async function holder(config: string, amount: string, claims: Record<string, unknown> = { country: "US" }) {
  const pair = Keypair.generate()
  const wallet = addressOf(pair.publicKey)
  await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  const { status } = await app.verifiedWallet(key, wallet, claims)
  const minted = await post("/token/mint", { user_pubkey: wallet, mint_config: config, amount })
  expect(minted.status).toBe(200)
  return { pair, wallet, attestationId: status.attestation_id as string }
}

async function accountOf(mint: string, wallet: string) {
  const address = tokenAccountOf(new PublicKey(mint), new PublicKey(wallet))
  const { amount, isFrozen } = unpackAccount(
    address,
    await app.connection.getAccountInfo(address, "confirmed"),
    TOKEN_2022_PROGRAM_ID,
  )
  return { amount, isFrozen }
}

/** The holder's own transfer, without Vouch. */
function ownTransfer(mint: string, from: Keypair, to: string, amount: bigint): Promise<string> {
  const mintKey = new PublicKey(mint)
  const instruction = createTransferCheckedInstruction(
    tokenAccountOf(mintKey, from.publicKey),
    mintKey,
    tokenAccountOf(mintKey, new PublicKey(to)),
    from.publicKey,
    amount,
    base.decimals,
    [],
    TOKEN_2022_PROGRAM_ID,
  )
  return sendOwn(app.connection, [from], instruction)
}

const untilFrozen = (mint: string, wallet: string, frozen: boolean) =>
  expect.poll(async () => (await accountOf(mint, wallet)).isFrozen).toBe(frozen)

const revoke = (attestationId: string) =>
  post(`/attestation/${attestationId}/revoke`, { reason: "Sanctions list match" })

test("holders move tokens themselves; a revoked one cannot, and can once verified again", async () => {
  const mint = await newConfig({ id: "own_moves" })
  const [a, b] = [await holder("own_moves", "10"), await holder("own_moves", "1")]
  await ownTransfer(mint, a.pair, b.wallet, 250n)
  expect((await accountOf(mint, b.wallet)).amount).toBe(350n)

  await revoke(a.attestationId)
  await untilFrozen(mint, a.wallet, true)
  await expect(ownTransfer(mint, a.pair, b.wallet, 1n)).rejects.toThrow(/0x11/)
  await expect(ownTransfer(mint, b.pair, a.wallet, 1n)).rejects.toThrow(/0x11/)

  await app.verifiedWallet(key, a.wallet)
  await untilFrozen(mint, a.wallet, false)
  await ownTransfer(mint, a.pair, b.wallet, 1n)
})

test("an expired attestation freezes its holder's account", async () => {
  const mint = await newConfig({ id: "expiring" })
  const a = await holder("expiring", "10")
  await advanceClock({ days: 366 })
  await untilFrozen(mint, a.wallet, true)
})

test("Vouch moves a holder's tokens by the chain's balance, and reports when it is too low", async () => {
  const mint = await newConfig({ id: "by_chain" })
  const [a, b] = [await holder("by_chain", "10"), await holder("by_chain", "1")]
  await ownTransfer(mint, a.pair, b.wallet, 900n)
  const body = { mint_config: "by_chain", from_pubkey: b.wallet, to_pubkey: a.wallet }
  const moved = await post("/token/transfer", { ...body, amount: "9.5" })
  expect(await endOf({ app, key }, moved)).toEqual([200, null])
  const refused = await post("/token/transfer", { ...body, amount: "0.51" })
  expect(await endOf({ app, key }, refused)).toEqual([422, "insufficient_balance"])
  expect((await accountOf(mint, a.wallet)).amount).toBe(1050n)
  const { wallet } = await app.verifiedWallet(key)
  const without = await post("/token/transfer", { ...body, from_pubkey: wallet, amount: "1" })
  expect(await endOf({ app, key }, without)).toEqual([422, "insufficient_balance"])
})

test("a pause stops holders on chain until it ends", async () => {
  const mint = await newConfig({ id: "pausing" })
  const [a, b] = [await holder("pausing", "10"), await holder("pausing", "1")]
  await post("/mint-config/pausing/pause", {})
  await expect
    .poll(() =>
      ownTransfer(mint, a.pair, b.wallet, 1n).then(
        () => "moved",
        (error) => String(error),
      ),
    )
    .toMatch(/0x43/)
  await post("/mint-config/pausing/unpause", {})
  await expect
    .poll(() =>
      ownTransfer(mint, a.pair, b.wallet, 1n).then(
        () => "moved",
        () => "stopped",
      ),
    )
    .toBe("moved")
})

test("a pause survives a change of mode, and its end reaches the chain", async () => {
  const mint = await newConfig({ id: "pause_modes" })
  const [a, b] = [await holder("pause_modes", "10"), await holder("pause_modes", "1")]
  const settledModes = async (transfer_mode: "agent" | "holder") => {
    await applyConfig(author(), { ...base, id: "pause_modes", transfer_mode })
    const remaining = async () => (await readReconcileProgress(key.workspaceId, "pause_modes")).remaining
    await expect.poll(remaining).toBe(0)
  }
  await post("/mint-config/pause_modes/pause", {})
  await settledModes("agent")
  await post("/mint-config/pause_modes/unpause", {})
  const again = { user_pubkey: a.wallet, mint_config: "pause_modes", amount: "1" }
  expect((await post("/token/mint", again)).status).toBe(200)
  await post("/mint-config/pause_modes/pause", {})
  await settledModes("holder")
  await untilFrozen(mint, b.wallet, false)
  await expect(ownTransfer(mint, a.pair, b.wallet, 1n)).rejects.toThrow(/0x43/)
  await post("/mint-config/pause_modes/unpause", {})
  expect((await post("/token/mint", again)).status).toBe(200)
})

test("changed country rules freeze the accounts of excluded holders, and open them again", async () => {
  const mint = await newConfig({ id: "countries" })
  const [us, li] = [await holder("countries", "1"), await holder("countries", "1", { country: "LI" })]
  await applyConfig(author(), { ...base, id: "countries", rules: { blocked_countries: ["LI"] } })
  await untilFrozen(mint, li.wallet, true)
  expect((await accountOf(mint, us.wallet)).isFrozen).toBe(false)
  await applyConfig(author(), { ...base, id: "countries" })
  await untilFrozen(mint, li.wallet, false)
})

test("a change of mode reconciles every account, and the books are read back from the chain", async () => {
  const mint = await newConfig({ id: "modes" })
  const [a, b] = [await holder("modes", "10"), await holder("modes", "1")]
  await ownTransfer(mint, a.pair, b.wallet, 1000n)

  const agent: ConfigInput = { ...base, id: "modes", transfer_mode: "agent", rules: { max_holders: 2 } }
  expect(await applyConfig(author(), agent)).toEqual({ outcome: "changed", reconciles: true })
  await untilFrozen(mint, a.wallet, true)
  await untilFrozen(mint, b.wallet, true)
  await expect.poll(async () => (await readReconcileProgress(key.workspaceId, "modes")).remaining).toBe(0)
  const holdings = await sql`
    select wallet, balance::text, counted from holdings
    where workspace_id = ${key.workspaceId} and mint_config = 'modes' order by balance`
  expect(holdings).toEqual([
    { wallet: a.wallet, balance: "0", counted: false },
    { wallet: b.wallet, balance: "1100", counted: true },
  ])
  const back = { mint_config: "modes", from_pubkey: b.wallet, to_pubkey: a.wallet, amount: "2" }
  expect((await post("/token/transfer", back)).status).toBe(200)
  await expect(ownTransfer(mint, b.pair, a.wallet, 1n)).rejects.toThrow(/0x11/)

  await applyConfig(author(), { ...base, id: "modes" })
  await untilFrozen(mint, a.wallet, false)
  await untilFrozen(mint, b.wallet, false)
  await ownTransfer(mint, b.pair, a.wallet, 1n)
})

test("a change of a field that is fixed on chain is refused, with the reason", async () => {
  await newConfig({ id: "fixed" })
  for (const change of [{ decimals: 3 }, { name: "Other" }, { symbol: "OTHER" }]) {
    await expect(applyConfig(author(), { ...base, id: "fixed", ...change })).rejects.toThrow(/cannot change/)
  }
  expect(await applyConfig(author(), { ...base, id: "fixed" })).toEqual({
    outcome: "unchanged",
    reconciles: false,
  })
})
