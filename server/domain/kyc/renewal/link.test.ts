import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { app, emailOf, endingIn, key, mailsTo, newEmail, page, sendsReminders } from "#test/fixtures/renewals.ts"
import { renewalToken } from "./link.ts"
import { sendReminders } from "./notices.ts"

sendsReminders()

test("a link shows what expires and begins the renewal on the click: one session, one unit, and the wallet stays verified", async () => {
  const email = newEmail()
  const { wallet, token, id } = await endingIn(5, email)
  expect((await page("view", token)).data).toMatchObject({
    state: "renewal",
    wallet,
    isOver: false,
    isReminded: true,
  })
  const used = async () => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json.used
  const before = await used()
  // Opening the page begins nothing, for example when a mail server checks links.
  const html = await fetch(`${app.origin}/verify/${token}`, { headers: { accept: "text/html" } })
  expect(html.status).toBe(200)
  expect(await used()).toBe(before)
  const clicks = await Promise.all(Array.from({ length: 5 }, () => page("renew", token)))
  const urls = new Set(clicks.map(({ data }) => data.url))
  expect(urls.size).toBe(1)
  expect(await used()).toBe(before + 1)
  const sessionId = [...urls][0].split("/").at(-1)
  expect((await page("view", sessionId)).data).toMatchObject({ state: "open", wallet })
  await app.waitForStatus(key, wallet, "verified")
  const started = await sql`
    select actor, detail from audit_entries where workspace_id = ${key.workspaceId} and action = 'session.started'
      and detail->>'renewal_of' = ${id}`
  expect([...started]).toMatchObject([{ actor: "system" }])

  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await waitFor(async () => (await page("view", token)).data.state === "expired", "the renewal")
  expect((await page("view", token)).data).toMatchObject({ was: "superseded" })
  expect((await page("renew", token)).data).toMatchObject({ url: null, view: { was: "superseded" } })
  // An investor who set a reminder keeps it for the new attestation.
  const [renewed] = await sql`
    select reminder_email is not null as reminded from attestations where wallet = ${wallet} and status = 'verified'`
  expect(renewed).toEqual({ reminded: true })
})

test("a link renews until a month after the expiry; one of a revoked verification says so", async () => {
  const late = await endingIn(5, undefined)
  await sql`update attestations set expires_at = now() - interval '2 days' where id = ${late.id}`
  expect((await page("view", late.token)).data).toMatchObject({ state: "renewal", isOver: true })
  await sql`update attestations set expires_at = now() - interval '31 days' where id = ${late.id}`
  expect((await page("view", late.token)).data).toMatchObject({ state: "expired", was: "verified" })
  expect((await page("renew", late.token)).data.url).toBeNull()
  const revoked = await endingIn(5, undefined)
  await app.request({
    method: "POST",
    path: `/attestation/${revoked.id}/revoke`,
    key: key.apiKey,
    json: { reason: "x" },
  })
  expect((await page("renew", revoked.token)).data).toMatchObject({ url: null, view: { state: "rejected" } })
})

test("a changed link is unknown, whatever was changed", async () => {
  const { token, id } = await endingIn(5, undefined)
  const mac = token.slice(-22)
  const other = renewalToken(newId("att"))
  // The second decodes to the same bytes in base64.
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const last = digits.indexOf(token.at(-1)!)
  const forged = [
    token.slice(0, -1) + digits[(last + 16) % 64],
    token.slice(0, -1) + digits[last ^ 1],
    token.slice(0, -1),
    `renew_${id.slice(4)}_${"A".repeat(22)}`,
    `renew_${other.split("_")[1]}_${mac}`,
    other,
    "renew_",
  ]
  for (const one of forged) {
    expect((await page("view", one)).data, one).toEqual({ state: "unknown" })
    expect((await page("renew", one)).data).toEqual({ url: null, view: { state: "unknown" } })
  }
  expect((await page("stopReminders", forged[3]!)).error.error).toBe("invalid_link")
  expect(app.log.join("\n")).not.toContain(token)
})

test("an investor can turn reminders off from the link, and gets no more", async () => {
  const email = newEmail()
  const { token, id } = await endingIn(5, email)
  expect((await page("stopReminders", token)).data).toMatchObject({ state: "renewal", isReminded: false })
  expect(await emailOf(id)).toBeNull()
  await sendReminders()
  expect(mailsTo(email)).toEqual([])
})
