import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { Authenticator } from "#test/fixtures/authenticator.ts"
import { Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

async function register(browser: Browser, key: Authenticator, verified: boolean) {
  const options = await (await browser.fetch("/api/auth/passkey/generate-register-options")).json()
  expect(options.authenticatorSelection.userVerification).toBe("required")
  return browser.auth("/passkey/verify-registration", key.register(options, verified))
}

async function signIn(browser: Browser, key: Authenticator, verified: boolean) {
  const options = await (await browser.fetch("/api/auth/passkey/generate-authenticate-options")).json()
  expect(options.userVerification).toBe("required")
  return browser.auth("/passkey/verify-authentication", key.signIn(options, verified))
}

test("a passkey is two factors only if it verified its user: at registration and at every sign-in", async () => {
  const { browser, email } = await member(app)
  const key = new Authenticator(deployment.origin)
  const keys = () => sql`
    select from user_passkeys p join users u on u.id = p.user_id where u.email = ${email}`
  const careless = await register(browser, key, false)
  expect([careless.status, careless.json.code]).toEqual([400, "USER_NOT_VERIFIED"])
  expect(await keys()).toHaveLength(0)
  expect((await register(browser, key, true)).status).toBe(200)
  expect(await keys()).toHaveLength(1)

  const stolen = new Browser(app)
  const refused = await signIn(stolen, key, false)
  expect([refused.status, refused.json.code]).toEqual([400, "USER_NOT_VERIFIED"])
  expect((await stolen.query("me.get")).status).toBe(401)
  const own = new Browser(app)
  expect((await signIn(own, key, true)).status).toBe(200)
  expect((await own.query("me.get")).data.user).toMatchObject({ email, two_factor: false, has_second_factor: true })
})

test("an answer to a challenge can sign in only once", async () => {
  const { browser } = await member(app)
  const key = new Authenticator(deployment.origin)
  await register(browser, key, true)
  const thief = new Browser(app)
  const options = await (await thief.fetch("/api/auth/passkey/generate-authenticate-options")).json()
  const cookies = new Map(thief.cookies)
  const answer = key.signIn(options, true)
  const attempts = await Promise.all(
    [0, 1, 2].map(() => {
      const browser = new Browser(app)
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      return browser.auth("/passkey/verify-authentication", answer)
    }),
  )
  expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1)
})
