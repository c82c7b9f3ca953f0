import { expect, test } from "vitest"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// No worker runs, so nothing is swept.

usesApp({ environment: { VOUCH_ROLE: "web" } })

const get = (key: TestKey, query: string) =>
  app.request({ method: "GET", path: `/attestations${query}`, key: key.apiKey })
const list = async (key: TestKey, query = "") => {
  const { json } = await get(key, query)
  return { wallets: json.data.map((one: { user_pubkey: string }) => one.user_pubkey), next: json.next_cursor }
}
const startMany = async (key: TestKey, count: number) => {
  const wallets: string[] = []
  for (let i = 0; i < count; i++) wallets.unshift((await app.startSession(key)).wallet)
  return wallets
}

test("a workspace without attestations has an empty list", async () => {
  expect((await get(await app.key(), "")).json).toEqual({ data: [], next_cursor: null })
})

test("lists are newest first, twenty to a page, and cursors reach every record once", async () => {
  const key = await app.key()
  const wallets = await startMany(key, 45)
  const first = await list(key)
  expect(first.wallets).toEqual(wallets.slice(0, 20))
  const second = await list(key, `?cursor=${first.next}`)
  expect(second.wallets).toEqual(wallets.slice(20, 40))
  const third = await list(key, `?cursor=${second.next}`)
  expect(third).toEqual({ wallets: wallets.slice(40), next: null })
  expect((await list(key, "?limit=45")).next).toBeNull()
  expect((await list(key, "?limit=44")).next).not.toBeNull()
})

test("a page stays the same while records are added", async () => {
  const key = await app.key()
  const wallets = await startMany(key, 6)
  const first = await list(key, "?limit=2")
  await startMany(key, 3)
  const second = await list(key, `?limit=2&cursor=${first.next}`)
  await startMany(key, 3)
  const third = await list(key, `?limit=2&cursor=${second.next}`)
  expect([first, second, third].flatMap((page) => page.wallets)).toEqual(wallets)
  expect(await list(key, `?limit=2&cursor=${first.next}`)).toEqual(second)
})

test("filters combine, and hold across pages", async () => {
  const key = await app.key()
  const wallet = newWallet()
  await app.startSession(key, wallet, "kyc_business_v1")
  const { sessionId } = await app.startSession(key, wallet, "kyc_individual_v1")
  await app.webhook({ session_id: sessionId, decision: "rejected" })
  await app.startSession(key, wallet, "kyc_individual_v1")
  await startMany(key, 2)
  const count = async (query: string) => (await list(key, query)).wallets.length
  expect(await count("")).toBe(5)
  expect(await count(`?pubkey=${wallet}`)).toBe(3)
  expect(await count(`?pubkey=${wallet}&schema=kyc_individual_v1`)).toBe(2)
  expect(await count(`?pubkey=${wallet}&schema=kyc_individual_v1&status=rejected`)).toBe(1)
  expect(await count("?schema=accredited_investor_v1")).toBe(0)
  expect(await count("?status=verified")).toBe(0)
  const first = await list(key, `?pubkey=${wallet}&limit=2`)
  expect((await list(key, `?pubkey=${wallet}&limit=2&cursor=${first.next}`)).wallets).toEqual([wallet])
})

test("the filter by status counts what has expired at the time of reading, without a sweep", async () => {
  const key = await app.key()
  await startMany(key, 2)
  const { sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  const count = async (status: string) => (await list(key, `?status=${status}`)).wallets.length
  expect([await count("pending"), await count("expired")]).toEqual([3, 0])
  await advanceClock({ seconds: 24 * 3600 + 60 })
  expect([await count("pending"), await count("expired")]).toEqual([1, 2])
  const { json } = await get(key, "?status=expired")
  expect(json.data.map((one: { status: string }) => one.status)).toEqual(["expired", "expired"])
})

test.each([
  "limit=0",
  "limit=101",
  "limit=-1",
  "limit=1.5",
  "limit=ten",
  "limit=",
  "limit=1e1",
  "limit=99999999999999999999",
  "cursor=",
  "cursor=x",
  "cursor=djE6MA",
  "cursor=djE6MQ==",
  `cursor=${Buffer.from("v1:-1").toString("base64url")}`,
  `cursor=${Buffer.from("v1:1e3").toString("base64url")}`,
  `cursor=${Buffer.from("v1:9999999999999999999").toString("base64url")}`,
  `cursor=${"A".repeat(200)}`,
  "status=approved",
  "status=",
  "status=Pending",
  "state=pending",
  "limit=1&limit=1",
])("?%s is refused, and the error names the parameter", async (query) => {
  const response = await get(await app.key(), `?${query}`)
  expect(response).toMatchObject({ status: 422, json: { error: "validation_failed" } })
  expect(response.json.detail).toMatch(new RegExp(`^${query.split("=")[0]}: `))
})
