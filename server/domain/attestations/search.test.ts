import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { advanceClock, moveClock, realNow, restoreClock } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let browser: Browser
let key: TestKey

// No worker runs, so nothing is swept.
usesApp({ environment: { VOUCH_ROLE: "web" } })

/** A member of a new workspace, and an API key. */
async function enter() {
  const { browser: own, account, workspaceId } = await member(app)
  browser = own
  key = await app.key({ account })
  return { account, workspaceId }
}

type Found = { attestation_id: string; user_pubkey: string; status: string; external_id: string | null }

async function search(input: object = {}) {
  const { status, data, error } = await browser.query("attestation.search", input)
  if (status !== 200) throw Object.assign(new Error(JSON.stringify(error)), { code: error.error })
  return { found: data.data as Found[], next: data.next_cursor as string | null }
}
const walletsOf = async (input: object) => (await search(input)).found.map((one) => one.user_pubkey)

async function start(externalId?: string, schemaId = "kyc_individual_v1", wallet = newWallet()) {
  const json = { userPubkey: wallet, schemaId, ...(externalId && { externalId }) }
  const response = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  return { wallet, sessionId: response.json.session_id as string }
}

/** Marks it as if it were on chain, because this file has no worker. */
async function verify(sessionId: string, expiresAt: Date) {
  await sql`
    update attestations set status = 'verified', issued_at = created_at, verified_at = created_at, open_until = null,
      expires_at = ${expiresAt}, onchain_tx = ${sessionId}, commitment = 'c', salt = 's'
    where session_id = ${sessionId}`
}

test("lists are newest first, fifty to a page, and cursors reach every record once", async () => {
  await enter()
  const made: string[] = []
  for (let n = 0; n < 53; n++) made.unshift((await start()).wallet)
  const first = await search()
  expect(first.found.map((one) => one.user_pubkey)).toEqual(made.slice(0, 50))
  const second = await search({ cursor: first.next })
  expect(second.found.map((one) => one.user_pubkey)).toEqual(made.slice(50))
  expect(second.next).toBeNull()
})

test("the search finds wallets, ids, and words of external ids with any characters", async () => {
  await enter()
  const percent = await start("100%_sure")
  const similar = await start("100 percent sure")
  const investor = await start("investor-4711")
  const [record] = (await search({ q: "investor-47" })).found
  expect(record).toMatchObject({ user_pubkey: investor.wallet, external_id: "investor-4711" })
  expect(await walletsOf({ q: investor.wallet })).toEqual([investor.wallet])
  expect(await walletsOf({ q: record!.attestation_id })).toEqual([investor.wallet])
  expect(await walletsOf({ q: "100" })).toEqual([similar.wallet, percent.wallet])
  expect(await walletsOf({ q: "100%" })).toEqual([percent.wallet])
  expect(await walletsOf({ q: "100_" })).toEqual([])
  expect(await walletsOf({ q: "4711" })).toEqual([investor.wallet])
  const emma = await start("emma-larsson-1008")
  for (const q of ["larsson", "LARSS", "emma 1008", "1008 larsson", "em", "la", "10 em", "1008 la", " emma "])
    expect(await walletsOf({ q }), q).toEqual([emma.wallet])
  // Short words match only where one begins.
  for (const q of ["larsson olivia", "ar", "ar em", "em%", "__", "'", '"', "\\", "emma' or 1=1", "x".repeat(200)])
    expect(await walletsOf({ q }), q).toEqual([])
  // Blank text limits nothing.
  expect(await walletsOf({ q: " " })).toHaveLength(4)
  expect(await walletsOf({ q: newWallet() })).toEqual([])
  // A session id opens the hosted page, so no search finds it.
  expect(await walletsOf({ q: investor.sessionId })).toEqual([])
})

test("the search finds a wallet by its beginning or end, as screens show it, and external ids in any case", async () => {
  await enter()
  const one = await start("Investor-Äneas")
  const other = await start()
  const { wallet } = one
  for (const [q, found] of [
    [wallet.slice(0, 4), wallet],
    [wallet.slice(0, 11), wallet],
    [wallet.slice(-4), wallet],
    [wallet.slice(-11), wallet],
    [`${wallet.slice(0, 8)}…${wallet.slice(-8)}`, wallet],
    [`${wallet.slice(0, 4)}...${wallet.slice(-4)}`, wallet],
    [`${wallet.slice(0, 5)}…`, wallet],
    [`…${other.wallet.slice(-5)}`, other.wallet],
    ["INVESTOR-ä", wallet],
    ["investor-Ä", wallet],
  ] as const) {
    expect(await walletsOf({ q }), q).toEqual([found])
  }
  for (const q of [
    // Too short to tell wallets apart, and a beginning with the end of another wallet.
    wallet.slice(0, 3),
    wallet.slice(4, 12),
    `${wallet.slice(0, 8)}…${other.wallet.slice(-8)}`,
    `${wallet.slice(0, 4)}%${wallet.slice(-4)}`,
  ]) {
    expect(await walletsOf({ q }), q).toEqual([])
  }
})

