import { type AddressInfo, createServer, type Server } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestApp, type TestApp, waitFor } from "#test/app.ts"
import { Browser, member, PASSWORD } from "#test/people.ts"

type Received = { to: string; text: string }

/** A mail server that takes everything (RFC 5321), in the place of somebody else's. */
function startMailServer(): Promise<{ server: Server; url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((socket) => {
    let to = ""
    let body: string | null = null
    let rest = ""
    socket.write("220 mail.test\r\n")
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (body !== null && line !== ".") body += `${line}\n`
        else if (body !== null) {
          received.push({ to, text: body.replaceAll("=\n", "").replaceAll("=3D", "=") })
          body = null
          socket.write("250 kept\r\n")
        } else if (/^DATA/i.test(line)) {
          body = ""
          socket.write("354 go on\r\n")
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n")
        else {
          to = /^RCPT TO:<(.*)>/i.exec(line)?.[1] ?? to
          socket.write("250 fine\r\n")
        }
      }
    })
  })
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ server, url: `smtp://127.0.0.1:${port}`, received })
    }),
  )
}

let mail: Awaited<ReturnType<typeof startMailServer>>
let app: TestApp

beforeAll(async () => {
  mail = await startMailServer()
  app = await startTestApp({ VOUCH_SMTP_URL: mail.url, VOUCH_MAIL_FROM: "Vouch <vouch@example.com>" })
})
afterAll(async () => {
  await app.stop()
  if (mail.server.listening) await new Promise((resolve) => mail.server.close(resolve))
})

const mailTo = (address: string) =>
  waitFor(async () => mail.received.find(({ to }) => to === address) ?? null, `mail to ${address}`)

test("an invitation goes by mail, and its link is then shown to nobody else", async () => {
  const { browser } = await member(app)
  const { data } = await browser.mutate("member.invite", { role: "viewer", email: "bob@example.com" })
  expect(data).toMatchObject({ link: null, sent_to: "bob@example.com" })
  const { text } = await mailTo("bob@example.com")
  const token = /\/join\?token=([\w-]{43})/.exec(text)![1]
  const bob = new Browser(app)
  expect((await bob.query("setup.look", { token })).data).toMatchObject({ role: "viewer" })
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
  const known = await someone.auth("/request-password-reset", { email })
  const unknown = await someone.auth("/request-password-reset", { email: "nobody@example.com" })
  expect(known).toEqual(unknown)
  const { text } = await mailTo(email)
  const token = /\/reset\?token=([\w-]+)/.exec(text)![1]
  expect(app.log.join("\n")).not.toContain(token)
  const newPassword = `${PASSWORD} anew`
  expect((await someone.auth("/reset-password", { token, newPassword })).status).toBe(200)
  expect((await someone.signIn(email, newPassword)).status).toBe(200)
  expect(mail.received.some(({ to }) => to === "nobody@example.com")).toBe(false)
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
  expect(error.detail).toMatch(/Invite without an address/)
  expect((await browser.query("member.list")).data.invitations).toEqual([])
})
