import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer({ key: { plan: "growth" } })

const get = (path: string, by = key) => app.request({ method: "GET", path, key: by.apiKey })
const list = async (query = "", by = key) => (await get(`/investors${query}`, by)).json

async function start(externalId?: string, wallet = newWallet(), by = key, schemaId = "kyc_individual_v1") {
  const json = { userPubkey: wallet, schemaId, ...(externalId && { externalId }) }
  const started = await app.request({ method: "POST", path: "/kyc/start", key: by.apiKey, json })
  expect(started.status).toBe(200)
  return { wallet, sessionId: started.json.session_id as string }
}
const idOf = async (wallet: string, by = key): Promise<string> =>
  (await list(`?wallet=${wallet}`, by)).data[0].investor_id
const ids = (page: { data: { investor_id: string }[] }) => page.data.map((one) => one.investor_id)

test("one person with three wallets is one investor: in the list, by id, by each wallet and by the external id", async () => {
  const own = await app.key()
  const wallets: string[] = []
  for (let n = 0; n < 3; n++) wallets.unshift((await start("ann", undefined, own)).wallet)
  const lone = await start(undefined, undefined, own)
  const all = await list("", own)
  expect(all).toMatchObject({
    data: [
      { external_id: null, wallets: [lone.wallet], erased_at: null },
      { external_id: "ann", wallets, erased_at: null },
    ],
    next_cursor: null,
  })
  const [, ann] = all.data
  for (const wallet of wallets) expect((await list(`?wallet=${wallet}`, own)).data).toEqual([ann])
  expect((await list("?external_id=ann", own)).data).toEqual([ann])
  expect((await list(`?external_id=ann&wallet=${lone.wallet}`, own)).data).toEqual([])
  expect((await list(`?external_id=an&wallet=${wallets[0]}`, own)).data).toEqual([])
  expect((await get(`/investor/${ann.investor_id}`, own)).json).toMatchObject(ann)
  const attestations = await get(`/attestations?investor=${ann.investor_id}`, own)
  expect(attestations.json.data.map((one: { user_pubkey: string }) => one.user_pubkey)).toEqual(wallets)
  for (const one of attestations.json.data) expect(one.investor_id).toBe(ann.investor_id)
})

test("lists are newest first, cursors reach the end, and a page stays the same while investors are added", async () => {
  const own = await app.key()
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await start(undefined, undefined, own)).wallet)
  const walletsOf = (page: { data: { wallets: string[] }[] }) => page.data.flatMap((one) => one.wallets)
  const first = await list("?limit=2", own)
  await start(undefined, undefined, own)
  const second = await list(`?limit=2&cursor=${first.next_cursor}`, own)
  const third = await list(`?limit=2&cursor=${second.next_cursor}`, own)
  expect([first, second, third].flatMap(walletsOf)).toEqual(made)
  expect(third.next_cursor).toBeNull()
  // The last investor of a page is merged into another. The next page begins where it would have.
  const last = first.data[1].wallets[0]
  await start("ann", undefined, own)
  await start("ann", last, own)
  expect(await list(`?limit=2&cursor=${first.next_cursor}`, own)).toEqual(second)
})

test("each wallet has its status for each schema, the same as in a lookup of the wallet", async () => {
  const id = newId("evt")
  const [first, second] = [newWallet(), newWallet()]
  const { sessionId } = await start(id, first)
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, first, "verified")
  // A renewal in progress does not change the status.
  await start(id, first)
  await start(id, first, key, "kyc_business_v1")
  const rejected = await start(id, second)
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected" })
  const { json } = await get(`/investor/${await idOf(second)}`)
  expect(json).toMatchObject({ external_id: id, wallets: [second, first] })
  const expected = await Promise.all(
    [
      [second, "kyc_individual_v1"],
      [first, "kyc_business_v1"],
      [first, "kyc_individual_v1"],
    ].map(async ([wallet, schema]) => ({
      user_pubkey: wallet,
      ...(await get(`/kyc/status/${wallet}?schema=${schema}`)).json,
    })),
  )
  expect(expected.map((one) => one.status)).toEqual(["rejected", "pending", "verified"])
  expect(json.verifications).toEqual(expected)
})

