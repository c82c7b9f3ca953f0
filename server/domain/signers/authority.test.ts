import {
  getMetadataPointerState,
  getPermanentDelegate,
  getTokenMetadata,
  TOKEN_2022_PROGRAM_ID,
  unpackMint,
} from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { readAuthorities } from "#server/ledger/issuer.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { moveAuthority } from "#server/solana/mint-authority.ts"
import { extensionDefinitions, extensionsIn } from "#server/solana/mint-extensions.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"
import { startVault } from "#test/vendor/vault.ts"
import { readAuthority, setAuthority } from "./authority.ts"

// A workspace gets another key while it works. Plain spl-token reads the authorities of its mints.

let app: TestApp
let key: TestKey
let tokens: TokenFixture
let vault: Awaited<ReturnType<typeof startVault>>

beforeAll(async () => {
  vault = await startVault()
  for (const [name, value] of Object.entries(vault.environment)) vi.stubEnv(name, value)
  app = await startTestApp()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
})
afterEach(() => vault.misbehave(null))
afterAll(async () => {
  await app.stop()
  await vault.stop()
  vi.unstubAllEnvs()
})

const later = { headers: { Prefer: "respond-async" } }
const mintsOf = () => sql<{ mint: string; extensions: MintExtension[] }[]>`
  select credential_mint as mint, '{}' as extensions from schemas where workspace_id = ${key.workspaceId} and credential_mint is not null
  union all select mint, extensions from mint_configs where workspace_id = ${key.workspaceId} and mint is not null`

/** Every key that has any authority over any of the workspace's mints. */
async function obeyed(): Promise<string[]> {
  const keys = new Set<string | undefined>()
  for (const { mint: text } of await mintsOf()) {
    const address = new PublicKey(text)
    const info = await app.connection.getAccountInfo(address, "confirmed")
    const mint = unpackMint(address, info, TOKEN_2022_PROGRAM_ID)
    const metadata = await getTokenMetadata(app.connection, address, "confirmed", TOKEN_2022_PROGRAM_ID)
    const roles = [
      mint.mintAuthority,
      mint.freezeAuthority,
      getPermanentDelegate(mint)?.delegate,
      getMetadataPointerState(mint)?.authority,
      metadata?.updateAuthority,
      ...extensionsIn(mint).map((one) => extensionDefinitions[one].authorityOf(mint)),
    ]
    for (const role of roles) keys.add(role?.toBase58())
  }
  return [...keys] as string[]
}

const set = (uri: string) => setAuthority(key.workspaceId, uri, theOperator)
const state = async () => (await readAuthority(key.workspaceId))!
const isMoved = async () => {
  const { moved, mints } = await state()
  return moved === mints
}
const confirmed = (ids: string[]) =>
  waitFor(
    async () =>
      (await sql`select from operations where id = any(${ids}) and status = 'confirmed'`).length === ids.length,
    "operations to be confirmed",
  )
const savedMoves = async () =>
  (
    await sql`
    select from transactions t where t.workspace_id = ${key.workspaceId} and exists (
      select from operations o where o.workspace_id = t.workspace_id and o.kind like 'move_%'
        and t.layout @> jsonb_build_array(jsonb_build_array(o.id)))`
  ).length

/** A chain that forgot the last moves: each mint has an older authority. */
async function moveByHand(from: Address, to: Address): Promise<void> {
  const { feePayer } = deployment.chains.test!
  const known = await readAuthorities(sql, key.workspaceId)
  const signers = [from, to].map((address) => {
    const { uri } = known.find((one) => one.address === address)!
    return deployment.signers.of(uri, authorityPurpose(key.workspaceId), address)
  })
  for (const { mint, extensions } of await mintsOf()) {
    const about = { from: publicKeyOf(from), to: publicKeyOf(to), memoText: "by hand", extensions }
    const instructions = moveAuthority({ mint: new PublicKey(mint), ...about })
    const { blockhash } = await app.connection.getLatestBlockhash("confirmed")
    const [signed] = await signTransactions([{ instructions, signers }], { feePayer, blockhash })
    await app.connection.sendRawTransaction(signed!.wire, { skipPreflight: true })
    await waitFor(async () => {
      const { value } = await app.connection.getSignatureStatus(signed!.signature)
      return value?.confirmationStatus === "confirmed" && value.err === null
    }, "the operation to land")
  }
}

/** The errors that the chain reported: none may be a lack of authority. */
const refusals = async () => [
  ...(await sql`select id, error_detail from operations where workspace_id = ${key.workspaceId} and attempts > 0`),
  ...(await sql`select signature from transactions where workspace_id = ${key.workspaceId} and status = 'failed'`),
]

