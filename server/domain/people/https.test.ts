import { expect, test } from "vitest"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

const ORIGIN = "https://vouch.example.com"

usesApp({ environment: { VOUCH_PUBLIC_URL: ORIGIN, VOUCH_TRUSTED_PROXIES: "127.0.0.1" } })

/** Headers from a proxy that terminates TLS. */
const behindProxy = { "x-forwarded-proto": "https", host: "vouch.example.com", origin: ORIGIN }

test("behind HTTPS the session's cookie is Secure, and opens the dashboard", async () => {
  const { email } = await member({ origin: app.origin, headers: behindProxy })
  const browser = new Browser({ origin: app.origin, headers: behindProxy })
  const response = await browser.fetch("/api/auth/sign-in/email", {
    method: "POST",
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  const session = response.headers.getSetCookie().find((line) => line.includes("session_token="))!
  expect(session).toMatch(/^__Secure-vouch\.session_token=/)
  expect(session).toMatch(/; Secure/i)
  expect(session).toMatch(/; HttpOnly/i)
  expect((await browser.query("me.get")).data.user.email).toBe(email)
})

test("a request from another origin is refused there too", async () => {
  const { browser } = await member({ origin: app.origin, headers: behindProxy })
  const from = { origin: "https://vouch.example.com.evil.example" }
  expect((await browser.mutate("member.invite", { role: "owner" }, from)).status).toBe(403)
  expect((await browser.auth("/sign-out", {}, from)).status).toBe(403)
})
