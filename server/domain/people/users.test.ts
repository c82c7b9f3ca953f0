import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("a session sees only its own workspaces, and without a session nothing is visible", async () => {
  const [ada, eve] = [await member(app), await member(app)]
  const { data } = await ada.browser.query("me.get")
  expect(data.user).toMatchObject({ email: ada.email, two_factor: false, has_second_factor: false })
  expect(data.workspaces.map((one: { mode: string; id: string }) => [one.mode, one.id])).toEqual([
    ["test", ada.account.workspaces.test],
    ["live", ada.account.workspaces.live],
  ])
  expect(data.workspaces[0].notices).toHaveLength(2)
  expect((await ada.browser.query("usage.get")).data).toMatchObject({ plan: "free", used: 0 })

  ada.browser.workspaceId = eve.workspaceId
  expect((await ada.browser.query("usage.get")).error.error).toBe("workspace_not_found")
  ada.browser.workspaceId = null
  expect((await ada.browser.query("usage.get")).error.error).toBe("workspace_not_found")
  const stranger = new Browser(app)
  stranger.workspaceId = ada.workspaceId
  expect(await stranger.query("usage.get")).toMatchObject({ status: 401, error: { error: "not_signed_in" } })
  expect((await stranger.query("me.get")).error.error).toBe("not_signed_in")
})

