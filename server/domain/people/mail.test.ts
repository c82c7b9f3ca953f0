import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, clock } from "#server/lib/time.ts"
import { type MailServer, mailedToken, startMailServer } from "#test/doubles/mail.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { mailer } from "./mail.ts"

let mail: MailServer
let app: TestApp

beforeAll(async () => {
  mail = await startMailServer()
  app = await startTestApp({ VOUCH_SMTP_URL: mail.url, VOUCH_MAIL_FROM: "Vouch <vouch@example.com>" })
})
afterAll(async () => {
  await app.stop()
  if (mail.server.listening) await new Promise((resolve) => mail.server.close(resolve))
})

test("an invitation is mailed, and its link is shown to no one else", async () => {
  const { browser } = await member(app)
  const { data } = await browser.mutate("member.invite", { role: "viewer", email: "bob@example.com" })
  expect(data).toMatchObject({ link: null, sent_to: "bob@example.com" })
  const token = await mailedToken(mail, "bob@example.com")
  const bob = new Browser(app)
  expect((await bob.query("setup.look", { token })).data).toMatchObject({ role: "viewer", needs_mail: false })
  expect(app.log.join("\n")).not.toContain(token)
})

test("without an address the inviter gets the link, with or without mail", async () => {
  const { browser } = await member(app)
  const { data } = await browser.mutate("member.invite", { role: "viewer" })
  expect(data.link).toMatch(/\/join\?token=/)
})

test("a person sets a new password by a mailed link, and an address without a user gets no mail", async () => {
  const { email } = await member(app)
  const someone = new Browser(app)
  expect((await someone.query("setup.options")).data.mail).toBe(true)
  const known = await someone.mutate("setup.requestReset", { email })
  const unknown = await someone.mutate("setup.requestReset", { email: "unknown@example.com" })
  expect([known.status, known.data]).toEqual([unknown.status, unknown.data])
  const token = await mailedToken(mail, email)
  expect(app.log.join("\n")).not.toContain(token)
  const password = `${PASSWORD} again`
  expect((await someone.mutate("setup.resetPassword", { token, password })).status).toBe(200)
  expect((await someone.signIn(email, password)).status).toBe(200)
  expect(mail.received.some(({ to }) => to === "unknown@example.com")).toBe(false)
})

test("a stranger can neither flood a mailbox nor end each link before it is opened", async () => {
  const { email } = await member(app)
  const stranger = new Browser(app)
  await stranger.mutate("setup.requestReset", { email })
  const token = await mailedToken(mail, email)
  for (let count = 0; count < 5; count += 1) await stranger.mutate("setup.requestReset", { email })
  // Mail is sent in order: anything the five had sent would have arrived before this.
  const other = await member(app)
  await stranger.mutate("setup.requestReset", { email: other.email })
  await mailedToken(mail, other.email)
  expect(mail.received.filter(({ to }) => to === email)).toHaveLength(1)
  const password = `${PASSWORD} again`
  expect((await stranger.mutate("setup.resetPassword", { token, password })).status).toBe(200)
})

const statusOf = ({ status }: { status: number }) => status

test("an address gets at most five mails a day from all accounts, and its own password reset in addition", async () => {
  const victim = await member(app)
  const [name] = victim.email.split("@")
  const answers = []
  for (const tag of ["", "+1", "+2", "+3", "", "+4"]) {
    const { browser } = await member(app)
    const email = `${name}${tag}@example.com`
    answers.push(await browser.mutate("member.invite", { role: "viewer", email }))
  }
  expect(answers.map(statusOf)).toEqual([200, 200, 200, 200, 200, 429])
  const { error, headers } = answers[5]!
  expect(error).toMatchObject({ error: "rate_limited", detail: expect.stringContaining("5 emails today") })
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(86_400)
  // The bearer of an open link chooses the address.
  const { browser, workspaceId } = await member(app)
  const { link } = (await browser.mutate("member.invite", { role: "viewer" })).data
  const token = new URL(link).searchParams.get("token")
  const bearer = new Browser(app)
  expect(statusOf(await bearer.mutate("setup.mailLink", { token, email: victim.email }))).toBe(429)
  expect(statusOf(await bearer.mutate("setup.mailLink", { token, email: "other@example.com" }))).toBe(200)
  const stranger = new Browser(app)
  await stranger.mutate("setup.requestReset", { email: victim.email })
  await mailedToken(mail, victim.email, 2)
  await moveClock(addDays(clock.now(), 1))
  const invite = { role: "viewer", email: victim.email }
  expect(statusOf(await browser.mutate("member.invite", invite))).toBe(200)
  expect((await browser.query("member.list")).data.invitations).toHaveLength(2)
  expect(workspaceId).not.toBe(victim.workspaceId)
})

