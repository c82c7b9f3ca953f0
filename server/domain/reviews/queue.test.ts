import { beforeAll, expect, test } from "vitest"
import { background, sql } from "#db/client.ts"
import { eraseWallet } from "#server/domain/privacy/erase.ts"
import { toCursor } from "#server/lib/cursor.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { decide, requireReviewApproval, reversalReview, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { fillPriorities } from "./priorities.ts"

let team: Awaited<ReturnType<typeof reviewTeam>>

usesApp()
beforeAll(async () => {
  team = await reviewTeam(app)
})

const idsOf = async (filter: object) =>
  ((await team.officer.query("review.list", filter)).data.data as { review_id: string }[]).map(
    ({ review_id }) => review_id,
  )
const idOf = async (browser: (typeof team)["officer"]) => (await browser.query("me.get")).data.user.id as string

test("the queue lists and counts waiting reviews, oldest first, by assignee, kind and age", async () => {
  const reviews = [
    await vendorReview(app, team.key),
    await vendorReview(app, team.key),
    await vendorReview(app, team.key),
  ]
  const [first, second, third] = reviews.map(({ reviewId }) => reviewId) as [string, string, string]
  expect(await idsOf({})).toEqual([first, second, third])
  expect((await team.officer.query("review.count", {})).data).toEqual({ waiting: 3, closed: 0 })
  await team.second.mutate("review.assign", { review_id: second, assignee: await idOf(team.officer) })
  expect(await idsOf({ assigned: "me" })).toEqual([second])
  expect(await idsOf({ assigned: "nobody" })).toEqual([first, third])
  await sql`update reviews set opened_at = opened_at - interval '8 days' where id = ${first}`
  expect(await idsOf({ days: 7 })).toEqual([first])
  expect(await idsOf({ days: 30 })).toEqual([])
  expect(await idsOf({ kind: "screening" })).toEqual([])
  await decide(team.officer, third, { decision: "reject" })
  expect(await idsOf({})).toEqual([first, second])
  expect(await idsOf({ state: "closed" })).toEqual([third])
  expect((await team.officer.query("review.count", {})).data).toEqual({ waiting: 2, closed: 1 })
})

test("the queue is filtered by priority, which time and new findings raise, and so is what is assigned together", async () => {
  const own = await reviewTeam(app)
  const reviews = [
    await vendorReview(app, own.key, { reason: "Document is blurred" }),
    await vendorReview(app, own.key, { reason: "PEP screening: 1 possible match" }),
    await vendorReview(app, own.key, { reason: "Address differs" }),
  ]
  const [blurred, pep, address] = reviews.map(({ reviewId }) => reviewId) as [string, string, string]
  const byPriority = async () => ({
    urgent: await listedBy(own.officer, { priority: "urgent" }),
    high: await listedBy(own.officer, { priority: "high" }),
    normal: await listedBy(own.officer, { priority: "normal" }),
  })
  expect(await byPriority()).toEqual({ urgent: [], high: [pep], normal: [blurred, address] })
  for (const reason of ["OFAC sanctions list", "Address differs again"])
    await app.webhook({ session_id: reviews[2]!.sessionId, decision: "in_review", reason })
  expect(await byPriority()).toEqual({ urgent: [], high: [pep, address], normal: [blurred] })
  const counted = (await own.officer.query("review.matching", { priority: "high" })).data
  expect(counted.count).toBe(2)
  const act = { filter: { priority: "high" }, rows: counted.rows, assignee: await idOf(own.officer) }
  expect((await own.officer.mutate("review.assignMatching", act)).data).toEqual({ assigned: 2, gone: 0 })
  expect(await listedBy(own.officer, { assigned: "me" })).toEqual([pep, address])
  const { data } = await own.officer.query("review.neighbours", { review_id: pep, priority: "high" })
  expect(data).toEqual({ previous: null, next: address, left: 1 })

  await advanceClock({ days: 8 })
  expect(await byPriority()).toEqual({ urgent: [], high: [blurred, pep, address], normal: [] })
  await advanceClock({ days: 29 })
  expect(await byPriority()).toEqual({ urgent: [blurred, pep, address], high: [], normal: [] })
})

