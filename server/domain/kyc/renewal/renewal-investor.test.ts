import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type MailServer, startMailServer } from "#test/doubles/mail.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { renewalToken } from "./link.ts"
import { sendReminders } from "./notices.ts"

// A renewal link renews for the person it was mailed to, and never takes a wallet from another person.
let app: TestApp
let key: TestKey
let mail: MailServer

beforeAll(async () => {
  mail = await startMailServer()
  app = await startTestApp({ VOUCH_SMTP_URL: mail.url, VOUCH_MAIL_FROM: "Vouch <vouch@example.com>" })
  key = await app.key()
  await sql`update workspaces set reminders = true where id = ${key.workspaceId}`
})
afterAll(async () => {
  await app.stop()
  await new Promise((resolve) => mail.server.close(resolve))
})

const start = async (wallet: string, schemaId: string, externalId: string, email?: string): Promise<string> =>
  (
    await app.request({
      ...{ method: "POST", path: "/kyc/start", key: key.apiKey },
      json: { userPubkey: wallet, schemaId, externalId, ...(email !== undefined && { email }) },
    })
  ).json.session_id
const renew = (token: string) =>
  fetch(`${app.origin}/api/trpc/verification.renew`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId: token }),
  })
const ownerOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/investors?wallet=${wallet}`, key: key.apiKey })).json.data[0].external_id
const sessionsOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/sessions?pubkey=${wallet}`, key: key.apiKey })).json.data

/** A wallet verified for a person, with its renewal link. */
async function verifiedFor(externalId: string, email?: string) {
  const wallet = newWallet()
  const session_id = await start(wallet, "kyc_individual_v1", externalId, email)
  await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  return { wallet, attestation_id, token: renewalToken(attestation_id) }
}

test("a link renews for the person for whom the wallet was verified", async () => {
  const { wallet, token } = await verifiedFor("holder-1")
  expect((await renew(token)).status).toBe(200)
  expect((await sessionsOf(wallet))[0]).toMatchObject({ state: "open", external_id: "holder-1" })
})

test.each([
  ["the same schema", "kyc_individual_v1"],
  ["another schema", "kyc_business_v1"],
])("a wallet that was later verified for another person stays theirs, with %s", async (_which, schemaId) => {
  const { wallet, token } = await verifiedFor(`seller of ${schemaId}`)
  const session_id = await start(wallet, schemaId, `buyer of ${schemaId}`)
  await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  await expect.poll(async () => (await sessionsOf(wallet))[0].state).toBe("verified")
  const before = await sessionsOf(wallet)
  const answer = await renew(token)
  expect(answer.status).toBe(200)
  expect((await answer.json()).result.data.url).toBeNull()
  expect(await sessionsOf(wallet)).toEqual(before)
  expect(await ownerOf(wallet)).toBe(`buyer of ${schemaId}`)
})

test("with a simultaneous approval of another person, a link opens its own person's page or none", async () => {
  for (let round = 0; round < 8; round++) {
    const [seller, buyer] = [`seller ${round}`, `buyer ${round}`]
    const { wallet, token } = await verifiedFor(seller)
    const session_id = await start(wallet, "kyc_individual_v1", buyer)
    const [answer] = await Promise.all([renew(token), app.webhook({ session_id, decision: "approved" })])
    const { result, error } = await answer.json()
    const sessions: { session_id: string; external_id: string }[] = await sessionsOf(wallet)
    if (answer.status !== 200) expect(error.data.error).toBe("invalid_link")
    else if (result.data.url !== null)
      expect(sessions.find((one) => result.data.url.includes(one.session_id))!.external_id).toBe(seller)
    expect(await ownerOf(wallet)).toBe(buyer)
  }
})

test("a person whose wallet now belongs to another person is not reminded", async () => {
  const [seller, holder] = ["seller@example.com", "holder@example.com"]
  const sold = await verifiedFor("a seller", seller)
  const kept = await verifiedFor("a holder", holder)
  const session_id = await start(sold.wallet, "kyc_business_v1", "the buyer")
  await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  // Started for another person, which does not change the owner.
  await start(kept.wallet, "kyc_business_v1", "the buyer")
  await sql`
    update attestations set issued_at = now() - interval '360 days', expires_at = now() + interval '5 days'
    where id = any(${[sold.attestation_id, kept.attestation_id]})`
  await sendReminders()
  expect(mail.received.map(({ to }) => to)).toEqual([holder])
})
