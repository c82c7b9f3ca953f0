import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { verifiedFor } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { differences } from "#test/matchers/credential.ts"

// What a token counts while the persons behind wallets change.

usesCustomer({ key: { plan: "enterprise" } })
afterAll(async () => expect(await differences()).toEqual([]))

const { get, post, start, decide, verify, prove, ownerOf } = investorFixture(() => ({ app, key }))
const async = { headers: { prefer: "respond-async" } }

const codeOf = ({ status, json }: Response) => (status < 300 ? status : json.error)
const countsOf = async (config: string) =>
  (await sql`select investors from mint_configs where workspace_id = ${key.workspaceId} and id = ${config}`)[0]!
    .investors
const holderOf = async (config: string, wallet: string) =>
  (await sql`select investor from holdings where mint_config = ${config} and wallet = ${wallet}`)[0]?.investor ?? null
const limitReviews = async (investorId: string) =>
  sql`select id, state from reviews where kind = 'limit' and investor_id = ${investorId}`

/** A wallet that is verified without a name, and the session in which its person names themselves. */
async function nameless() {
  const signer = newSigningWallet()
  await verify(signer.address)
  const { investor_id } = await ownerOf(signer.address)
  return { signer, wallet: signer.address, investorId: investor_id as string }
}

/** The person of a nameless wallet turns out to be the investor with this name. */
async function merge({ signer, wallet }: Awaited<ReturnType<typeof nameless>>, name: string): Promise<void> {
  const session = await start(wallet, name, "kyc_business_v1")
  await prove(session, signer)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: name })
}

test("when two investors turn out to be one, their holdings add up and one slot becomes free", async () => {
  const config = await tokens.config({ max_investors: 2, max_balance_per_investor: "100" })
  const name = newName("known")
  const known = await verifiedFor(app, key, { externalId: name })
  const other = await nameless()
  const [third] = await tokens.wallets(1)
  await tokens.mint(config, known, 40)
  await tokens.mint(config, other.wallet, 30)
  expect(codeOf(await tokens.mint(config, third, 1))).toBe("investor_limit_reached")

  await merge(other, name)
  const { investor_id } = await ownerOf(known)
  expect(await holderOf(config, other.wallet)).toBe(investor_id)
  expect(await countsOf(config)).toMatchObject({ investors: 1 })
  expect(codeOf(await tokens.mint(config, known, 31))).toBe("investor_balance_limit_exceeded")
  expect(codeOf(await tokens.mint(config, known, 30))).toBe(200)
  expect(codeOf(await tokens.mint(config, third, 1))).toBe(200)
  expect(await limitReviews(investor_id)).toHaveLength(0)
})

test("if the sum of two investors is above a limit, nothing moves, mints are refused, and a review opens", async () => {
  const config = await tokens.config({ max_balance_per_investor: "50" })
  const name = newName("above")
  const known = await verifiedFor(app, key, { externalId: name })
  const other = await nameless()
  await tokens.mint(config, known, 40)
  await tokens.mint(config, other.wallet, 30)
  await merge(other, name)
  const { investor_id } = await ownerOf(known)
  expect([await tokens.onChain(config, known), await tokens.onChain(config, other.wallet)]).toEqual([40n, 30n])
  expect(codeOf(await tokens.mint(config, known, 1))).toBe("investor_balance_limit_exceeded")
  const [review] = await limitReviews(investor_id)
  expect(review).toMatchObject({ state: "open" })
  await expect
    .poll(async () => (await get("/events?type=review.opened")).data.map((one: { data: object }) => one.data))
    .toContainEqual(expect.objectContaining({ review_id: review!.id, kind: "limit" }))
  // They can still pass on what they have, also to themselves.
  expect(codeOf(await tokens.transfer(config, known, other.wallet, 10))).toBe(200)
  const [stranger] = await tokens.wallets(1)
  expect(codeOf(await tokens.transfer(config, other.wallet, stranger, 20))).toBe(200)
  expect(codeOf(await tokens.mint(config, known, 1))).toBe("investor_balance_limit_exceeded")
})

test("a merge of two investors in the middle of a transfer between them counts them once", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const name = newName("in_flight")
  const known = await verifiedFor(app, key, { externalId: name })
  const other = await nameless()
  await tokens.mint(config, other.wallet, 30)
  await whileLedgerPaused(async () => {
    expect(codeOf(await tokens.transfer(config, other.wallet, known, 30, async))).toBe(202)
    expect(await countsOf(config)).toMatchObject({ investors: 1 })
    await merge(other, name)
    expect(await countsOf(config)).toMatchObject({ investors: 1 })
  })
  await waitFor(async () => (await tokens.onChain(config, known)) === 30n, "the transfer")
  expect(await countsOf(config)).toMatchObject({ investors: 1 })
  expect(await sql`select lent_by from investor_slots where mint_config = ${config}`).toEqual([{ lent_by: null }])
})

