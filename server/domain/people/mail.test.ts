import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestApp, type TestApp } from "#test/app.ts"
import { type MailServer, mailedToken, startMailServer } from "#test/mail.ts"
import { Browser, member, PASSWORD } from "#test/people.ts"
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

test("an invitation goes by mail, and its link is then shown to nobody else", async () => {
  const { browser } = await member(app)
  const { data } = await browser.mutate("member.invite", { role: "viewer", email: "bob@example.com" })
  expect(data).toMatchObject({ link: null, sent_to: "bob@example.com" })
  const token = await mailedToken(mail, "bob@example.com")
  const bob = new Browser(app)
  expect((await bob.query("setup.look", { token })).data).toMatchObject({ role: "viewer", needs_mail: false })
  expect(app.log.join("\n")).not.toContain(token)
})

test("without an address the inviter gets the link, mail or not", async () => {
  const { browser } = await member(app)
  const { data } = await browser.mutate("member.invite", { role: "viewer" })
  expect(data.link).toMatch(/\/join\?token=/)
})

test("a forgotten password is chosen anew by a link that came by mail, and who has none gets none", async () => {
  const { email } = await member(app)
  const someone = new Browser(app)
  expect((await someone.query("setup.options")).data.mail).toBe(true)
  const known = await someone.mutate("setup.requestReset", { email })
  const unknown = await someone.mutate("setup.requestReset", { email: "nobody@example.com" })
  expect([known.status, known.data]).toEqual([unknown.status, unknown.data])
  const token = await mailedToken(mail, email)
  expect(app.log.join("\n")).not.toContain(token)
  const password = `${PASSWORD} anew`
  expect((await someone.mutate("setup.resetPassword", { token, password })).status).toBe(200)
  expect((await someone.signIn(email, password)).status).toBe(200)
  expect(mail.received.some(({ to }) => to === "nobody@example.com")).toBe(false)
})

test("whoever knows an address neither fills its mailbox nor ends each link before it is opened", async () => {
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
  const password = `${PASSWORD} anew`
  expect((await stranger.mutate("setup.resetPassword", { token, password })).status).toBe(200)
})

test("mail that cannot be sent is said so, and the way around it", async () => {
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

/** A mail server that takes connections and then says what `answer` does, and never more. */
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

test("a mail server that says nothing, or a word now and then, or too many, is given up", async () => {
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
}, 20_000)
