import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { anchorAuditLogs } from "#domain/audit-anchors"
import { waitFor } from "#test/fixtures/app.ts"
import { untilLinked } from "#test/fixtures/audit-chain.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { decide, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import type { Phrase } from "./phrases.ts"

usesApp()

let owner: Awaited<ReturnType<typeof member>>
let key: Awaited<ReturnType<typeof app.key>>
let tokens: ReturnType<typeof tokenFixture>

beforeAll(async () => {
  owner = await member(app)
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
})

const post = (path: string, json: object = {}) => app.request({ method: "POST", path, key: key.apiKey, json })
const textOf = (phrase: Phrase) => phrase.map((part) => (typeof part === "string" ? part : part.text)).join("")
type Line = { sentence: Phrase; reason: string | null; action: string; anchor: object | null; place: number | null }
const list = async (filter: object = {}, browser: Browser = owner.browser): Promise<Line[]> =>
  (await browser.query("audit.list", { limit: 100, ...filter })).data.data
const told = async (filter: object, browser = owner.browser) =>
  (await list(filter, browser)).map(({ sentence, reason }) => [textOf(sentence), reason])

test("entries are sentences with the names of what they are about, and the reasons of revocations", async () => {
  const fund = await tokens.config()
  const [wallet] = await tokens.walletsOf("family-office-2", 1)
  const minted = await tokens.mint(fund, wallet, "500")
  const { operation_id: operationId } = minted.json
  await waitFor(async () => {
    const [operation] = await sql`select status from operations where id = ${operationId}`
    return operation!.status === "confirmed"
  }, "the mint")
  const [attestation] = await sql<{ id: string; investor_id: string }[]>`
    select id, investor_id from attestations where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  await owner.browser.mutate("attestation.revoke", { id: attestation!.id, reason: "Left the country" })
  const [mint] = await list({ subject: operationId })
  expect(mint!.sentence).toEqual([
    "The API key ",
    { text: "test", path: null },
    ...[" ", "minted", " "],
    { text: "500 FUND", path: ["tokens", fund, "operations", operationId] },
    " to ",
    { text: "family-office-2", path: ["investors", attestation!.investor_id] },
  ])
  expect(await told({ subject: attestation!.id })).toEqual([
    ["The owner revoked family-office-2's individual identity verification", "Left the country"],
  ])
})

test("a person's name finds the entries about them, their verifications and operations, also in the export", async () => {
  const fund = await tokens.config()
  const [wallet, other] = await tokens.walletsOf("Nora-Berg-77", 2)
  const [stranger] = await tokens.walletsOf("nora-vik-78", 1)
  await tokens.mint(fund, wallet, "5")
  await tokens.mint(fund, stranger, "6")
  expect((await tokens.transfer(fund, wallet, other, "2")).status).toBe(200)
  const [attestation] = await sql<{ id: string }[]>`
    select id from attestations where workspace_id = ${key.workspaceId} and wallet = ${other}`
  await owner.browser.mutate("attestation.revoke", { id: attestation!.id, reason: "Asked for it" })
  const actions = async (subject: string) =>
    (await list({ subject })).map(({ action }) => action).filter((action) => !action.startsWith("review."))
  const expected = ["attestation.revoked", "token.transfer_requested", "token.mint_requested"]
  for (const text of ["nora berg", "77 NORA"]) expect([text, await actions(text)]).toEqual([text, expected])
  expect(await actions(wallet)).toEqual(expected.slice(1))
  expect(await actions(other)).toEqual(expected.slice(0, 2))
  expect(await actions("nora")).toHaveLength(4)
  expect(await actions("no such person")).toEqual([])
  const query = new URLSearchParams({ workspace: String(owner.browser.workspaceId), subject: "nora berg" })
  const csv = await (await owner.browser.fetch(`/api/export/audit.csv?${query}`)).text()
  expect(csv.trim().split("\r\n").slice(1)).toHaveLength(3)
})

test("an erased investor has no name and no reason in earlier entries, and the log itself is unchanged", async () => {
  const [wallet] = await tokens.walletsOf("to-be-erased", 1)
  const [attestation] = await sql<{ id: string; investor_id: string }[]>`
    select id, investor_id from attestations where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  const { id, investor_id } = attestation!
  await owner.browser.mutate("investor.addNote", { id: investor_id, text: "Called on Monday" })
  await post(`/attestation/${id}/revoke`, { reason: "Ada asked to be forgotten" })
  const entries = () => sql`select * from audit_entries where subject = any(${[id, investor_id]}) order by seq`
  const before = await entries()
  expect(JSON.stringify(before, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toMatch(
    /to-be-erased|Ada|Monday/,
  )
  expect(await told({ subject: id })).toEqual([
    ["The API key test revoked to-be-erased's individual identity verification", "Ada asked to be forgotten"],
  ])
  expect(await told({ subject: investor_id })).toContainEqual(["The owner added a note about to-be-erased", null])

  expect((await post(`/wallets/${wallet}/erase`)).status).toBe(200)
  expect(await told({ subject: id })).toEqual([
    ["The API key test revoked an erased investor's individual identity verification", null],
  ])
  expect(JSON.stringify(await list())).not.toMatch(/to-be-erased|Ada asked|Monday/)
  expect((await entries()).slice(0, before.length)).toEqual(before)
})

test("reasons of reviews, and links to them, are only for those who decide them", async () => {
  const team = await reviewTeam(app)
  const review = await vendorReview(app, team.key)
  const rejection = { decision: "reject", reason: "The photo is of another person", public_reason: "not_eligible" }
  expect((await decide(team.officer, review.reviewId, rejection)).status).toBe(200)
  const viewer = await member(app, { account: team.account, role: "viewer" })
  const decided = async (browser: Browser) => {
    const lines = await list({ subject: review.reviewId }, browser)
    const { sentence, reason } = lines.find(({ action }) => action === "review.decided")!
    const links = sentence.flatMap((part) => (typeof part === "string" || !part.path ? [] : [part.path[0]]))
    return { reason, links }
  }
  expect(await decided(team.officer)).toEqual({
    reason: "The photo is of another person",
    links: ["reviews", "investors"],
  })
  expect(await decided(viewer.browser)).toEqual({ reason: null, links: ["investors"] })
  expect(await told({ subject: review.attestationId, action: "attestation." }, viewer.browser)).toMatchObject([
    [expect.stringMatching(/ rejected .*'s individual identity verification$/), null],
  ])
})

test("names of another workspace are not shown", async () => {
  const stranger = await member(app)
  const [wallet] = await tokens.walletsOf("only-here", 1)
  const [attestation] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select account_id, id, now(), 'system', 'Vouch', 'attestation.revoked', ${attestation!.id}, ${sql.json({ wallet })}
    from workspaces where id = ${stranger.workspaceId}`
  const [line] = await list({ subject: attestation!.id }, stranger.browser)
  expect(textOf(line!.sentence)).toBe(`Vouch revoked the verification ${attestation!.id}`)
})

test("an entry shows its number, its hash, and the transaction that proves it", async () => {
  await untilLinked()
  const [newest] = await list()
  expect(newest).toMatchObject({
    place: expect.any(Number),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    anchor: null,
  })
  await advanceClock({ days: 1 })
  await anchorAuditLogs()
  await restoreClock()
  const anchor = await waitFor(async () => {
    const [row] = await sql<{ signature: string }[]>`
      select signature from audit_anchors where workspace_id = ${owner.workspaceId} and signature is not null`
    return row
  }, "the anchor")
  await owner.browser.mutate("key.create", { name: "Later", scopes: ["kyc:read"] })
  await untilLinked()
  const [later, ...earlier] = await list()
  expect(later!.anchor).toBeNull()
  expect(new Set(earlier.map(({ anchor }) => JSON.stringify(anchor)))).toEqual(
    new Set([JSON.stringify({ transaction: anchor.signature, explorer: null })]),
  )
})