test("a wallet that is verified for another person counts for them from then on, also above a limit", async () => {
  const config = await tokens.config({ max_balance_per_investor: "50", max_investors: 2 })
  const [seller, buyer, signer] = [newName("seller"), newName("buyer"), newSigningWallet()]
  const wallet = signer.address
  await verify(wallet, seller)
  const { investor_id: first } = await ownerOf(wallet)
  const ofSeller = await verifiedFor(app, key, { externalId: seller })
  const ofBuyer = await verifiedFor(app, key, { externalId: buyer })
  for (const [to, amount] of [
    [wallet, 30],
    [ofSeller, 10],
    [ofBuyer, 40],
  ] as const)
    expect(codeOf(await tokens.mint(config, to, amount))).toBe(200)
  const session = await start(wallet, buyer)
  await prove(session, signer)
  // Proven is not yet verified: until then it counts where it did.
  expect(await holderOf(config, wallet)).toBe(first)
  await decide(session, "approved")
  await app.waitForStatus(key, wallet, "verified")
  const { investor_id } = await ownerOf(ofBuyer)
  expect(await holderOf(config, wallet)).toBe(investor_id)
  expect(await countsOf(config)).toMatchObject({ investors: 2 })
  expect(codeOf(await tokens.mint(config, ofBuyer, 1))).toBe("investor_balance_limit_exceeded")
  expect(codeOf(await tokens.mint(config, ofSeller, 40))).toBe(200)
  expect(await limitReviews(investor_id)).toHaveLength(1)
})

test("the person is the one of the required schema, not of the newest verification", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const name = newName("required")
  const wallet = await verifiedFor(app, key, { externalId: name })
  const { investor_id } = await ownerOf(wallet)
  await tokens.mint(config, wallet, 10)
  const session = await start(wallet, newName("company"), "kyc_business_v1")
  expect(await holderOf(config, wallet)).toBe(investor_id)
  await decide(session, "approved")
  expect(codeOf(await tokens.mint(config, wallet, 5))).toBeOneOf([200, "wallet_not_verified"])
  expect(await holderOf(config, wallet)).toBe(investor_id)
})

test("a wallet that is no longer verified still counts for its investor", async () => {
  const config = await tokens.config({ max_balance_per_investor: "50" })
  const name = newName("revoked")
  const [first, second] = [
    await verifiedFor(app, key, { externalId: name }),
    await verifiedFor(app, key, { externalId: name }),
  ]
  await tokens.mint(config, first, 40)
  const { attestation_id } = await get(`/kyc/status/${first}`)
  await post(`/attestation/${attestation_id}/revoke`, { reason: "Lost" })
  expect(codeOf(await tokens.mint(config, second, 11))).toBe("investor_balance_limit_exceeded")
  expect(codeOf(await tokens.mint(config, second, 10))).toBe(200)
})

test("after an erasure each wallet counts by itself, as an investor of whom nothing is known", async () => {
  const config = await tokens.config({ max_investors_by_country: { JP: 1 } })
  const name = newName("erased")
  const claims = { country: "US", accredited: true }
  const [first, second] = [
    await verifiedFor(app, key, { externalId: name, claims }),
    await verifiedFor(app, key, { externalId: name, claims }),
  ]
  for (const wallet of [first, second]) await tokens.mint(config, wallet, 10)
  expect(await countsOf(config)).toEqual({ investors: 1, "country:US": 1 })
  const { investor_id } = await ownerOf(first)
  expect((await post(`/investor/${investor_id}/erase`)).status).toBe(200)
  expect([await holderOf(config, first), await holderOf(config, second)]).toEqual([first, second])
  expect(await countsOf(config)).toEqual({ investors: 2, "country:": 2, non_accredited: 2 })
  const slots = await sql`select investor, attestation_id from investor_slots where mint_config = ${config} order by 1`
  expect(slots.map((row) => ({ ...row }))).toEqual(
    [first, second].sort().map((investor) => ({ investor, attestation_id: null })),
  )
  // They may be from anywhere.
  const japanese = await verifiedFor(app, key, { externalId: newName("jp"), claims: { country: "JP" } })
  expect(codeOf(await tokens.mint(config, japanese, 1))).toBe("investor_limit_reached")
  // Verified again, the wallet counts for its new investor.
  const again = await verifiedFor(app, key, { externalId: newName("again"), wallet: first, claims })
  const { investor_id: now } = await ownerOf(again)
  expect(await holderOf(config, first)).toBe(now)
})

test("the erasure of one wallet leaves its person's others where they are, with what their verification says", async () => {
  const config = await tokens.config({ max_investors: 5 })
  const name = newName("partly")
  const [first, second] = [
    await verifiedFor(app, key, { externalId: name, claims: { country: "JP" } }),
    await verifiedFor(app, key, { externalId: name, claims: { country: "DE" } }),
  ]
  await tokens.mint(config, second, 10)
  await tokens.mint(config, first, 10)
  expect(await countsOf(config)).toEqual({ investors: 1, "country:JP": 1, non_accredited: 1 })
  expect((await post(`/wallets/${first}/erase`)).status).toBe(200)
  expect(await countsOf(config)).toEqual({ investors: 2, "country:": 1, "country:DE": 1, non_accredited: 2 })
  const { investor_id } = await ownerOf(second)
  expect(await holderOf(config, second)).toBe(investor_id)
})

