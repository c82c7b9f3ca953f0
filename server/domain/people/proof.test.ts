import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { type MailServer, mailedToken, startMailServer } from "#test/doubles/mail.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { createInvitation } from "./invitations.ts"

// An address is confirmed once a link mailed to it is opened.

let mail: MailServer
let app: TestApp

beforeAll(async () => {
  mail = await startMailServer()
  app = await startTestApp({ VOUCH_SMTP_URL: mail.url, VOUCH_MAIL_FROM: "Vouch <vouch@example.com>" })
})
afterAll(async () => {
  await app.stop()
  await new Promise((resolve) => mail.server.close(resolve))
})

const tokenOf = (link: string) => new URL(link).searchParams.get("token")!
const newAddress = () => `${newId("evt").toLowerCase()}@example.com`

const theirPassword = "the squatter’s own password"

/** A user who registered an address without a mailed link, in a separate account. */
async function squatter(email: string, role: "owner" | "viewer" = "owner") {
  const host = await member(app)
  const { link } = await createInvitation(sql, {
    accountId: host.account.id,
    role,
    email,
    invitedBy: (await host.browser.query("me.get")).data.user.id,
    mailed: true,
  })
  const browser = new Browser(app)
  const person = { token: tokenOf(link), name: "Mallory", email, password: theirPassword }
  expect((await browser.mutate("setup.createUser", person)).status).toBe(200)
  await sql`update users set email_verified = false where email = ${email}`
  await browser.signIn(email, theirPassword)
  browser.workspaceId = host.workspaceId
  return { browser, host }
}

test("the bearer of an open link enters an address, and joins by a second link mailed there", async () => {
  const { browser } = await member(app)
  const token = tokenOf((await browser.mutate("member.invite", { role: "viewer" })).data.link)
  const victim = newAddress()
  const bearer = new Browser(app)
  expect((await bearer.query("setup.look", { token })).data).toMatchObject({ email: null, needs_mail: true })
  const person = { token, name: "Bob", email: victim, password: PASSWORD }
  const early = await bearer.mutate("setup.createUser", person)
  expect([early.status, early.error.error]).toEqual([403, "email_unconfirmed"])
  expect(await sql`select from users where email = ${victim}`).toHaveLength(0)

  expect((await bearer.mutate("setup.mailLink", { token, email: victim })).data).toEqual({ sent_to: victim })
  const again = await bearer.mutate("setup.mailLink", { token, email: newAddress() })
  expect([again.status, again.error.error]).toEqual([429, "rate_limited"])
  const proof = await mailedToken(mail, victim)
  expect((await bearer.query("setup.look", { token: proof })).data).toMatchObject({
    ...{ email: victim, role: "viewer", needs_mail: false, holder: "free" },
  })
  const other = await bearer.mutate("setup.createUser", { ...person, token: proof, email: newAddress() })
  expect(other.error.detail).toMatch(/^email: this link is for/)
  expect((await bearer.mutate("setup.createUser", { ...person, token: proof })).status).toBe(200)
  for (const spent of [token, proof]) {
    expect((await bearer.query("setup.look", { token: spent })).error.error).toBe("invalid_link")
  }
  await bearer.signIn(victim)
  expect((await bearer.query("me.get")).data.user.email_confirmed).toBe(true)
})

test("an invited person can take their address over from a squatter, and neither gets the other's data", async () => {
  const victim = newAddress()
  const { browser: theirs, host } = await squatter(victim)
  const openLink = tokenOf((await theirs.mutate("member.invite", { role: "owner" })).data.link)
  const inviter = await member(app)
  await inviter.browser.mutate("member.invite", { role: "developer", email: victim })
  const token = await mailedToken(mail, victim)
  const owner = new Browser(app)
  expect((await owner.query("setup.look", { token })).data.holder).toBe("unconfirmed")
  const person = { token, name: "Vera", email: victim, password: PASSWORD }
  // Only on request: they may have registered it themselves.
  expect((await owner.mutate("setup.createUser", person)).error.error).toBe("email_taken")
  expect((await theirs.query("usage.get")).status).toBe(200)
  expect((await owner.mutate("setup.createUser", { ...person, take_over: true })).status).toBe(200)

  expect((await theirs.query("me.get")).status).toBe(401)
  expect((await new Browser(app).signIn(victim, theirPassword)).status).toBe(401)
  await owner.signIn(victim)
  const { data } = await owner.query("me.get")
  expect(data.user).toMatchObject({ name: "Vera", email_confirmed: true })
  const accounts = new Set(data.workspaces.map((one: { account_id: string }) => one.account_id))
  expect([...accounts]).toEqual([inviter.account.id])
  expect((await new Browser(app).query("setup.look", { token: openLink })).error.error).toBe("invalid_link")
  const { members } = (await host.browser.query("member.list")).data
  expect(members.map(({ email }: { email: string }) => email)).toEqual([host.email])
  const [entry] = await sql<{ detail: Record<string, unknown> }[]>`
    select detail from audit_entries where account_id = ${host.account.id} and action = 'member.removed'`
  expect(entry!.detail).toMatchObject({ role: "owner", invitations_ended: 1 })
})

