import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import {
  app,
  emailOf,
  endingIn,
  key,
  mailsTo,
  newEmail,
  owner,
  page,
  sendsReminders,
  start,
  textOf,
} from "#test/fixtures/renewals.ts"
import { reminderOwner } from "./email.ts"
import { sendReminders } from "./notices.ts"

sendsReminders()

test("an investor is reminded once, for the latest past day, with a link to renew", async () => {
  const email = newEmail()
  const { id, token } = await endingIn(5, email)
  const kept = await emailOf(id)
  expect(kept!.toString("latin1")).not.toContain(email)
  await Promise.all([sendReminders(), sendReminders(), sendReminders()])
  await waitFor(async () => mailsTo(email).length > 0, "the reminder")
  await sendReminders()
  expect(mailsTo(email)).toHaveLength(1)
  const { text } = mailsTo(email)[0]!
  expect(textOf(text)).toContain(`/verify/${token}`)
  expect(text).toMatch(/^Subject: .*\[Test\]/m)
  const notices = await sql`select days, sent_at is not null as sent from renewal_notices where attestation_id = ${id}`
  expect([...notices]).toEqual([{ days: 7, sent: true }])
  // The day before the expiry is another reminder.
  await sql`update attestations set expires_at = now() + interval '20 hours' where id = ${id}`
  await sendReminders()
  expect(mailsTo(email)).toHaveLength(2)
})

test("a reminder beyond the limit of its address, or of a test workspace's account, waits until the next day", async () => {
  const [often, other] = [newEmail(), newEmail()]
  for (let count = 0; count < 6; count++) await endingIn(5, often)
  await sendReminders()
  expect(mailsTo(often)).toHaveLength(5)
  await sql`update mail_counts set count = 100 where subject = ${owner.account.id}`
  const { id } = await endingIn(5, other)
  await sendReminders()
  expect(mailsTo(other)).toHaveLength(0)
  const held = await sql`
    select attempts from renewal_notices where sent_at is null and (attestation_id = ${id} or next_attempt_at > now())`
  expect(held.map(({ attempts }) => attempts)).toEqual([0, 0])
  await moveClock(addDays(clock.now(), 1))
  await sendReminders()
  expect([mailsTo(often).length, mailsTo(other).length]).toEqual([6, 1])
})

test("no reminder is sent too early, after the expiry, for days before the verification, or without reminder days", async () => {
  const [early, late, short, none] = [newEmail(), newEmail(), newEmail(), newEmail()]
  await endingIn(31, early)
  const over = await endingIn(5, late)
  await sql`update attestations set expires_at = now() - interval '1 minute' where id = ${over.id}`
  const brief = await endingIn(5, short)
  await sql`update attestations set issued_at = now() - interval '1 hour' where id = ${brief.id}`
  const other = await member(app)
  const otherKey = await app.key({ account: other.account })
  await other.browser.mutate("workspace.setReminders", { on: true })
  expect(
    (await other.browser.mutate("schema.change", { id: "kyc_individual_v1", reminder_days: [] })).data,
  ).toMatchObject({ reminder_days: [] })
  await endingIn(5, none, newWallet(), otherKey)
  await sendReminders()
  expect([early, late, short, none].map((email) => mailsTo(email).length)).toEqual([0, 0, 0, 0])
})

test("an open renewal stops reminders; a session that no one opened does not", async () => {
  const [busy, idle] = [newEmail(), newEmail()]
  const first = await endingIn(5, busy)
  const second = await endingIn(5, idle)
  for (const { wallet } of [first, second]) await app.startSession(key, wallet)
  // Another person's session of the wallet does not stop the reminder, even if they opened the page.
  const stranger = { userPubkey: second.wallet, schemaId: "kyc_individual_v1", externalId: newId("evt") }
  const { json } = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json: stranger })
  await sql`update attestations set consented_at = now() where session_id = ${json.session_id}`
  await sql`update attestations set consented_at = now() where wallet = ${first.wallet} and status = 'pending'`
  await sendReminders()
  expect([mailsTo(busy).length, mailsTo(idle).length]).toEqual([0, 1])
})

test("an address is stored only while the workspace reminds, opens only for its wallet, and is deleted with the verification", async () => {
  const quiet = await app.key()
  const wallet = newWallet()
  await start(wallet, newEmail(), quiet)
  const [off] = await sql`select reminder_email from attestations where wallet = ${wallet}`
  expect(off!.reminder_email).toBeNull()
  // An open session stores it too.
  const own = newWallet()
  await start(own)
  const email = newEmail()
  await start(own, email)
  const [row] = await sql`select id, reminder_email from attestations where wallet = ${own}`
  expect(row!.reminder_email).not.toBeNull()
  const { unseal } = await import("#server/domain/deployment/sealed.ts")
  expect(unseal(reminderOwner(own), row!.reminder_email)).toBe(email)
  expect(() => unseal(reminderOwner(wallet), row!.reminder_email)).toThrow()
  await sql`update attestations set status = 'rejected', ended_at = now() where id = ${row!.id}`
  await clean()
  expect(await emailOf(row!.id)).toBeNull()
})

