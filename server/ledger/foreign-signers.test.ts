import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { sql } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { setAuthority } from "#server/domain/signers/authority.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"
import { startAwsKms } from "#test/vendor/aws-kms.ts"
import { startVault } from "#test/vendor/vault.ts"

// Key services hold a fee payer and the authority of new workspaces. Effects on chain are read with plain web3.js.

let payer: Awaited<ReturnType<typeof startAwsKms>>
let authority: Awaited<ReturnType<typeof startVault>>
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  payer = await startAwsKms()
  authority = await startVault()
  for (const service of [payer, authority])
    for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  app = await startTestApp({
    VOUCH_TEST_FEE_PAYER: payer.uri,
    VOUCH_TEST_AUTHORITY: authority.uri,
  })
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
})
afterEach(() => {
  payer.misbehave(null)
  authority.misbehave(null)
})
afterAll(async () => {
  await app.stop()
  await Promise.all([payer.stop(), authority.stop()])
  vi.unstubAllEnvs()
})

const later = { headers: { Prefer: "respond-async" } }
const signersOf = async (signature: string) => {
  const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
  const { message } = (await app.connection.getTransaction(signature, options))!.transaction
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures)
  return signers.map((signer) => signer.toBase58())
}
const operationOf = async (id: string) => {
  const [row] = await sql<{ status: string; signature: string | null }[]>`
    select status, signature from operations where id = ${id}`
  return row!
}
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`).length
const health = async () => (await app.request({ method: "GET", path: "/health" })).json

test("keys in a service issue and pay, and are stored", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  expect(await signersOf(status.onchain_tx)).toEqual([payer.key.address, authority.key.address])
  const { json } = await tokens.get(`/attestation/${status.attestation_id}`)
  expect(json.onchain.authority).toBe(authority.key.address)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const pinned = await sql`select uri, address from signer_keys order by uri`
  expect(pinned).toEqual([
    { uri: payer.uri, address: payer.key.address },
    { uri: authority.uri, address: authority.key.address },
  ])
  expect(await differences()).toEqual([])
})

test("a wrong signature is never saved, and a correct one that follows is", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  for (const service of [payer, authority]) {
    service.misbehave("signs wrong")
    const before = service.requests.length
    const { operation_id: id } = (await tokens.mint(config, wallet, "1", later)).json
    await waitFor(async () => service.requests.length > before, "a signature request")
    await waitFor(
      async () => /a signer does not answer as it should/.test((await health()).checks.chain),
      "health to report it",
    )
    expect(app.log.some((line) => line.includes(`a signature that is not ${service.key.address}'s`))).toBe(true)
    expect(await savedFor(id)).toBe(0)
    expect((await operationOf(id)).status).toBe("queued")
    service.misbehave(null)
    await waitFor(async () => (await operationOf(id)).status === "confirmed", "it to be done")
    expect(await savedFor(id)).toBe(1)
  }
})

test("a service that is down delays only its own workspaces", async () => {
  const other = await app.key({ plan: "growth" })
  await setAuthority(other.workspaceId, "derived:", theOperator)
  const theirs = tokenFixture(app, other)
  const [config, theirConfig] = [await tokens.config(), await theirs.config()]
  const [[wallet], [theirWallet]] = [await tokens.wallets(1), await theirs.wallets(1)]
  authority.misbehave({ away: 10_000 })
  const { operation_id: id } = (await tokens.mint(config, wallet, "1", later)).json
  await waitFor(async () => (await health()).status === "degraded", "health to report it")
  expect((await theirs.mint(theirConfig, theirWallet!, "1")).status).toBe(200)
  expect((await operationOf(id)).status).toBe("queued")
  authority.misbehave(null)
  await waitFor(async () => (await operationOf(id)).status === "confirmed", "it to be done")
  await waitFor(async () => (await health()).status === "ok", "health to recover")
})

test("afterwards the books and the chain agree, and the log has no service's secret", async () => {
  expect(await differences()).toEqual([])
  for (const { secret } of [payer, authority]) expect(app.log.filter((line) => line.includes(secret))).toEqual([])
})

test("a key service with another key is refused at its first use, with a message", async () => {
  const vault = await startVault()
  const { Signers } = await import("#server/solana/signers/signers.ts")
  const { localKeys } = await import("#server/solana/keys.ts")
  const open = () => new Signers(localKeys(Buffer.alloc(32))).open(vault.uri, "")
  expect((await open()).publicKey.toBase58()).toBe(vault.key.address)
  vault.misbehave("other key")
  const again = await open()
  expect(again.publicKey.toBase58()).toBe(vault.key.address)
  await expect(again.sign([Buffer.from("a message")])).rejects.toThrow(/now has another key/)
  await vault.stop()
})