test("no link can take over a confirmed address", async () => {
  const { email, browser } = await member(app)
  const inviter = await member(app)
  await inviter.browser.mutate("member.invite", { role: "developer", email })
  const token = await mailedToken(mail, email)
  const other = new Browser(app)
  expect((await other.query("setup.look", { token })).data.holder).toBe("taken")
  const person = { token, name: "Vera", email, password: PASSWORD, take_over: true }
  expect((await other.mutate("setup.createUser", person)).error.error).toBe("email_taken")
  expect((await browser.mutate("setup.join", { token })).status).toBe(200)
})

test("a link that the inviter passes on by hand does not prove the mailbox, and takes nothing over", async () => {
  const victim = newAddress()
  const { browser: theirs } = await squatter(victim)
  const account = await createAccount({ name: `Account ${newId("acct")}`, plan: "free" })
  const { link } = await createInvitation(sql, {
    ...{ accountId: account.id, role: "owner", email: victim, invitedBy: null },
  })
  const token = tokenOf(link)
  const bearer = new Browser(app)
  expect((await bearer.query("setup.look", { token })).data).toMatchObject({
    needs_mail: true,
    holder: "free",
  })
  const person = { token, name: "Eve", email: victim, password: PASSWORD, take_over: true }
  expect((await bearer.mutate("setup.createUser", person)).error.error).toBe("email_unconfirmed")
  const elsewhere = await bearer.mutate("setup.mailLink", { token, email: newAddress() })
  expect(elsewhere.error.detail).toMatch(/this link is for/)
  expect((await theirs.query("me.get")).status).toBe(200)
})

test("an unconfirmed address gets no reset by mail, because the mailbox may belong to another person", async () => {
  const victim = newAddress()
  await squatter(victim)
  const { email } = await member(app)
  const someone = new Browser(app)
  await someone.mutate("setup.requestReset", { email: victim })
  await someone.mutate("setup.requestReset", { email })
  await mailedToken(mail, email)
  expect(mail.received.some(({ to }) => to === victim)).toBe(false)
})

test("a user without a confirmed address cannot join other accounts until they confirm it with mailbox and password", async () => {
  const victim = newAddress()
  const { browser: theirs } = await squatter(victim, "viewer")
  const { browser } = await member(app)
  const token = tokenOf((await browser.mutate("member.invite", { role: "viewer" })).data.link)
  expect((await theirs.mutate("setup.join", { token })).error.error).toBe("email_unconfirmed")
  expect((await theirs.query("me.get")).data.user.email_confirmed).toBe(false)
  const list = (await theirs.query("member.list")).data.members
  expect(list.find((one: { email: string }) => one.email === victim).email_confirmed).toBe(false)

  expect((await theirs.mutate("me.mailConfirmation")).data).toEqual({ sent_to: victim })
  expect((await theirs.mutate("me.mailConfirmation")).error.error).toBe("rate_limited")
  const confirmation = await mailedToken(mail, victim)
  // The mailbox alone is not enough: its owner must not confirm a stranger's registration.
  expect((await new Browser(app).mutate("me.confirmEmail", { token: confirmation })).status).toBe(401)
  expect((await browser.mutate("me.confirmEmail", { token: confirmation })).error.error).toBe("invalid_link")
  expect((await theirs.mutate("me.confirmEmail", { token: confirmation })).status).toBe(200)
  expect((await theirs.mutate("setup.join", { token })).status).toBe(200)
})

test("mail that cannot be sent leaves the first link unchanged", async () => {
  const { browser } = await member(app)
  const token = tokenOf((await browser.mutate("member.invite", { role: "viewer" })).data.link)
  const bearer = new Browser(app)
  const refused = await bearer.mutate("setup.mailLink", { token, email: "refused@example.com" })
  expect([refused.status, refused.error.error]).toEqual([503, "mail_failed"])
  expect((await bearer.mutate("setup.mailLink", { token, email: newAddress() })).status).toBe(200)
})