test("a beginning that very many external ids share finds them all, page by page", async () => {
  const { workspaceId } = await enter()
  await sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, external_id, status, period, created_at, session_id, provider)
    select ${workspaceId}, 'att_' || n, 'kyc_individual_v1', 'wallet-' || n, 'fund/ä' || n, 'rejected', '2026-01-01', now(),
      ${workspaceId} || n, 'sandbox'
    from generate_series(1, 2200) n`
  await start("fund/o")
  const first = await walletsOf({ q: "fund/ä" })
  expect(first).toEqual(Array.from({ length: 50 }, (_, n) => `wallet-${2200 - n}`))
  expect(await walletsOf({ q: "fund/ä219" })).toHaveLength(11)
  expect(await walletsOf({ q: "fund/ä", status: "pending" })).toEqual([])
})

test("revoked attestations are shown, filtered and exported separately from rejected ones", async () => {
  await enter()
  const rejected = await start("r-1")
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected" })
  const revoked = await start("r-2")
  const [{ attestation_id }] = (await search({ q: "r-2" })).found as [Found]
  await app.request({
    ...{ method: "POST", path: `/attestation/${attestation_id}/revoke`, key: key.apiKey },
    json: { reason: "Sanctions list match" },
  })
  expect((await search({ q: "r-" })).found.map((one) => one.status)).toEqual(["revoked", "rejected"])
  expect(await walletsOf({ status: "revoked" })).toEqual([revoked.wallet])
  expect(await walletsOf({ status: "rejected" })).toEqual([rejected.wallet])
  const { lines } = await download("&status=revoked")
  expect(lines.slice(1, -1).map((line) => line.split(",").slice(0, 2))).toEqual([[attestation_id, "revoked"]])
  // The API has four values. revoked_at says the rest.
  const { json } = await app.request({
    ...{ method: "GET", path: "/attestations?status=rejected", key: key.apiKey },
  })
  expect(json.data.map((one: Record<string, unknown>) => [one.status, one.revoked_at !== null])).toEqual([
    ["rejected", true],
    ["rejected", false],
  ])
})

test("oldest first works page by page, in the table and in the file", async () => {
  await enter()
  const made: string[] = []
  for (let n = 0; n < 53; n++) made.push((await start(n % 2 ? "odd" : "even")).wallet)
  const first = await search({ order: "oldest" })
  expect(first.found.map((one) => one.user_pubkey)).toEqual(made.slice(0, 50))
  const second = await search({ order: "oldest", cursor: first.next })
  expect(second.found.map((one) => one.user_pubkey)).toEqual(made.slice(50))
  expect(second.next).toBeNull()
  // An attestation that is added in the meantime comes last and moves no other.
  const late = await start()
  expect(await walletsOf({ order: "oldest", cursor: first.next })).toEqual([...made.slice(50), late.wallet])
  expect(await walletsOf({ order: "oldest", q: "odd" })).toEqual(made.filter((_, n) => n % 2 === 1))
  const { lines } = await download("&order=oldest")
  expect(lines.slice(1, -1).map((line) => line.split(",")[3])).toEqual([...made, late.wallet])
  await expect(search({ order: "random" })).rejects.toMatchObject({ code: "validation_failed" })
})

test("filters combine", async () => {
  await enter()
  const business = await start("a-1", "kyc_business_v1")
  const rejected = await start("a-2")
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected" })
  await start("b-1")
  expect(await walletsOf({ schema: "kyc_business_v1" })).toEqual([business.wallet])
  expect(await walletsOf({ status: "rejected", q: "a-" })).toEqual([rejected.wallet])
  expect(await walletsOf({ status: "rejected", schema: "kyc_business_v1" })).toEqual([])
  expect(await walletsOf({ schema: "accredited_investor_v1" })).toEqual([])
  await expect(search({ schema: "mistyped" })).rejects.toMatchObject({ code: "unknown_schema" })
  await expect(search({ from: "2026-02-30T00:00:00Z" })).rejects.toMatchObject({ code: "validation_failed" })
  await expect(search({ cursor: "x" })).rejects.toMatchObject({ code: "validation_failed" })
})

test("a status is the one at the time of reading, without a sweep", async () => {
  await enter()
  const open = await start()
  const soon = await start()
  const long = await start()
  await verify(soon.sessionId, addSeconds(realNow(), 3600))
  await verify(long.sessionId, addDays(realNow(), 300))
  const all = async () => ({
    pending: await walletsOf({ status: "pending" }),
    verified: await walletsOf({ status: "verified" }),
    expired: await walletsOf({ status: "expired" }),
  })
  expect(await all()).toEqual({ pending: [open.wallet], verified: [long.wallet, soon.wallet], expired: [] })
  await advanceClock({ seconds: 25 * 3600 })
  expect(await all()).toEqual({
    pending: [],
    verified: [long.wallet],
    expired: [soon.wallet, open.wallet],
  })
  const { found } = await search()
  expect(found.map((one) => one.status)).toEqual(["verified", "expired", "expired"])
})

test("a time span includes its first instant and excludes its last", async () => {
  await enter()
  const times = ["2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00Z"]
  const wallets: string[] = []
  for (const time of times) {
    await moveClock(new Date(time))
    wallets.unshift((await start()).wallet)
  }
  await restoreClock()
  const [d, c, b, a] = wallets
  const day = (date: string) => `${date}T00:00:00Z`
  expect(await walletsOf({ from: day("2026-03-02"), to: day("2026-03-03") })).toEqual([c, b])
  expect(await walletsOf({ from: day("2026-03-02") })).toEqual([d, c, b])
  expect(await walletsOf({ to: day("2026-03-03") })).toEqual([c, b, a])
  expect(await walletsOf({ to: "2026-03-02T00:00:00.001Z" })).toEqual([b, a])
  expect(await walletsOf({ from: day("2026-03-04") })).toEqual([])
  expect(await walletsOf({ to: day("2026-03-01") })).toEqual([])
  expect(await walletsOf({ from: day("2026-03-04"), to: day("2026-03-01") })).toEqual([])
})

test("an attestation whose row is written a moment after its start is found all the same", async () => {
  await enter()
  await moveClock(new Date("2026-03-02T00:00:00Z"))
  const early = await start()
  await moveClock(new Date("2026-03-01T23:59:59Z"))
  const late = await start()
  await restoreClock()
  expect(await walletsOf({ from: "2026-03-02T00:00:00Z" })).toEqual([early.wallet])
  expect(await walletsOf({ to: "2026-03-02T00:00:00Z" })).toEqual([late.wallet])
})

test("no search finds anything of another workspace", async () => {
  await enter()
  const { wallet } = await start("shared")
  const [{ attestation_id }] = (await search()).found as [Found]
  await enter()
  for (const q of [wallet, attestation_id, "shared"]) expect(await walletsOf({ q })).toEqual([])
})

/** Reads an export as sent, and parses its rows by hand. */
async function download(query: string, by = browser) {
  const response = await by.fetch(`/api/export/attestations.csv?workspace=${by.workspaceId}${query}`)
  // `text()` would remove the byte order mark.
  const text = Buffer.from(await response.arrayBuffer()).toString("utf8")
  return { response, text, lines: text.split("\r\n") }
}

test("the export contains everything that matches, with column names", async () => {
  await enter()
  const wallets: string[] = []
  for (let n = 0; n < 3; n++) wallets.unshift((await start(`fund-${n}`)).wallet)
  await start("other")
  const { response, text, lines } = await download("&q=fund-&status=pending&schema=&from=")
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8")
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="attestations-\d{4}-\d\d-\d\d\.csv"$/,
  )
  expect(text.startsWith("\ufeffattestation_id,status,schema,user_pubkey,external_id,")).toBe(true)
  expect(lines.slice(1, -1).map((line) => line.split(",")[3])).toEqual(wallets)
  expect(text).not.toContain("sess_")
})

test("an export with more rows than one read misses none and repeats none", async () => {
  const { workspaceId } = await enter()
  await sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider)
    select ${workspaceId}, 'att_' || n, 'kyc_individual_v1', 'wallet-' || n, 'rejected', '2026-01-01', now(),
      ${workspaceId} || n, 'sandbox'
    from generate_series(1, 2500) n`
  const { lines } = await download("")
  expect(lines.slice(1, -1).map((line) => line.split(",")[3])).toEqual(
    Array.from({ length: 2500 }, (_, n) => `wallet-${2500 - n}`),
  )
})

