import { beforeAll, expect, test } from "vitest"
import { type Event, Vouch, VouchError, verifyOnChain } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { dropOldEvents } from "#server/domain/events/drop.ts"
import { clock } from "#server/lib/time.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

let vouch: Vouch

usesCustomer()
beforeAll(async () => {
  vouch = new Vouch({ baseUrl: app.origin, apiKey: key.apiKey })
})

const schema = "kyc_individual_v1"
const fund = "us_real_estate_fund_v1"

async function verifiedWallet() {
  const wallet = newWallet()
  const { session_id } = await vouch.startVerification({ userPubkey: wallet, schemaId: schema })
  await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  expect((await vouch.waitForStatus({ pubkey: wallet })).status).toBe("verified")
  return wallet
}

test("the client can verify, mint, transfer, revoke, and read every event of that", async () => {
  expect((await vouch.getKey()).mode).toBe("test")
  const [alice, bob] = [await verifiedWallet(), await verifiedWallet()]
  const idempotencyKey = "mint-1"
  const mint = { user_pubkey: alice, mint_config: fund, amount: "1000" }
  const minted = await vouch.mintTokens(mint, { idempotencyKey })
  expect(minted).toMatchObject({ status: "confirmed", amount: "1000" })
  expect((await vouch.mintTokens(mint, { idempotencyKey })).operation_id).toBe(minted.operation_id)

  const move = { from_pubkey: alice, to_pubkey: bob, mint_config: fund, amount: "250.5" }
  const moved = await vouch.waitFor(vouch.transferTokens(move, { respondAsync: true }))
  expect(moved.status).toBe("confirmed")
  const balances = [alice, bob].map((pubkey) => vouch.getBalance({ pubkey, mint_config: fund }))
  expect((await Promise.all(balances)).map(({ amount }) => amount)).toEqual(["749.5", "250.5"])
  const more = vouch.transferTokens({ ...move, amount: "750" })
  await expect(more).rejects.toMatchObject({ code: "insufficient_balance", status: 422 })

  const { attestation_id } = await vouch.getWalletStatus({ pubkey: bob, schema })
  const { onchain } = await vouch.getAttestation({ id: attestation_id })
  const question = { issuer: onchain!.authority, schema, wallet: bob }
  expect(await verifyOnChain(app.chain.url, question)).toMatchObject({
    verified: true,
    attestationId: attestation_id,
  })
  const revoked = await vouch.revokeAttestation({ id: attestation_id, reason: "Sanctions list match" })
  expect(revoked.status).toBe("rejected")
  const refused = await vouch.transferTokens(move).catch((error) => error)
  expect(refused).toBeInstanceOf(VouchError)
  expect(refused).toMatchObject({ code: "wallet_not_verified", status: 403 })
  await expect.poll(() => verifyOnChain(app.chain.url, question)).toEqual({ verified: false, reason: "revoked" })

  const isRevoked = ({ type, data }: Event) =>
    type === "attestation.rejected" && "attestation_id" in data && data.attestation_id === attestation_id
  const events: Event[] = []
  for await (const event of vouch.followEvents({ after: 0 })) {
    events.push(event)
    if (isRevoked(event)) break
  }
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
  const count = (type: string) => events.filter((event) => event.type === type).length
  expect({ verified: count("attestation.verified"), confirmed: count("operation.confirmed") }).toEqual({
    verified: 2,
    confirmed: 2,
  })
})

test("following an old workspace starts with the oldest event kept, or with new ones; a lost position is an error", async () => {
  const first = async (of: AsyncIterable<Event>) => {
    for await (const { sequence } of of) return sequence
    return null
  }
  expect(await first(vouch.followEvents())).toBe(1)
  await sql`
    update events set occurred_at = occurred_at - interval '91 days' where workspace_id = ${key.workspaceId} and sequence <= 3`
  await dropOldEvents(clock.now())
  expect(await first(vouch.followEvents())).toBe(4)
  expect(await first(vouch.followEvents({ after: 3 }))).toBe(4)
  for (const after of [0, 2])
    await expect(first(vouch.followEvents({ after }))).rejects.toMatchObject({
      code: "events_expired",
      status: 410,
    })

  const { last_sequence } = await vouch.listEvents({ limit: 1 })
  const next = first(vouch.followEvents({ after: last_sequence }))
  await vouch.startVerification({ userPubkey: newWallet(), schemaId: schema })
  expect(await next).toBe(last_sequence + 1)
})

test("endpoints without fields can be called: pause, unpause, cancel, and a list of all pages", async () => {
  expect((await vouch.pauseMintConfig({ id: fund })).paused).toBe(true)
  expect((await vouch.unpauseMintConfig({ id: fund })).paused).toBe(false)
  const wallets = [newWallet(), newWallet(), newWallet()]
  for (const userPubkey of wallets) {
    const { session_id } = await vouch.startVerification({ userPubkey, schemaId: schema })
    expect((await vouch.cancelSession({ id: session_id })).state).toBe("cancelled")
  }
  const found: string[] = []
  for await (const { user_pubkey } of vouch.listSessions({ state: "cancelled", limit: 2 })) found.push(user_pubkey)
  expect(found).toEqual(wallets.toReversed())
  expect((await vouch.listMintConfigs()).data.map(({ id }) => id)).toEqual([fund])
  expect((await vouch.getHealth()).status).toBe("ok")
})