test("waiting reviews that an older version opened get their priority", async () => {
  const own = await reviewTeam(app)
  const { reviewId } = await vendorReview(app, own.key, { reason: "PEP screening: 1 possible match" })
  await sql`update reviews set high_from = null, urgent_from = null where id = ${reviewId}`
  expect(await listedBy(own.officer, { priority: "normal" })).toEqual([reviewId])
  await fillPriorities()
  expect(await listedBy(own.officer, { priority: "high" })).toEqual([reviewId])
})

test("an investor's reviews are found by the investor, for all their wallets and no others", async () => {
  const own = await reviewTeam(app)
  const [mine, other] = [await vendorReview(app, own.key), await vendorReview(app, own.key)]
  const [row] = await sql<{ investor_id: string }[]>`
    select investor_id from attestations where id = ${mine.attestationId}`
  const { investor_id: investor } = row!
  const now = new Date()
  const [listed, signalled] = [newId("rev"), newId("rev")]
  await sql`
    insert into reviews (workspace_id, id, kind, subject, wallet, opened_at, found_at)
    values (${own.key.workspaceId}, ${listed}, 'screening', ${mine.wallet}, ${mine.wallet}, ${now}, ${now})`
  await sql`
    insert into reviews (workspace_id, id, kind, subject, investor_id, opened_at, found_at)
    values (${own.key.workspaceId}, ${signalled}, 'signal', ${investor}, ${investor}, ${now}, ${now})`
  const found = async (browser: typeof own.officer, filter: object) =>
    ((await browser.query("review.list", filter)).data.data as { review_id: string }[]).map(
      ({ review_id }) => review_id,
    )
  expect(await found(own.officer, { investor })).toEqual([mine.reviewId, listed, signalled])
  await decide(own.officer, mine.reviewId, { decision: "reject" })
  expect(await found(own.officer, { investor })).toEqual([listed, signalled])
  expect(await found(own.officer, { investor, state: "closed" })).toEqual([mine.reviewId])
  expect(await found(own.officer, {})).toContain(other.reviewId)
  expect(await found(own.officer, { investor: newId("inv") })).toEqual([])
  expect(await found(team.officer, { investor })).toEqual([])
})

test("pages of the queue follow each other, and another workspace's cursor is invalid", async () => {
  const own = await reviewTeam(app)
  const now = new Date()
  const ids = Array.from({ length: 51 }, () => newId("rev"))
  await sql`
    insert into reviews (workspace_id, id, kind, subject, opened_at, found_at)
    select ${own.key.workspaceId}, id, 'signal', id, ${now}, ${now} from unnest(${ids}::text[]) as id`
  const first = (await own.officer.query("review.list", {})).data
  const rest = (await own.officer.query("review.list", { cursor: first.next_cursor })).data
  const listed = [...first.data, ...rest.data].map(({ review_id }: { review_id: string }) => review_id)
  expect([listed, rest.next_cursor]).toEqual([ids, null])
  expect((await team.officer.query("review.list", { cursor: first.next_cursor })).status).toBe(422)
})

test("a review can be assigned only to members who decide reviews", async () => {
  const { reviewId } = await vendorReview(app, team.key)
  const viewer = await member(app, { role: "viewer", account: team.account })
  const stranger = await member(app)
  for (const { browser } of [viewer, stranger]) {
    const assignee = await idOf(browser)
    const { status, error } = await team.officer.mutate("review.assign", { review_id: reviewId, assignee })
    expect([status, error.detail.split(":")[0]]).toEqual([422, "assignee"])
  }
  const reviewers = (await team.officer.query("review.reviewers", {})).data.data as { user_id: string }[]
  expect(reviewers.map(({ user_id }) => user_id).sort()).toEqual(
    (await Promise.all([team.owner, team.officer, team.second].map(idOf))).sort(),
  )
  const assignee = await idOf(team.second)
  await team.officer.mutate("review.assign", { review_id: reviewId, assignee })
  expect((await team.officer.query("review.get", { review_id: reviewId })).data.assignee.id).toBe(assignee)
  await team.officer.mutate("review.assign", { review_id: reviewId, assignee: null })
  expect((await team.officer.query("review.get", { review_id: reviewId })).data.assignee).toBeNull()
})

const assignMany = (review_ids: string[], assignee: string | null, browser = team.officer) =>
  browser.mutate("review.assignMany", { review_ids, assignee })