test("a password can be reset by mail at most five times a day, and a request beyond that does not end the last link", async () => {
  const { email } = await member(app)
  const stranger = new Browser(app)
  const tokens: string[] = []
  for (let count = 1; count <= 6; count++) {
    await stranger.mutate("setup.requestReset", { email })
    if (count < 6) tokens.push(await mailedToken(mail, email, count - 1))
    await sql`update user_links set created_at = created_at - interval '10 minutes'`
  }
  await waitFor(async () => app.log.some((line) => line.includes("could not mail a password reset")), "the refusal")
  expect(mail.received.filter(({ to }) => to === email)).toHaveLength(5)
  const reset = (token: string) => stranger.mutate("setup.resetPassword", { token, password: PASSWORD })
  expect((await reset(tokens[3]!)).error.error).toBe("invalid_link")
  expect((await reset(tokens[4]!)).status).toBe(200)
})

test("an account sends at most a hundred mails a day and has a hundred open invitations, also under simultaneous requests", async () => {
  const { browser, account } = await member(app)
  const invite = () => browser.mutate("member.invite", { role: "viewer", email: `${newId("evt")}@example.com` })
  expect(statusOf(await invite())).toBe(200)
  await sql`update mail_counts set count = 98 where subject = ${account.id}`
  expect((await Promise.all([invite(), invite(), invite(), invite()])).map(statusOf).sort()).toEqual([
    ...[200, 200, 429, 429],
  ])
  expect((await invite()).error).toMatchObject({
    error: "rate_limited",
    detail: expect.stringContaining("100 emails today"),
  })
  // A refused one leaves no open link.
  expect((await browser.query("member.list")).data.invitations).toHaveLength(3)
  await sql`
    insert into invitations (account_id, id, token_hash, role, created_at, expires_at)
    select ${account.id}, 'many ' || n, sha256(n::text::bytea), 'viewer', now(), now() + interval '1 day'
    from generate_series(1, 95) n`
  const links = await Promise.all(Array.from({ length: 4 }, () => browser.mutate("member.invite", { role: "viewer" })))
  expect(links.map(statusOf).sort()).toEqual([200, 200, 409, 409])
  expect(links.find(({ status }) => status === 409)!.error).toMatchObject({
    error: "invitation_limit",
    detail: expect.stringContaining("The limit is 100"),
  })
})

test("a name that a mail would show as a link is refused, and an older one is defused in mails", async () => {
  const { browser, account } = await member(app)
  for (const name of ["Your bank account is locked: https://evil.example", "bank-login.com", "Help@Bank"]) {
    const { status, error } = await browser.mutate("workspace.renameAccount", { name })
    expect([status, error.error]).toEqual([422, "validation_failed"])
    expect(error.detail).toContain("web or email address")
  }
  await sql`update accounts set name = 'Locked: https://evil.example/now' where id = ${account.id}`
  const invited = `${newId("evt").toLowerCase()}@example.com`
  await browser.mutate("member.invite", { role: "viewer", email: invited })
  await mailedToken(mail, invited)
  const { text } = mail.received.find(({ to }) => to === invited)!
  expect(text).toContain("Join Locked https evil example now on Vouch")
  expect(text).not.toContain("evil.example")
})

test("a mail that cannot be sent is reported with a workaround", async () => {
  const { browser } = await member(app)
  await new Promise<void>((resolve) => {
    mail.server.close(() => resolve())
  })
  const { status, error } = await browser.mutate("member.invite", {
    role: "viewer",
    email: "eve@example.com",
  })
  expect([status, error.error]).toEqual([503, "mail_failed"])
  expect(error.detail).toBe(
    "email: could not send email to eve@example.com. The mail server is unreachable. Invite without an address to get a link.",
  )
  expect((await browser.query("member.list")).data.invitations).toEqual([])
})

/** A mail server that accepts connections and sends only what `answer` writes. */
async function strangeServer(answer: (write: (text: string) => void) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    answer((text) => void (socket.destroyed || socket.write(text)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const settings = {
    ...app.settings,
    VOUCH_SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  const sent = mailer(settings).send!({ to: "bob@example.com", subject: "Hello", text: "Bob" })
  const reason = await sent.then(
    () => "sent",
    (error) => error.message,
  )
  await new Promise((resolve) => server.close(resolve))
  return reason
}

test("a mail server that sends nothing, too little or too much is given up", async () => {
  const timers: NodeJS.Timeout[] = []
  const flood = Buffer.alloc(65_536, "x").toString()
  const outcomes = await Promise.all([
    strangeServer(() => {}),
    strangeServer((write) => {
      write("220 mail.test\r\n")
      timers.push(setInterval(() => write("250-more\r\n"), 1000))
    }),
    strangeServer((write) => {
      write("220-")
      timers.push(setInterval(() => write(flood), 100))
    }),
  ])
  for (const timer of timers) clearInterval(timer)
  expect(outcomes).toEqual([
    "The mail server does not respond.",
    "The mail server does not respond.",
    "The mail server does not speak SMTP.",
  ])
})
