import { randomBytes } from "node:crypto"
import { TOTP } from "otpauth"
import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { Authenticator } from "#test/fixtures/authenticator.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { asAttempt, currentAttempt } from "./attempt.ts"
import { DEVICE_SECONDS, deviceCookies } from "./devices.ts"
import { hashPassword } from "./password.ts"
import { createResetLink } from "./reset.ts"

usesApp({
  environment: {
    VOUCH_ROLE: "web",
    VOUCH_RATE_LIMIT: "1000",
    VOUCH_TRUSTED_PROXIES: "127.0.0.1",
  },
})

const NAME = "vouch.device"

let network = 0
/** An address in its own network. */
const addressOf = () => `2001:db8:1:${(++network).toString(16)}::1`

/** A browser there, with the device cookie of another. */
function from(cookie?: string): Browser {
  const browser = new Browser({ origin: app.origin, headers: { "x-forwarded-for": addressOf() } })
  if (cookie !== undefined) browser.cookies.set(NAME, cookie)
  return browser
}

/** A user signed in from a separate network. */
const someone = () => member({ origin: app.origin, headers: { "x-forwarded-for": addressOf() } })

const attempt = async (email: string, cookie?: string, password = "wrong") =>
  (await from(cookie).signIn(email, password)).status

/** Uses up the attempts that an address allows from unknown browsers. */
async function closeFor(email: string): Promise<void> {
  for (let status = 401; status !== 429; ) status = await attempt(email)
}

test("a person with a known browser can sign in, however many others try their address", async () => {
  const { browser, email } = await someone()
  const cookie = browser.cookies.get(NAME)!
  await closeFor(email)
  expect(await attempt(email, undefined, PASSWORD)).toBe(429)
  expect(await attempt(email, cookie, PASSWORD)).toBe(200)
  expect(await attempt(email, undefined, PASSWORD)).toBe(429)
})

test("a known browser has ten attempts in a row, and does not use up others' attempts", async () => {
  const { browser, email } = await someone()
  const cookie = browser.cookies.get(NAME)!
  const answers: number[] = []
  for (let i = 0; i < 12; i++) answers.push(await attempt(email, cookie))
  expect(answers).toEqual([...Array(10).fill(401), 429, 429])
  expect(await attempt(email, undefined, PASSWORD)).toBe(200)
})

test("a cookie is valid for its person, unchanged, until it expires or the password is reset", async () => {
  const [own, other] = [await someone(), await someone()]
  await closeFor(own.email)
  const cookie = own.browser.cookies.get(NAME)!
  const [userId, generation, nonce, ends, mac] = cookie.split(".") as [string, string, string, string, string]
  const forged = [
    other.browser.cookies.get(NAME)!,
    [userId, generation, "another", ends, mac].join("."),
    [userId, generation, nonce, Number(ends) + 1, mac].join("."),
    [userId, generation, nonce, ends].join("."),
    deviceCookies([randomBytes(32)]).issue(userId, 0),
    "",
    "....",
    "x",
  ]
  for (const one of forged) expect([one, await attempt(own.email, one, PASSWORD)]).toEqual([one, 429])
  expect(await attempt(own.email, cookie, PASSWORD)).toBe(200)
  const token = new URL((await createResetLink(own.email))!).searchParams.get("token")!
  await from().mutate("setup.resetPassword", { token, password: PASSWORD })
  expect(await attempt(own.email, cookie, PASSWORD)).toBe(429)

  const devices = deviceCookies(deployment.dataKeys)
  const fresh = devices.issue(userId, 1)
  expect(devices.read(fresh)).toMatchObject({ userId, generation: 1 })
  await advanceClock({ seconds: DEVICE_SECONDS })
  expect(devices.read(fresh)).toBeNull()
})

test("the cookie is sent only to this server's endpoints, and set with a session: by password, second factor or passkey", async () => {
  const { browser, email } = await someone()
  const enabled = await browser.auth("/two-factor/enable", { password: PASSWORD })
  const secret = new URL(enabled.json.totpURI).searchParams.get("secret")!
  const totp = new TOTP({ secret, period: 30, digits: 6 })
  expect(
    (
      await browser.auth("/two-factor/verify-totp", {
        code: totp.generate({ timestamp: Date.now() - 30_000 }),
      })
    ).status,
  ).toBe(200)
  const key = new Authenticator(deployment.origin)
  const registration = await (await browser.fetch("/api/auth/passkey/generate-register-options")).json()
  await browser.auth("/passkey/verify-registration", key.register(registration, true))

  const half = from()
  expect((await half.signIn(email)).json).toMatchObject({ twoFactorRedirect: true })
  expect(half.cookies.has(NAME)).toBe(false)
  const answer = await half.fetch("/api/auth/two-factor/verify-backup-code", {
    method: "POST",
    body: JSON.stringify({ code: enabled.json.backupCodes[0] }),
  })
  const [line] = answer.headers.getSetCookie().filter((line) => line.startsWith(`${NAME}=`))
  expect(line).toMatch(/; Max-Age=15552000;.* Path=\/api\/auth;.* HttpOnly;.* SameSite=Lax/i)

  const passkey = from()
  const options = await (await passkey.fetch("/api/auth/passkey/generate-authenticate-options")).json()
  await passkey.auth("/passkey/verify-authentication", key.signIn(options, true))
  expect(passkey.cookies.has(NAME)).toBe(true)

  const wrong = from()
  await wrong.signIn(email, "wrong")
  expect(wrong.cookies.has(NAME)).toBe(false)
})

test("a known browser does not wait behind a flood of sign-ins, and does not shut others out", async () => {
  const order: string[] = []
  const hash = (who: string, returning: string | null) =>
    asAttempt(who, async () => {
      currentAttempt()!.returning = returning
      await hashPassword(PASSWORD)
      order.push(who)
    })
  const strangers = ["one", "two", "three", "four"].map((who) => hash(who, null))
  await Promise.all([...strangers, hash("back", "usr_1"), hash("again", "usr_1")])
  expect(order).toEqual(["one", "back", "two", "again", "three", "four"])

  const { browser, email } = await someone()
  const cookie = browser.cookies.get(NAME)!
  order.length = 0
  const robots = Array.from({ length: 60 }, (_, i) => hash(`robot ${i}`, null))
  const signedIn = from(cookie)
    .signIn(email)
    .then(({ status }) => order.push(`back ${status}`))
  await Promise.all([signedIn, ...robots])
  expect(order).toContain("back 200")
  expect(order.at(-1)).toMatch(/^robot/)
})