test("reviews are assigned together, each with its entry, and one that was decided in the meantime stops no others", async () => {
  const own = await reviewTeam(app)
  const [one, decided, other] = [
    (await vendorReview(app, own.key)).reviewId,
    (await vendorReview(app, own.key)).reviewId,
    (await vendorReview(app, own.key)).reviewId,
  ]
  await decide(own.second, decided, { decision: "reject" })
  const assignee = await idOf(own.second)
  const unknown = newId("rev")
  const { data } = await assignMany([one, decided, unknown, other, one], assignee, own.officer)
  expect(data).toEqual({ assigned: 2, closed: [decided, unknown] })
  const assignees = async () =>
    sql`select id, assignee from reviews where id = any(${[one, decided, other]}::text[]) order by seq`
  expect(await assignees()).toEqual([
    { id: one, assignee },
    { id: decided, assignee: null },
    { id: other, assignee },
  ])
  const entries = await sql`
    select subject, actor_name, detail from audit_entries
    where workspace_id = ${own.key.workspaceId} and action = 'review.assigned' order by seq`
  const detail = { assignee: "The compliance" }
  expect(entries).toEqual([one, other].map((subject) => ({ subject, actor_name: "The compliance", detail })))
  await assignMany([one, other], null, own.officer)
  expect((await assignees()).map((row) => row.assignee)).toEqual([null, null, null])
})

test("reviews are assigned together only to members who decide reviews, and not for another account", async () => {
  const { reviewId } = await vendorReview(app, team.key)
  const viewer = await member(app, { role: "viewer", account: team.account })
  const refused = await assignMany([reviewId], await idOf(viewer.browser))
  expect([refused.status, refused.error.detail.split(":")[0]]).toEqual([422, "assignee"])
  const stranger = await reviewTeam(app)
  const { data } = await assignMany([reviewId], await idOf(stranger.officer), stranger.officer)
  expect(data).toEqual({ assigned: 0, closed: [reviewId] })
  expect(await sql`select assignee from reviews where id = ${reviewId}`).toEqual([{ assignee: null }])
})

test("the newest finding is shown in the words of its finder", async () => {
  const { reviewId, sessionId } = await vendorReview(app, team.key, { reason: "PEP screening: 1 possible match" })
  const shown = async () => {
    const { data } = (await team.officer.query("review.list", {})).data
    const listed = data.find(({ review_id }: { review_id: string }) => review_id === reviewId)
    const { said, finding } = (await team.officer.query("review.get", { review_id: reviewId })).data
    expect([listed.said, listed.finding]).toEqual([said, finding])
    return [finding, said]
  }
  expect(await shown()).toEqual(["in_review", "PEP screening: 1 possible match"])
  await app.webhook({ session_id: sessionId, decision: "in_review", claims: {}, reason: "Adverse media: 2 articles" })
  expect(await shown()).toEqual(["in_review", "Adverse media: 2 articles"])
  await team.officer.mutate("review.note", { review_id: reviewId, text: "Read both" })
  expect(await shown()).toEqual(["in_review", "Adverse media: 2 articles"])
})

test("from a review a member goes to those before and after it, from the last to the first, and from the only one nowhere", async () => {
  const own = await reviewTeam(app)
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await vendorReview(app, own.key)).reviewId)
  const [first, second, third] = ids as [string, string, string]
  const from = async (review_id: string, filter = {}) =>
    (await own.officer.query("review.neighbours", { review_id, ...filter })).data
  expect(await from(first)).toEqual({ previous: null, next: second, left: 2 })
  expect(await from(second)).toEqual({ previous: first, next: third, left: 2 })
  expect(await from(third)).toEqual({ previous: second, next: first, left: 2 })
  await own.second.mutate("review.assign", { review_id: third, assignee: await idOf(own.officer) })
  expect(await from(first, { assigned: "me" })).toEqual({ previous: null, next: third, left: 1 })
  expect(await from(third, { assigned: "me" })).toEqual({ previous: null, next: null, left: 0 })
  await decide(own.officer, second, { decision: "reject" })
  expect(await from(second)).toEqual({ previous: first, next: third, left: 2 })
  await decide(own.officer, third, { decision: "reject" })
  await decide(own.officer, first, { decision: "reject" })
  expect(await from(first)).toEqual({ previous: null, next: null, left: 0 })
})

test("a member does not come back to a review whose decision they have asked others to approve", async () => {
  const own = await reviewTeam(app)
  const [first, second] = [(await vendorReview(app, own.key)).reviewId, (await vendorReview(app, own.key)).reviewId]
  await requireReviewApproval(own.account)
  await decide(own.officer, first, { decision: "reject" })
  const from = async (browser: typeof own.officer) =>
    (await browser.query("review.neighbours", { review_id: second })).data
  expect(await from(own.officer)).toEqual({ previous: null, next: null, left: 0 })
  expect(await from(own.second)).toEqual({ previous: first, next: first, left: 1 })
})

