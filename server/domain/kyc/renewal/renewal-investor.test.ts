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
  const before = await sessionsOf(wallet)
  const answer = await renew(token)
  expect(answer.status).toBe(200)
  // Nor does it lead to their page.
  expect((await answer.json()).result.data).toMatchObject({ url: null, view: { state: "verified" } })
  expect(await sessionsOf(wallet)).toEqual(before)
  expect(await ownerOf(wallet)).toBe(`buyer of ${schemaId}`)
  for (const { external_id, state } of await sessionsOf(wallet))
    if (state === "open") expect(external_id).not.toBe(`seller of ${schemaId}`)
})

test("a link and a start for somebody else at once: the wallet has one of them, and the link leads to nobody else's page", async () => {
  for (let round = 0; round < 8; round++) {
    const [seller, buyer] = [`seller ${round}`, `buyer ${round}`]
    const { wallet, token } = await verifiedFor(seller)
    const [answer] = await Promise.all([renew(token), start(wallet, "kyc_individual_v1", buyer)])
    const { result, error } = await answer.json()
    const [newest] = await sessionsOf(wallet)
    expect(newest).toMatchObject({ state: "open", external_id: buyer })
    if (answer.status !== 200) expect(error.data.error).toBe("invalid_link")
    // Unless the renewal came first, and its session was corrected after that.
    else if (result.data.url !== null) expect(result.data.url).toContain(newest.session_id)
  }
})