test("an erasure while everything changes hands leaves no slot behind", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [from, to] = [newName("from"), newName("to")]
  const giver = await verifiedFor(app, key, { externalId: from })
  const receiver = await verifiedFor(app, key, { externalId: to })
  await tokens.mint(config, giver, 10)
  await whileLedgerPaused(async () => {
    expect(codeOf(await tokens.transfer(config, giver, receiver, 10, async))).toBe(202)
    const { investor_id } = await ownerOf(receiver)
    expect((await post(`/investor/${investor_id}/erase`)).status).toBe(200)
  })
  const { data } = await get(`/token/operations?mint_config=${config}&kind=transfer`)
  await waitFor(async () => (await get(`/token/operation/${data[0].operation_id}`)).status === "failed", "the refusal")
  expect(await countsOf(config)).toMatchObject({ investors: 1 })
  expect(codeOf(await tokens.mint(config, giver, 1))).toBe(200)
})

test("a renewal in another country counts there once the wallet receives again", async () => {
  const config = await tokens.config({ max_investors_by_country: { JP: 1, DE: 1 } })
  const name = newName("moves")
  const wallet = await verifiedFor(app, key, { externalId: name, claims: { country: "JP" } })
  const german = await verifiedFor(app, key, { externalId: newName("de"), claims: { country: "DE" } })
  await tokens.mint(config, wallet, 10)
  const before = (await get(`/kyc/status/${wallet}`)).attestation_id
  const session_id = await start(wallet, name)
  await app.webhook({ session_id, decision: "approved", claims: { country: "DE" } })
  await waitFor(async () => (await get(`/kyc/status/${wallet}`)).attestation_id !== before, "the renewal")
  expect(await countsOf(config)).toMatchObject({ "country:JP": 1 })
  await tokens.mint(config, german, 1)
  expect(codeOf(await tokens.mint(config, wallet, 1))).toBe("investor_limit_reached")
  expect(codeOf(await tokens.transfer(config, german, wallet, 1))).toBe("investor_limit_reached")
})

test("the audit reports counts, slots and persons that are wrong", async () => {
  const config = await tokens.config({ max_investors: 5 })
  const [one, two] = await tokens.wallets(2)
  for (const wallet of [one, two]) await tokens.mint(config, wallet, 10)
  const found = async () => {
    const { differences } = await auditLedger({ account: null, progress: () => {} })
    return differences
      .filter(({ kind }) => kind === "token_investors")
      .map(({ detail }) => detail.replace(/^ws\S+: /, ""))
  }
  expect(await found()).toEqual([])
  const investor = await holderOf(config, one)
  await sql`update mint_configs set investors = '{"investors":3,"country:US":2,"non_accredited":2}' where id = ${config}`
  expect(await found()).toEqual([`3 count as investors of ${config}, but there are 2`])
  await sql`update mint_configs set investors = '{"investors":2,"country:US":2,"non_accredited":2}' where id = ${config}`
  const stranger = newWallet()
  await sql`update investor_slots set investor = ${stranger} where mint_config = ${config} and investor = ${investor}`
  expect((await found()).sort()).toEqual(
    [
      `${stranger} has a slot, but holds nothing in ${config}`,
      `${investor} holds units, but has no slot in ${config}`,
    ].sort(),
  )
  await sql`update investor_slots set investor = ${investor} where mint_config = ${config} and investor = ${stranger}`
  await sql`update holdings set investor = ${await holderOf(config, two)} where mint_config = ${config} and wallet = ${one}`
  expect(await found()).toContain(
    `${one} holds ${config} for ${await holderOf(config, two)}, but is verified for ${investor}`,
  )
  await sql`update holdings set investor = ${investor} where mint_config = ${config} and wallet = ${one}`
  await sql`update investor_slots set lent_by = 'op_gone', lender = investor, lender_attestation_id = attestation_id where mint_config = ${config} and investor = ${investor}`
  expect(await found()).toEqual([`the slot of ${investor} in ${config} waits for op_gone, which has ended`])
  await sql`update investor_slots set lent_by = null, lender = null, lender_attestation_id = null where mint_config = ${config}`
  expect(await found()).toEqual([])
})

test("a recovery of a lost wallet changes no count, even at every limit", async () => {
  const config = await tokens.config({ max_investors: 1, max_balance_per_investor: "50", min_balance: "50" })
  const recoveries = recoveryFixture(app, key)
  const { investor, lost, fresh } = await recoveries.person()
  expect(codeOf(await tokens.mint(config, lost, 50))).toBe(200)
  const before = await countsOf(config)
  const { json } = await recoveries.request(investor, { lost_wallet: lost, new_wallet: fresh })
  expect(await recoveries.untilEnded(json.recovery_id)).toMatchObject({ state: "completed" })
  expect(await tokens.onChain(config, fresh)).toBe(50n)
  expect(await countsOf(config)).toEqual(before)
  expect(await holderOf(config, fresh)).toBe(investor)
})