test("notes are sealed, shown in order, possible after the decision, and never logged", async () => {
  const { reviewId } = await vendorReview(app, team.key)
  const note = (text: string) => team.officer.mutate("review.note", { review_id: reviewId, text })
  await note("Asked the investor for a better picture")
  await decide(team.officer, reviewId, { decision: "reject", reason: "No answer in ten days" })
  await team.second.mutate("review.note", { review_id: reviewId, text: "Investor called later" })
  const { moments, reason } = (await team.owner.query("review.get", { review_id: reviewId })).data
  expect(moments.map(({ event, text }: { event: string; text: string }) => [event, text])).toEqual([
    ["found", null],
    ["noted", "Asked the investor for a better picture"],
    ["review.decided", null],
    ["noted", "Investor called later"],
  ])
  expect(reason).toBe("No answer in ten days")
  const rows = await sql<{ text: Buffer | null }[]>`select text from review_entries where review_id = ${reviewId}`
  for (const { text } of rows) expect(text?.toString("latin1") ?? "").not.toContain("picture")
  const audit = await sql`select detail from audit_entries where subject = ${reviewId}`
  expect(JSON.stringify(audit)).not.toMatch(/picture|No answer|called/)
})

test("each read of claims is in the audit log", async () => {
  const { reviewId } = await vendorReview(app, team.key, { claims: { country: "US", accredited: true } })
  const viewed = () => sql`
    select from audit_entries where subject = ${reviewId} and action = 'claims.viewed' and actor_name = 'The compliance'`
  for (const times of [1, 2]) {
    const { data } = await team.officer.mutate("review.viewClaims", { review_id: reviewId })
    expect(data).toEqual({ country: "US", accredited: true })
    expect(await viewed()).toHaveLength(times)
  }
  const { data } = await team.officer.query("review.get", { review_id: reviewId })
  expect(JSON.stringify(data)).not.toContain("accredited")
})

test("an unknown country code shows in the review, and stays unless a member enters a country", async () => {
  const found = await vendorReview(app, team.key, { claims: { country: "XXB" } })
  const review = (await team.officer.query("review.get", { review_id: found.reviewId })).data
  expect(review).toMatchObject({ has_claims: true, country_unknown: true })
  const seen = { review_id: found.reviewId }
  expect((await team.officer.mutate("review.viewClaims", seen)).data).toEqual({ unknown_country: "XXB" })
  await decide(team.officer, found.reviewId, { decision: "approve", claims: { accredited: true } })
  const { attestation_id } = await app.waitForStatus(team.key, found.wallet, "verified")
  expect((await team.officer.query("attestation.detail", { id: attestation_id })).data.country_unknown).toBe(true)

  const entered = await vendorReview(app, team.key, { claims: { country: "XXB" } })
  await decide(team.officer, entered.reviewId, { decision: "approve", claims: { country: "DE" } })
  const { attestation_id: other } = await app.waitForStatus(team.key, entered.wallet, "verified")
  expect((await team.officer.query("attestation.detail", { id: other })).data.country_unknown).toBe(false)
})

test("another account, the other workspace and a made-up id get the same answer and change nothing", async () => {
  const { reviewId, attestationId } = await vendorReview(app, team.key)
  const stranger = await reviewTeam(app)
  const live = await member(app, { role: "compliance", account: team.account, mode: "live" })
  const before = await sql`select * from reviews where id = ${reviewId}`
  for (const browser of [stranger.officer, stranger.owner, live.browser]) {
    for (const id of [reviewId, newId("rev"), attestationId, "rev_", "x".repeat(100)]) {
      const seen = { review_id: id, version: 1 }
      const answers = [
        await browser.query("review.get", { review_id: id }),
        await browser.query("review.neighbours", { review_id: id }),
        await browser.mutate("review.viewClaims", { review_id: id }),
        await browser.mutate("review.assign", { review_id: id, assignee: null }),
        await browser.mutate("review.note", { review_id: id, text: "mine now" }),
        await browser.mutate("review.decide", { ...seen, decision: "approve", reason: "mine now" }),
      ]
      for (const { status, error } of answers) {
        expect([status, error.error, error.detail]).toEqual([
          404,
          "review_not_found",
          `${id} is not a review of this workspace.`,
        ])
      }
    }
    expect((await browser.query("review.list", {})).data.data).toEqual([])
    expect((await browser.query("review.count", {})).data).toEqual({ waiting: 0, closed: 0 })
  }
  expect(await sql`select * from reviews where id = ${reviewId}`).toEqual(before)
  expect(await sql`select from audit_entries where subject = ${reviewId}`).toHaveLength(1)
})