test("a wallet verified for another person belongs only to them, and its earlier attestations stay with their person", async () => {
  const [first, second, wallet] = [newId("evt"), newId("evt"), newWallet()]
  const { sessionId } = await start(first, wallet)
  await app.webhook({ session_id: sessionId, decision: "rejected" })
  const before = await idOf(wallet)
  const next = await start(second, wallet)
  expect(await idOf(wallet)).toBe(before)
  await app.webhook({ session_id: next.sessionId, decision: "approved" })
  const after = await idOf(wallet)
  expect(after).not.toBe(before)
  expect((await get(`/investor/${before}`)).json).toMatchObject({ wallets: [], verifications: [] })
  expect((await get(`/investor/${after}`)).json.wallets).toEqual([wallet])
  for (const investor of [before, after])
    expect((await get(`/attestations?investor=${investor}`)).json.data).toHaveLength(1)
})

test("the id of a merged investor returns the remaining one, and no list has both", async () => {
  const [name, theirs, wallet] = [newId("evt"), newWallet(), newWallet()]
  await start(name, theirs)
  await start(undefined, wallet)
  const [known, merged] = [await idOf(theirs), await idOf(wallet)]
  const cursor = Buffer.from(merged).toString("base64url")
  await start(name, wallet)
  const answer = await get(`/investor/${merged}`)
  expect(answer).toMatchObject({ status: 200, json: { investor_id: known, wallets: [wallet, theirs] } })
  expect(answer.json).toEqual((await get(`/investor/${known}`)).json)
  const found = await get(`/attestations?investor=${merged}`)
  expect(found.json).toEqual((await get(`/attestations?investor=${known}`)).json)
  expect(found.json.data).toHaveLength(2)
  expect(ids(await list("?limit=100"))).not.toContain(merged)
  expect((await get(`/investors?cursor=${cursor}`)).status).toBe(200)
})

test("GET /attestations filters by external id, session and time, and filters combine", async () => {
  const own = await app.key()
  const [one, other] = [await start("Ann", undefined, own), await start("ann", undefined, own)]
  const again = await start("Ann", undefined, own, "kyc_business_v1")
  await sql`
    update attestations set created_at = '2026-03-01T00:00:00.500Z'
    where workspace_id = ${own.workspaceId} and wallet = ${one.wallet}`
  const find = async (query: string) => {
    const { json } = await get(`/attestations?${query}`, own)
    return json.data.map((record: { user_pubkey: string }) => record.user_pubkey)
  }
  expect(await find("external_id=Ann")).toEqual([again.wallet, one.wallet])
  expect(await find("external_id=ann")).toEqual([other.wallet])
  expect(await find("external_id=An")).toEqual([])
  expect(await find(`session=${other.sessionId}`)).toEqual([other.wallet])
  expect(await find(`session=${newId("sess")}`)).toEqual([])
  expect(await find(`session=${other.sessionId}&external_id=Ann`)).toEqual([])
  expect(await find("external_id=Ann&schema=kyc_business_v1")).toEqual([again.wallet])
  const investor = await idOf(one.wallet, own)
  expect(await find(`investor=${investor}&schema=kyc_individual_v1`)).toEqual([one.wallet])
  expect(await find(`investor=${newId("inv")}`)).toEqual([])
  expect(await find("investor=unknown")).toEqual([])
  expect(await find("created_before=2026-03-01T00:00:00Z")).toEqual([])
  expect(await find("created_after=2026-03-01T00:00:00Z&created_before=2026-03-01T00:00:01Z")).toEqual([one.wallet])
  expect(await find("created_after=2026-03-01T00:00:01Z&external_id=Ann")).toEqual([again.wallet])
  expect((await get("/attestations?investor=unknown&schema=mistyped", own)).json.error).toBe("unknown_schema")
})