test("all mints of a workspace move to another key while it keeps minting, and nothing fails", async () => {
  const [agent, holder] = [await tokens.config(), await tokens.config({}, { transfer_mode: "holder" })]
  const wallets = await tokens.wallets(3)
  const before = await obeyed()
  expect(before).toHaveLength(1)
  const mints: string[] = []
  const mintSome = async () => {
    for (const wallet of wallets)
      for (const config of [agent, holder])
        mints.push((await tokens.mint(config, wallet!, "1", later)).json.operation_id)
  }
  await mintSome()
  const moving = set(vault.uri)
  await mintSome()
  expect(await moving).toBe(vault.key.address)
  await mintSome()
  // A token created in the meantime uses the new key from the start.
  const fresh = await tokens.config()
  mints.push((await tokens.mint(fresh, wallets[0]!, "1", later)).json.operation_id)
  await confirmed(mints)
  await waitFor(isMoved, "all mints to be moved")
  expect(await obeyed()).toEqual([vault.key.address])
  expect(await refusals()).toEqual([])
  expect(await differences()).toEqual([])
  const { earlier, authority, uri } = await state()
  expect({ authority, uri }).toEqual({ authority: vault.key.address, uri: vault.uri })
  expect(earlier.map(({ address }) => address)).toEqual(before)
})

test("the API shows the change, verifications and revocations continue, and old attestations stay provable", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  const { json } = await tokens.get(`/attestation/${status.attestation_id}`)
  expect(json.onchain.authority).toBe(vault.key.address)
  const { data } = (await tokens.get("/attestations?limit=100")).json
  const shown = data.filter((one: { onchain: unknown }) => one.onchain !== null)
  expect(new Set(shown.map((one: { onchain: { authority: string } }) => one.onchain.authority))).toEqual(
    new Set([vault.key.address]),
  )
  const revoked = await tokens.post(`/attestation/${status.attestation_id}/revoke`, { reason: "Fraud" })
  expect(revoked.status).toBe(200)
  await app.waitForStatus(key, wallet, "rejected")
})

test("the change is in the audit log once, and setting it again changes nothing", async () => {
  const operations = async () =>
    (await sql`select from operations where workspace_id = ${key.workspaceId} and kind like 'move_%'`).length
  const before = await operations()
  await set(vault.uri)
  expect(await operations()).toBe(before)
  const entries = await sql`
    select detail from audit_entries where workspace_id = ${key.workspaceId} and action = 'signer.set'`
  expect(entries).toHaveLength(1)
  expect(entries[0]!.detail).toMatchObject({ after: { authority: vault.key.address }, at: vault.uri })
})

test("a key that cannot sign gets no authority", async () => {
  vault.misbehave("signs wrong")
  const other = vault.uri.replace("version=2", "version=1")
  await expect(set(other)).rejects.toThrow(/a signature that is not/)
  await expect(set("file:/nowhere/key.json")).rejects.toThrow(/cannot be read/)
  expect((await state()).authority).toBe(vault.key.address)
})

test("after two changes in a row, all mints have the last key, wherever the first change had got to", async () => {
  const first = await set("derived:2")
  const second = await set("derived:3")
  await waitFor(isMoved, "all mints to be moved")
  expect(first).not.toBe(second)
  expect(await obeyed()).toEqual([second])
  await set("derived:2")
  await set("derived:3")
  await set("derived:2")
  await waitFor(isMoved, "all mints to be moved")
  expect(await obeyed()).toEqual([first])
  expect(await refusals()).toEqual([])
  expect(await differences()).toEqual([])
})

test("a move that vanished from the chain is redone, and others stay unchanged", async () => {
  const again = async (moved: string) => {
    const rows = await sql`
      update operations set status = 'queued', redo = true, signature = null, finished_at = null
      where workspace_id = ${key.workspaceId} and id in (
        select distinct on (writes) id from operations
        where workspace_id = ${key.workspaceId} and kind like 'move_%' order by writes, seq desc) returning id`
    expect(rows.length).toBeGreaterThan(1)
    publish("ledger")
    await waitFor(isMoved, "all mints to have the new key")
    expect(await obeyed()).toEqual([moved])
  }
  const { authority, earlier } = await state()
  const before = await savedMoves()
  await again(authority)
  expect(await savedMoves()).toBe(before)
  // The chain is in an older state, in which the mints have the previous key.
  const [older] = earlier
  await moveByHand(authority, older!.address)
  expect(await obeyed()).toEqual([older!.address])
  await again(authority)
  expect(await refusals()).toEqual([])
})
