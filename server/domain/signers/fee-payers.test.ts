import { Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { operations } from "#server/domain/operations/operations.ts"
import { BurnRate } from "#server/ledger/fee-payer-balance.ts"
import { Funds } from "#server/ledger/funds.ts"
import { Tracker } from "#server/ledger/track.ts"
import { feePayerPurpose } from "#server/solana/keys.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import { type FaultyChain, startFaultyChain } from "#test/doubles/faulty-chain.ts"
import { heldKeys } from "#test/doubles/keys.ts"
import type { Fault } from "#test/doubles/rpc-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"
import { startVault } from "#test/vendor/vault.ts"
import { EmptyFeePayer, readFeePayers, setFeePayer } from "./fee-payers.ts"

// One of two workspaces gets its own fee payer. The test funds neither, and plain web3.js shows who paid.

const keys = heldKeys()
const later = { headers: { Prefer: "respond-async" } }
let cluster: FaultyChain
let vault: Awaited<ReturnType<typeof startVault>>
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let others: TokenFixture
let config: string
let theirs: string
let wallet: string
let theirWallet: string

beforeAll(async () => {
  cluster = await startFaultyChain()
  vault = await startVault()
  for (const [name, value] of Object.entries(vault.environment)) vi.stubEnv(name, value)
  app = await startTestApp({ SOLANA_RPC_URL: cluster.node.url }, { keysOf: keys.keysOf })
  await cluster.fundFeePayers()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  others = tokenFixture(app, await app.key({ plan: "growth" }))
  config = await tokens.config()
  theirs = await others.config()
  ;[wallet] = await tokens.wallets(1)
  ;[theirWallet] = await others.wallets(1)
})
afterEach(() => {
  keys.release()
  vault.misbehave(null)
  cluster.node.fault = null
})
afterAll(async () => {
  await app.stop()
  await vault.stop()
  await cluster.close()
  vi.unstubAllEnvs()
})

const set = (uri: string | null) => setFeePayer(key.workspaceId, uri, theOperator)
const derived = (name = "") =>
  deployment.keys(`${feePayerPurpose(key.workspaceId)}${name && `/${name}`}`).publicKey.toBase58()
const modes = () => deployment.chains.test!.feePayer.publicKey.toBase58()
const balance = (address: string) => cluster.connection.getBalance(new PublicKey(address), "confirmed")

async function fund(address: string, sol = 5): Promise<void> {
  const before = await balance(address)
  await cluster.connection.requestAirdrop(new PublicKey(address), sol * LAMPORTS_PER_SOL)
  await waitFor(async () => (await balance(address)) > before, "the airdrop")
}

/** Sends away the balance of one of the workspace's derived fee payers, except for `left` lamports and the fee. */
async function drain(name: string, left: number): Promise<void> {
  const feePayer = deployment.keys(`${feePayerPurpose(key.workspaceId)}/${name}`)
  const lamports = (await balance(derived(name))) - left - 5000
  const to = Keypair.generate().publicKey
  const instructions = [SystemProgram.transfer({ fromPubkey: feePayer.publicKey, toPubkey: to, lamports })]
  const { blockhash } = await cluster.connection.getLatestBlockhash("confirmed")
  const [signed] = await signTransactions([{ instructions, signers: [] }], { feePayer, blockhash })
  await cluster.connection.sendRawTransaction(signed!.wire)
  await waitFor(async () => (await balance(derived(name))) === left, "the transfer to be confirmed")
}

const mintLater = async (of = tokens, token = config, to = wallet) =>
  (await of.mint(token, to, "1", later)).json.operation_id as string
const operationOf = async (id: string) => {
  const [row] = await sql<{ status: string; signature: string | null }[]>`
    select status, signature from operations where id = ${id}`
  return row!
}
const confirmed = (id: string) =>
  waitFor(async () => (await operationOf(id)).status === "confirmed", `${id} to be confirmed`)
/** All transactions ever saved for an operation. */
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`).length
const health = async () => (await app.request({ method: "GET", path: "/health" })).json.checks.chain as string

/** Who paid for an operation, according to the chain. */
async function payerOf(id: string): Promise<string> {
  const { signature } = await operationOf(id)
  const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
  const found = await cluster.connection.getTransaction(signature!, options)
  return found!.transaction.message.staticAccountKeys[0]!.toBase58()
}

async function paid(of = tokens, token = config, to = wallet): Promise<string> {
  const id = await mintLater(of, token, to)
  await confirmed(id)
  return payerOf(id)
}

test("a workspace's own fee payer pays for it, and other workspaces still use their mode's", async () => {
  await expect(set("derived:")).rejects.toThrow(EmptyFeePayer)
  await expect(set("derived:")).rejects.toThrow(derived())
  expect(await paid()).toBe(modes())
  await fund(derived())
  const before = await balance(modes())
  expect(await set("derived:")).toBe(derived())
  const [fresh] = await tokens.wallets(1)
  expect(await paid(tokens, config, fresh)).toBe(derived())
  // The account of the credential, and the account of the token.
  expect(await balance(derived())).toBeLessThan(5 * LAMPORTS_PER_SOL - 3_000_000)
  expect(await balance(modes())).toBe(before)
  expect(await paid(others, theirs, theirWallet)).toBe(modes())
  const isCounted = async () => (await tokens.get("/usage")).json.chain.fee_lamports !== "0"
  await waitFor(isCounted, "the costs to be counted")
  const entries = await sql`
    select detail from audit_entries where workspace_id = ${key.workspaceId} and action = 'signer.set'`
  expect(entries.map(({ detail }) => detail)).toMatchObject([
    { before: { fee_payer: null }, after: { fee_payer: derived() }, at: "derived:" },
  ])
  const shown = (await readFeePayers()).filter(({ workspace }) => workspace === key.workspaceId)
  expect(shown).toEqual([
    {
      mode: key.mode,
      workspace: key.workspaceId,
      address: derived(),
      uri: "derived:",
      pays: "now",
      under_way: 0,
    },
  ])
})

test("what it paid counts as the workspace's costs, to the lamport", async () => {
  const counted = async () => {
    const [row] = await sql`select from transactions where fee is not null and counted_at is null`
    return row === undefined
  }
  await waitFor(counted, "all costs to be counted")
  const costs = async () => {
    const { chain } = (await tokens.get("/usage")).json
    return Number(chain.fee_lamports) + Number(chain.rent_lamports)
  }
  const [costsBefore, before] = [await costs(), await balance(derived())]
  const [fresh] = await tokens.wallets(1)
  expect(await paid(tokens, config, fresh)).toBe(derived())
  await waitFor(counted, "all costs to be counted")
  expect((await costs()) - costsBefore).toBe(before - (await balance(derived())))
})

test("what is being signed when the fee payer changes is never saved, and the new one pays for it once", async () => {
  await fund(derived("2"))
  keys.hold()
  const before = keys.asked.length
  const id = await mintLater()
  await waitFor(async () => keys.asked.length > before, "the signer to be asked")
  // The new key has answered the test signature.
  keys.letOthersPass()
  await set("derived:2")
  keys.release()
  await confirmed(id)
  expect(await payerOf(id)).toBe(derived("2"))
  expect(await savedFor(id)).toBe(1)
  const [row] = await sql<{ wire: Buffer }[]>`
    select wire from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`
  expect(row!.wire.includes(new PublicKey(derived("2")).toBuffer())).toBe(true)
})

test("a transaction that the old fee payer signed and no process has sent lands unchanged", async () => {
  const lost: Fault = async ({ method }, ask) => (method === "sendTransaction" ? { result: "x" } : ask())
  cluster.node.fault = lost
  const id = await mintLater()
  await waitFor(async () => (await operationOf(id)).status === "submitted", "the transaction to be saved")
  await set("derived:")
  const [old] = (await readFeePayers()).filter(({ address }) => address === derived("2"))
  expect(old).toMatchObject({ pays: "before", under_way: 1 })
  cluster.node.fault = null
  await confirmed(id)
  expect([await payerOf(id), await savedFor(id)]).toEqual([derived("2"), 1])
  expect(await paid()).toBe(derived())
})

test("while the fee payer changes back and forth, each mint lands once, paid for by the key that signed it", async () => {
  const before = await tokens.onChain(config, wallet)
  const ids: string[] = []
  for (const uri of ["derived:2", null, "derived:", "derived:2", null, "derived:2"]) {
    ids.push(...(await Promise.all([mintLater(), mintLater(), mintLater()])))
    await set(uri)
  }
  for (const id of ids) await confirmed(id)
  expect((await tokens.onChain(config, wallet)) - before).toBe(BigInt(ids.length))
  const payers = await Promise.all(ids.map(payerOf))
  expect(payers.every((payer) => [modes(), derived(), derived("2")].includes(payer))).toBe(true)
  expect(await sql`select from transactions where status = 'failed'`).toHaveLength(0)
  expect(await differences()).toEqual([])
})

test("a fee payer without SOL stops only its own workspace, and still pays for taking rights away", async () => {
  const [revoked] = await tokens.wallets(1)
  const { attestation_id } = (await tokens.get(`/kyc/status/${revoked}`)).json
  await drain("2", 1_000_000)
  await waitFor(async () => (await health()).includes(derived("2")), "health to name it")
  expect(await health()).not.toContain(modes())
  const waits = await mintLater()
  expect(await paid(others, theirs, theirWallet)).toBe(modes())
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  await waitFor(async () => (await credentialOf(app, key, revoked)).amount === 0, "the burn")
  expect(await balance(derived("2"))).toBe(990_000)
  expect(await operationOf(waits)).toEqual({ status: "queued", signature: null })
  const said = app.log.filter((line) => line.includes("out of SOL") && line.includes(derived("2")))
  expect(said.length).toBeGreaterThan(0)
  await fund(derived("2"))
  await confirmed(waits)
  await waitFor(async () => (await health()) === "ok", "health to be ok again")
})

test("transactions of one fee payer that do not land, whatever a node says about its balance, do not use up others' capacity", () => {
  const chain = deployment.chains.test!
  const tracker = new Tracker(chain, { kinds: operations, commitment: "confirmed" })
  const now = performance.now()
  const clock = vi.spyOn(performance, "now")
  const add = (feePayer: string, count: number) => {
    for (let n = 0; n < count; n++)
      tracker.add({
        ...{ signature: `${feePayer}${n}`, workspaceId: key.workspaceId, wire: Buffer.from("none") },
        ...{ feePayer: feePayer as Address, signedSlot: 0, lastValidBlockHeight: 0, fee_lamports: 5000 },
      })
  }
  add(modes(), 8)
  add(derived("2"), 7)
  add(derived(), 8)
  const underWay = () => tracker.load.underWay.get(key.workspaceId)
  expect([underWay(), tracker.stuckPayers.size]).toEqual([23, 0])
  clock.mockReturnValue(now + 60_000)
  expect(tracker.stuckPayers).toEqual(new Set([derived()]))
  expect(underWay()).toBe(15)
  expect([tracker.feesOf(derived() as Address), tracker.feesOf(modes() as Address)]).toEqual([40_000, 40_000])
  clock.mockRestore()
})

test("a wrong signature is never saved, and only its workspace waits", async () => {
  await fund(vault.key.address)
  await fund(derived("2"))
  expect(await set(vault.uri)).toBe(vault.key.address)
  expect(await paid()).toBe(vault.key.address)
  vault.misbehave("signs wrong")
  const id = await mintLater()
  await waitFor(async () => /a signer does not answer as it should/.test(await health()), "health to report it")
  expect(await paid(others, theirs, theirWallet)).toBe(modes())
  expect([await savedFor(id), (await operationOf(id)).status]).toEqual([0, "queued"])
  const other = vault.uri.replace("version=2", "version=1")
  await expect(set(other)).rejects.toThrow(/a signature that is not/)
  vault.misbehave({ away: 10_000 })
  expect(await paid(others, theirs, theirWallet)).toBe(modes())
  vault.misbehave(null)
  await confirmed(id)
  expect([await savedFor(id), await payerOf(id)]).toEqual([1, vault.key.address])
})

test("after a restart, the books immediately show how fast each fee payer spends", async () => {
  const recalled = vi.spyOn(BurnRate.prototype, "recall")
  const chain = deployment.chains.test!
  const funds = new Funds(chain, { lowBalanceSol: 0, lowBalanceHours: 1 })
  await funds.refresh()
  const spent = recalled.mock.contexts.map((rate, i) => [rate, recalled.mock.calls[i]![0]] as const)
  const of = (address: string) =>
    spent
      .find(([rate]) => rate === funds.of(address as Address)?.burnRate)?.[1]
      .reduce((sum, { lamports }) => sum + lamports, 0)
  const [row] = await sql<{ own: string; all: string }[]>`
    select sum(fee + rent) filter (where workspace_id = ${key.workspaceId})::text as own, sum(fee + rent)::text as all
    from transactions where counted_at is not null and mode = 'test'`
  expect(of(vault.key.address)).toBe(Number(row!.own))
  expect(of(modes())).toBe(Number(row!.all) - Number(row!.own))
  recalled.mockRestore()
})

test("after all this, the mode's own fee payer pays again, and the books agree with the chain", async () => {
  expect(await set(null)).toBeNull()
  expect(await paid()).toBe(modes())
  expect(await differences()).toEqual([])
})