test("turning reminders off deletes the addresses and is in the audit log; a viewer cannot do it", async () => {
  const { browser, account, workspaceId } = await member(app)
  const own = await app.key({ account })
  await browser.mutate("workspace.setReminders", { on: true })
  const { id } = await endingIn(5, newEmail(), newWallet(), own)
  const viewer = (await member(app, { role: "viewer", account })).browser
  expect((await viewer.mutate("workspace.setReminders", { on: false })).error.error).toBe("insufficient_scope")
  expect((await viewer.query("workspace.reminders")).data).toEqual({ on: true, mail: true })
  await browser.mutate("workspace.setReminders", { on: false })
  expect(await emailOf(id)).toBeNull()
  const entries = await sql`
    select action from audit_entries where workspace_id = ${workspaceId} and action like 'reminders.%' order by seq`
  expect(entries.map(({ action }) => action)).toEqual(["reminders.turned_on", "reminders.turned_off"])
})

test.each([
  "a@b",
  "a b@example.com",
  "a@example.com,b@example.com",
  "Eve <a@example.com>",
  "a@example.com\nBcc: x@y.z",
  "a@example.com\u202e",
  "a\u200b@example.com",
  `${"x".repeat(250)}@example.com`,
])("%s is not an address for reminders", async (email) => {
  expect(await start(newWallet(), email)).toMatchObject({
    status: 422,
    json: { error: "validation_failed", detail: expect.stringMatching(/^email: /) },
  })
})

test("the hosted page offers a reminder once verified, and stores the address and language", async () => {
  const email = newEmail()
  const { sessionId, id } = await endingIn(40, undefined)
  expect((await page("view", sessionId)).data).toMatchObject({ state: "verified", reminder: "offered" })
  expect((await page("remind", sessionId, { email: "not an address", language: "de" })).error.error).toBe(
    "validation_failed",
  )
  expect((await page("remind", sessionId, { email, language: "de" })).data).toMatchObject({ reminder: "set" })
  await sql`update attestations set expires_at = now() + interval '20 days' where id = ${id}`
  await sendReminders()
  expect(textOf(mailsTo(email)[0]!.text)).toContain("Verifizierung")
  // If no reminder would be sent, none is offered or stored.
  const quiet = await app.key()
  const other = await app.verifiedWallet(quiet)
  expect((await page("view", other.sessionId)).data).toMatchObject({ reminder: null })
  await page("remind", other.sessionId, { email, language: "de" })
  expect(await emailOf(other.status.attestation_id)).toBeNull()
  const pending = await app.startSession(key)
  await page("remind", pending.sessionId, { email, language: "de" })
  const [row] = await sql`select reminder_email from attestations where session_id = ${pending.sessionId}`
  expect(row!.reminder_email).toBeNull()
})

test("a refused mailbox is tried again later, does not delay other reminders, and is not logged", async () => {
  const name = newId("evt").toLowerCase()
  const refused = await endingIn(5, `refused@${name}.example.com`)
  await sendReminders()
  const [notice] = await sql`select attempts, sent_at from renewal_notices where attestation_id = ${refused.id}`
  expect(notice).toEqual({ attempts: 1, sent_at: null })
  expect(app.log.join("\n")).not.toContain(name)
  const email = newEmail()
  await endingIn(5, email)
  await waitFor(async () => {
    await sendReminders()
    return mailsTo(email).length === 1
  }, "the next reminder")
})

test("attestations that expire before a time are listed, of this workspace only, and counted on the overview", async () => {
  const { browser, account } = await member(app)
  const own = await app.key({ account })
  const soon = await endingIn(5, undefined, newWallet(), own)
  const later = await endingIn(20, undefined, newWallet(), own)
  const over = await endingIn(5, undefined, newWallet(), own)
  await sql`update attestations set expires_at = now() - interval '1 minute' where id = ${over.id}`
  const list = async (days: number, by = own) => {
    const path = `/attestations?expiring_before=${toTimestamp(addDays(clock.now(), days))}`
    const { json } = await app.request({ method: "GET", path, key: by.apiKey })
    return json.data.map((one: { attestation_id: string }) => one.attestation_id)
  }
  expect(await list(7)).toEqual([soon.id])
  expect(await list(30)).toEqual([later.id, soon.id])
  expect(await list(1)).toEqual([])
  expect(await list(30, await app.key())).toEqual([])
  const bad = await app.request({
    method: "GET",
    path: "/attestations?expiring_before=soon",
    key: own.apiKey,
  })
  expect(bad.json.error).toBe("validation_failed")
  expect((await browser.query("overview.get")).data.expiring).toEqual({
    days_7: { count: 1, more: false },
    days_30: { count: 2, more: false },
    reminders: { on: false, mail: true },
  })
  const found = await browser.query("attestation.search", {
    expiring_before: addDays(clock.now(), 7).toISOString(),
  })
  expect(found.data.data).toMatchObject([{ attestation_id: soon.id }])
})

test("erasure deletes the address and the record of sent reminders", async () => {
  const { wallet, id } = await endingIn(5, newEmail())
  await sendReminders()
  await app.request({ method: "POST", path: `/wallets/${wallet}/erase`, key: key.apiKey, json: {} })
  expect(await emailOf(id)).toBeNull()
  expect([...(await sql`select days from renewal_notices where attestation_id = ${id}`)]).toEqual([])
})