test("a viewer can read, but change nothing through any procedure", async () => {
  const owner = await member(app)
  const viewer = await member(app, { role: "viewer", account: owner.account })
  expect((await viewer.browser.query("attestation.list", { limit: 5 })).status).toBe(200)
  const changes: [string, unknown][] = [
    ["kyc.start", { userPubkey: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", schemaId: "kyc_individual_v1" }],
    ["attestation.revoke", { id: "att_4f8NqYcTzHkLwR2sVbJm9X", reason: "no" }],
    ["mintConfig.pause", { id: "us_real_estate_fund_v1" }],
    ["member.invite", { role: "owner" }],
    ["member.remove", { user_id: "x" }],
  ]
  for (const [path, input] of changes) {
    const { status, error } = await viewer.browser.mutate(path, input)
    expect([path, status, error.error]).toEqual([path, 403, "insufficient_scope"])
    expect(error.detail).toMatch(/viewer role does not have/)
  }
})

test("a developer can create what the API creates, but not invite or remove members", async () => {
  const owner = await member(app)
  const developer = await member(app, { role: "developer", account: owner.account })
  const started = await developer.browser.mutate("kyc.start", {
    userPubkey: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
    schemaId: "kyc_individual_v1",
  })
  expect(started.data.session_url).toContain("/verify/sess_")
  expect((await developer.browser.mutate("member.invite", { role: "viewer" })).error.error).toBe("insufficient_scope")
})

test("an invited person joins once by the link, with its role; role changes and removals take effect at once", async () => {
  const owner = await member(app)
  const { data } = await owner.browser.mutate("member.invite", { role: "viewer", email: "Bob@Example.com" })
  const token = new URL(data.link).searchParams.get("token")!
  expect(new URL(data.link).pathname).toBe("/join")
  const bob = new Browser(app)
  expect((await bob.query("setup.look", { token })).data).toMatchObject({
    kind: "member",
    email: "bob@example.com",
  })
  const person = { token, name: "Bob", email: "bob@example.com", password: PASSWORD }
  const wrong = await bob.mutate("setup.createUser", { ...person, email: "eve@example.com" })
  expect(wrong.error.detail).toMatch(/^email: this link is for/)
  const short = await bob.mutate("setup.createUser", { ...person, password: "short" })
  expect(short.error.detail).toBe("password: must have at least 12 characters.")
  expect((await bob.mutate("setup.createUser", person)).status).toBe(200)
  expect((await bob.mutate("setup.createUser", person)).error.error).toBe("invalid_link")
  await bob.signIn("bob@example.com")
  bob.workspaceId = owner.workspaceId
  expect((await bob.query("usage.get")).status).toBe(200)

  const list = (await owner.browser.query("member.list")).data
  expect(list.invitations).toEqual([])
  const { user_id } = list.members.find((one: { email: string }) => one.email === "bob@example.com")
  await owner.browser.mutate("member.changeRole", { user_id, role: "owner" })
  expect((await bob.mutate("member.invite", { role: "viewer" })).status).toBe(200)
  await owner.browser.mutate("member.remove", { user_id })
  expect((await bob.query("usage.get")).error.error).toBe("workspace_not_found")

  const lines = await sql<{ action: string }[]>`
    select action from audit_entries where account_id = ${owner.account.id} order by seq`
  expect(lines.map(({ action }) => action)).toEqual([
    "account.created",
    "member.joined",
    "member.invited",
    "member.joined",
    "member.role_changed",
    "member.invited",
    "member.removed",
  ])
})

test("if two owners remove each other at the same time, one stays", async () => {
  const one = await member(app)
  const other = await member(app, { role: "owner", account: one.account })
  const { members } = (await one.browser.query("member.list")).data
  const idOf = (email: string) => members.find((m: { email: string }) => m.email === email).user_id
  const outcomes = await Promise.all([
    one.browser.mutate("member.remove", { user_id: idOf(other.email) }),
    other.browser.mutate("member.remove", { user_id: idOf(one.email) }),
  ])
  expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
  const owners = await sql`select from members where account_id = ${one.account.id} and role = 'owner'`
  expect(owners).toHaveLength(1)
  const last = outcomes[0]!.status === 200 ? one : other
  const self = { user_id: idOf(last.email) }
  expect((await last.browser.mutate("member.remove", self)).error.error).toBe("last_owner")
  expect((await last.browser.mutate("member.changeRole", { ...self, role: "viewer" })).error.error).toBe("last_owner")
})

test("no one signs up without a link, and a wrong password does not reveal who exists", async () => {
  const { email } = await member(app)
  const stranger = new Browser(app)
  expect((await stranger.auth("/sign-up/email", { name: "Eve", email: "eve@x.com", password: PASSWORD })).status).toBe(
    404,
  )
  const wrong = await stranger.signIn(email, "not the password")
  const unknown = await stranger.signIn("unknown@example.com", "not the password")
  expect(wrong).toEqual(unknown)
  expect(wrong.status).toBe(401)
  expect(stranger.cookies.size).toBe(0)
})

test("cookies are HttpOnly and SameSite, and signing in does not reuse a planted session", async () => {
  const { email } = await member(app)
  const response = await new Browser(app).fetch("/api/auth/sign-in/email", {
    method: "POST",
    body: JSON.stringify({ email, password: PASSWORD }),
    headers: { cookie: "vouch.session_token=planted.value" },
  })
  const cookies = response.headers.getSetCookie()
  const session = cookies.find((one) => one.startsWith("vouch.session_token="))!
  expect(session).toMatch(/; HttpOnly/i)
  expect(session).toMatch(/; SameSite=Lax/i)
  expect(session).not.toContain("planted")
  const rows = await sql`select from user_sessions where token like 'planted%'`
  expect(rows).toHaveLength(0)
})

test("a request from another site's page changes nothing, even with the cookie", async () => {
  const { browser } = await member(app)
  const from = { origin: "https://evil.example" }
  expect(await browser.mutate("member.invite", { role: "owner" }, from)).toMatchObject({
    status: 403,
    error: { error: "cross_site_request" },
  })
  expect((await browser.mutate("member.invite", { role: "owner" }, { origin: "null" })).status).toBe(403)
  expect((await browser.auth("/sign-out", {}, from)).status).toBe(403)
  expect((await browser.query("me.get")).status).toBe(200)
})

test("signing out ends the session, and signing out everywhere ends the others at once", async () => {
  const { browser, email } = await member(app)
  const phone = new Browser(app)
  await phone.signIn(email)
  expect((await phone.query("me.get")).status).toBe(200)
  expect((await browser.auth("/revoke-other-sessions")).status).toBe(200)
  expect((await phone.query("me.get")).status).toBe(401)
  const copy = new Map(browser.cookies)
  expect((await browser.auth("/sign-out")).status).toBe(200)
  for (const [name, value] of copy) browser.cookies.set(name, value)
  expect((await browser.query("me.get")).status).toBe(401)
})