test("an API key cannot read reviews, whatever its scopes", async () => {
  const { status } = await app.request({ method: "GET", path: "/reviews", key: team.key.apiKey })
  expect(status).toBe(404)
})

test("erasing a wallet empties its reviews and closes open ones", async () => {
  const { wallet, reviewId } = await vendorReview(app, team.key, {
    claims: { country: "US" },
    reason: "Glare",
  })
  await team.officer.mutate("review.note", { review_id: reviewId, text: "Called them" })
  await decide(team.officer, reviewId, { decision: "reject", reason: "Expired passport" })
  const { workspaceId } = team.key
  const [found] = [
    {
      workspaceId,
      kind: "screening",
      about: { wallet: wallet as never },
      finding: "wallet_listed",
      detail: "Entry 12",
    },
  ] as const
  const { openReview } = await import("./open.ts")
  const open = await sql.begin((sql) => openReview(sql, found))
  expect(await eraseWallet({ workspaceId, wallet: wallet as never })).toHaveProperty("erased")
  const rows =
    await sql`select id, state, ending, reason, claims, public_reason from reviews where wallet = ${wallet} order by seq`
  expect(rows).toEqual([
    { id: reviewId, state: "closed", ending: "decided", reason: null, claims: null, public_reason: null },
    { id: open.reviewId, state: "closed", ending: "erased", reason: null, claims: null, public_reason: null },
  ])
  const entries = await sql`
    select text from review_entries e join reviews r on r.workspace_id = e.workspace_id and r.id = e.review_id
    where r.wallet = ${wallet}`
  expect(entries.every(({ text }) => text === null)).toBe(true)
  // Notes about an erased person are refused.
  const late = await team.officer.mutate("review.note", { review_id: reviewId, text: "Called again" })
  expect(late.error).toMatchObject({ error: "validation_failed", detail: expect.stringContaining("erased") })
})

