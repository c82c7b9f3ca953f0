import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("people see where they are signed in, without tokens, and can sign out one browser or all", async () => {
  const [ada, eve] = [await member(app), await member(app)]
  const phone = new Browser(app)
  await phone.signIn(ada.email)
  const { data } = (await ada.browser.query("me.signIns")).data
  expect(data).toHaveLength(2)
  expect(data.filter((one: { current: boolean }) => one.current)).toHaveLength(1)
  expect(Object.keys(data[0]).sort()).toEqual([
    "current",
    "id",
    "ip_address",
    "last_active_at",
    "signed_in_at",
    "user_agent",
  ])
  const other = data.find((one: { current: boolean }) => !one.current)

  await eve.browser.mutate("me.endSignIn", { id: other.id })
  expect((await phone.query("me.get")).status).toBe(200)
  expect((await ada.browser.mutate("me.endSignIn", { id: other.id })).status).toBe(200)
  expect((await phone.query("me.get")).status).toBe(401)

  await phone.signIn(ada.email)
  expect((await phone.mutate("me.endAllSignIns")).status).toBe(200)
  for (const browser of [phone, ada.browser]) expect((await browser.query("me.get")).status).toBe(401)
  expect((await eve.browser.query("me.get")).status).toBe(200)
})

test("better-auth's endpoints for names and sessions are closed: they accept any name and show tokens", async () => {
  const { browser, account } = await member(app)
  const { name: before } = (await browser.query("me.get")).data.user
  expect((await browser.fetch("/api/auth/list-sessions")).status).toBe(404)
  for (const path of ["/update-user", "/revoke-session", "/revoke-sessions"]) {
    expect((await browser.auth(path, { name: "Mallory\u202e", token: "x" })).status).toBe(404)
  }
  const refused = await browser.mutate("me.rename", { name: "one\ntwo" })
  expect(refused.error.detail).toBe("name: must not contain control characters.")
  for (let n = 0; n < 2; n++) expect((await browser.mutate("me.rename", { name: "Ada Lovelace" })).status).toBe(200)
  expect((await browser.query("me.get")).data.user.name).toBe("Ada Lovelace")
  // Under the old name, and only once: the second request changed nothing.
  const entries = await sql`
    select actor_name from audit_entries where account_id = ${account.id} and action = 'member.renamed'`
  expect(entries).toEqual([{ actor_name: before }])
})