test.each([
  ["/investors", "external_id="],
  ["/investors", `external_id=${"x".repeat(201)}`],
  ["/investors", "external_id=%00"],
  ["/investors", "limit=0"],
  ["/investors", "limit=101"],
  ["/investors", "cursor=x"],
  ["/investors", `cursor=${Buffer.from("att_11111111111111111111").toString("base64url")}`],
  ["/investors", "q=ann"],
  ["/investors", "wallet=x&wallet=x"],
  ["/attestations", "external_id="],
  ["/attestations", "created_after=2026-02-30T00:00:00Z"],
  ["/attestations", "created_after=yesterday"],
  ["/attestations", "created_before=2026-01-01"],
  ["/attestations", "investor=a&investor=b"],
])("%s?%s is refused, and the error names the parameter", async (path, query) => {
  const response = await get(`${path}?${query}`)
  expect(response).toMatchObject({ status: 422, json: { error: "validation_failed" } })
  expect(response.json.detail).toMatch(new RegExp(`^${query.split("=")[0]}: `))
})

test("an invalid wallet address is refused as one", async () => {
  const { status, json } = await get("/investors?wallet=unknown")
  expect([status, json.error]).toEqual([422, "invalid_public_key"])
})

test("an id of another workspace, of another kind or of nothing is not found, and lists show no other workspace", async () => {
  const name = newId("evt")
  const { wallet, sessionId } = await start(name)
  const id = await idOf(wallet)
  const stranger = await app.key()
  const known = (await get(`/attestations?investor=${id}`)).json.data[0].attestation_id
  for (const [asked, by] of [
    [id, stranger],
    [known, key],
    [newId("inv"), key],
    ["inv_", key],
  ] as const) {
    expect(await get(`/investor/${asked}`, by)).toMatchObject({
      status: 404,
      json: { error: "investor_not_found" },
    })
  }
  for (const path of [
    "/investors",
    `/investors?wallet=${wallet}`,
    `/investors?external_id=${name}`,
    `/attestations?investor=${id}`,
    `/attestations?external_id=${name}`,
    `/attestations?session=${sessionId}`,
  ]) {
    expect((await get(path, stranger)).json, path).toEqual({ data: [], next_cursor: null })
  }
})

test("investors need kyc:read, and their attestations need attestation:read", async () => {
  const { wallet } = await start()
  const id = await idOf(wallet)
  const reads = await app.key({ scopes: ["attestation:read"] })
  for (const path of ["/investors", `/investor/${id}`]) {
    expect(await get(path, reads)).toMatchObject({ status: 403, json: { error: "insufficient_scope" } })
  }
  const knows = await app.key({ scopes: ["kyc:read"] })
  expect((await get("/investors", knows)).status).toBe(200)
  expect((await get(`/attestations?investor=${id}`, knows)).status).toBe(403)
})

test("the request log contains no external id or session that a request asks for", async () => {
  const own = await app.key()
  const name = newId("evt")
  const { sessionId } = await start(name, undefined, own)
  await get(`/investors?external_id=${name}`, own)
  await get(`/attestations?external_id=${name}&session=${sessionId}`, own)
  await get("/usage", own)
  await expect
    .poll(async () => {
      const rows = await sql<{ path: string }[]>`
        select path from api_requests where workspace_id = ${own.workspaceId} order by at`
      return rows.map((row) => row.path)
    })
    .toContain("/usage")
  const [{ hits }] = (await sql`
    select count(*)::int as hits from api_requests r
    where strpos(r::text, ${name}) > 0 or strpos(r::text, ${sessionId}) > 0`) as unknown as [{ hits: number }]
  expect(hits).toBe(0)
})