test("an external id that looks like a formula stays text, and quotes stay in their cell", async () => {
  await enter()
  await start('=HYPERLINK("https://evil.example","x")')
  await start('a "b", c')
  const { lines } = await download("")
  expect(lines[1]).toContain(',"a ""b"", c",')
  expect(lines[2]).toContain(`,"'=HYPERLINK(""https://evil.example"",""x"")",`)
})

test("only members of the workspace can export, and unknown parameters are refused", async () => {
  await enter()
  const mine = browser
  const { browser: stranger } = await member(app)
  stranger.workspaceId = mine.workspaceId
  const codeOf = async (query: string, by: Browser) => JSON.parse((await download(query, by)).text).error
  expect(await codeOf("", stranger)).toBe("workspace_not_found")
  expect(await codeOf("&status=approved", mine)).toBe("validation_failed")
  expect(await codeOf("&limit=1", mine)).toBe("validation_failed")
  expect(await codeOf("&schema=mistyped", mine)).toBe("unknown_schema")
  stranger.cookies.clear()
  expect(await codeOf("", stranger)).toBe("not_signed_in")
  const response = await mine.fetch(`/api/export/attestations.csv?workspace=${mine.workspaceId}`, {
    method: "POST",
  })
  expect(response.status).toBe(405)
})

test("a viewer can read the table and the export", async () => {
  const { account } = await enter()
  const { wallet } = await start()
  const viewer = await member(app, { role: "viewer", account })
  browser = viewer.browser
  expect(await walletsOf({})).toEqual([wallet])
  expect((await download("")).lines[1]).toContain(wallet)
})
