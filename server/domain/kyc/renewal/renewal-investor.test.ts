import { afterAll, beforeAll, expect, test } from "vitest"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import { renewalToken } from "./link.ts"

// Whose wallet it is, the company says: a link that was mailed before does not undo it.
let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp()
  key = await app.key()
})
afterAll(() => app.stop())

const start = async (wallet: string, schemaId: string, externalId: string): Promise<string> =>
  (
    await app.request({
      ...{ method: "POST", path: "/kyc/start", key: key.apiKey },
      json: { userPubkey: wallet, schemaId, externalId },
    })
  ).json.session_id
const renew = (token: string) =>
  fetch(`${app.origin}/api/trpc/verification.renew`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId: token }),
  })
const ownerOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/investors?wallet=${wallet}`, key: key.apiKey })).json.data[0]
    .external_id
const sessionsOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/sessions?pubkey=${wallet}`, key: key.apiKey })).json.data

/** A wallet that was verified for somebody, with the link that renews it. */
async function verifiedFor(externalId: string) {
  const wallet = newWallet()
  const session_id = await start(wallet, "kyc_individual_v1", externalId)
  await app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  return { wallet, token: renewalToken(attestation_id) }
}

test("a link renews for the person whom the wallet was verified for", async () => {
  const { wallet, token } = await verifiedFor("holder-1")
  expect((await renew(token)).status).toBe(200)
  expect((await sessionsOf(wallet))[0]).toMatchObject({ state: "open", external_id: "holder-1" })
})

test.each([
  ["a session of the same schema is open", "kyc_individual_v1"],
  ["one of another schema is", "kyc_business_v1"],
])("a wallet that has somebody else by now stays with them, where %s", async (_where, schemaId) => {
  const { wallet, token } = await verifiedFor(`seller of ${schemaId}`)
  await start(wallet, schemaId, `buyer of ${schemaId}`)
  expect((await renew(token)).status).toBe(200)
  expect(await ownerOf(wallet)).toBe(`buyer of ${schemaId}`)
  for (const { external_id, state } of await sessionsOf(wallet))
    if (state === "open") expect(external_id).not.toBe(`seller of ${schemaId}`)
})