test("a note written during its person's erasure is erased with the others", async () => {
  const { wallet, reviewId } = await vendorReview(app, team.key, { reason: "Glare" })
  await decide(team.officer, reviewId, { decision: "reject", reason: "Expired passport" })
  const { workspaceId } = team.key
  let erasing: Promise<unknown> | undefined
  await sql.begin(async (sql) => {
    await sql`select from reviews where workspace_id = ${workspaceId} and id = ${reviewId} for update`
    await sql`
      insert into review_entries (workspace_id, review_id, at, author_id, author_name, text)
      values (${workspaceId}, ${reviewId}, now(), 'x', 'x', 'Jane called')`
    erasing = eraseWallet({ workspaceId, wallet: wallet as never })
    await waitFor(async () => {
      const waiting = await background`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length > 0
    }, "the erasure to wait for the note")
  })
  await erasing
  const kept = await sql`
    select from review_entries where workspace_id = ${workspaceId} and review_id = ${reviewId} and text is not null`
  expect(kept).toHaveLength(0)
})

test("all reviews that match are assigned in one act, and each has it in its history", async () => {
  const own = await reviewTeam(app)
  const reviews = [await vendorReview(app, own.key), await vendorReview(app, own.key), await vendorReview(app, own.key)]
  const [first, second, third] = reviews.map(({ reviewId }) => reviewId) as [string, string, string]
  const assignee = await idOf(own.second)
  await own.officer.mutate("review.assign", { review_id: third, assignee: await idOf(own.officer) })
  const filter = { assigned: "nobody" }
  const counted = await own.officer.query("review.matching", filter)
  expect(counted.data).toEqual({
    ...{ count: 2, is_too_many: false, rows: expect.any(String) },
    up_to: toCursor(second),
  })
  await decide(own.officer, second, { decision: "reject" })
  // Another one matches instead.
  await own.officer.mutate("review.assign", { review_id: third, assignee: null })
  const { data: done } = await own.officer.mutate("review.assignMatching", {
    ...{ filter, rows: counted.data.rows, assignee },
  })
  expect(done).toEqual({ assigned: 1, gone: 1 })
  expect(await listedBy(own.second, { assigned: "me" })).toEqual([first])
  const { data } = await own.officer.query("review.get", { review_id: first })
  expect(data.moments.map(({ event }: { event: string }) => event)).toContain("review.assigned")
  const lines = await sql`
    select detail from audit_entries where workspace_id = ${own.key.workspaceId} and action = 'reviews.assigned'`
  expect(lines).toEqual([{ detail: { assignee: "The compliance", filter, seen: 2, reviews: 1 } }])
})

test("a review that opened after the member looked is not assigned in place of one that closed", async () => {
  const own = await reviewTeam(app)
  const { reviewId: first } = await vendorReview(app, own.key)
  const assignee = await idOf(own.second)
  const { rows, up_to } = (await own.officer.query("review.matching", {})).data
  const assignAll = () => own.officer.mutate("review.assignMatching", { filter: {}, rows, assignee })
  await decide(own.officer, first, { decision: "reject" })
  const { reviewId: later } = await vendorReview(app, own.key)
  // The page shows which of its rows are not part of the act.
  const covered = (by: typeof own.officer) => by.query("review.upTo", { ids: [first, later], up_to })
  expect((await covered(own.officer)).data).toEqual({ data: [first] })
  expect((await covered((await reviewTeam(app)).officer)).error.error).toBe("validation_failed")
  expect((await assignAll()).error).toMatchObject({ error: "selection_changed" })
  expect(await listedBy(own.second, { assigned: "me" })).toEqual([])
})

test("an unknown filter and an unknown age are refused, so that no more is assigned than was meant", async () => {
  const detailOf = async (filter: object) => (await team.officer.query("review.matching", filter)).error?.detail
  expect(await detailOf({ days: 2 })).toBe("days: must be one of 1, 7, 30.")
  expect(await detailOf({ asigned: "me" })).toContain("asigned: unknown field")
  const assign = { filter: { asigned: "me" }, rows: "x", assignee: null }
  const { error } = await team.officer.mutate("review.assignMatching", assign)
  expect(error.detail).toContain("filter.asigned: unknown field")
  const revocable = await team.officer.query("bulkRevocation.count", { state: "pending" })
  expect(revocable.error?.detail).toContain("state: unknown field")
})

test("the audit log does not keep what a member searched for, because it cannot be erased", async () => {
  const own = await reviewTeam(app)
  await reversalReview(app, own.key, "pavel-novak-1074")
  const filter = { q: "pavel-novak", kind: "reversal" }
  const { rows } = (await own.officer.query("review.matching", filter)).data
  const assigned = await own.officer.mutate("review.assignMatching", { filter, rows, assignee: null })
  expect(assigned.data).toEqual({ assigned: 1, gone: 0 })
  const entries = await sql`select action, detail from audit_entries where workspace_id = ${own.key.workspaceId}`
  expect(JSON.stringify(entries)).not.toContain("pavel")
  expect(entries.find(({ action }) => action === "reviews.assigned")?.detail.filter).toEqual({
    q: "(not recorded)",
    kind: "reversal",
  })
})

test("only members who decide reviews assign all, to such a member, and only in their workspace", async () => {
  const [own, other] = [await reviewTeam(app), await reviewTeam(app)]
  const { reviewId } = await vendorReview(app, own.key)
  const viewer = await member(app, { role: "viewer", account: own.account })
  const { rows } = (await own.officer.query("review.matching", {})).data
  const assignAll = (by: typeof own.officer, assignee: string | null) =>
    by.mutate("review.assignMatching", { filter: {}, rows, assignee })
  expect((await viewer.browser.query("review.matching", {})).error.error).toBe("insufficient_scope")
  expect((await assignAll(viewer.browser, null)).error.error).toBe("insufficient_scope")
  expect((await assignAll(own.officer, await idOf(viewer.browser))).error.error).toBe("validation_failed")
  expect((await assignAll(other.officer, await idOf(other.officer))).error.error).toBe("validation_failed")
  const [row] = await sql`select assignee from reviews where id = ${reviewId}`
  expect(row).toEqual({ assignee: null })
})

const listedBy = async (by: (typeof team)["officer"], filter: object) =>
  ((await by.query("review.list", filter)).data.data as { review_id: string }[]).map(({ review_id }) => review_id)
