import { TOTP } from "otpauth"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

const STEP_MS = 30_000

/** A user with a second factor. Each `code` moves their device one step ahead. */
async function memberWithFactor() {
  const { browser, email } = await member(app)
  const { json } = await browser.auth("/two-factor/enable", { password: PASSWORD })
  const secret = new URL(json.totpURI).searchParams.get("secret")!
  const totp = new TOTP({ secret, period: 30, digits: 6 })
  let now = Date.now()
  const code = (stepsAhead = 0) => totp.generate({ timestamp: now + stepsAhead * STEP_MS })
  // With the previous step's code, so that the codes of this step and the next are still valid. Repeated if a step ends
  // on the way.
  await waitFor(async () => {
    now = Date.now()
    const { status } = await browser.auth("/two-factor/verify-totp", { code: code(-1) })
    return status === 200
  }, "the previous step's code to be accepted")
  return { browser, email, code, secret, backupCodes: json.backupCodes as string[] }
}

/** A browser that has entered the password and must enter the second factor. */
async function atSecondStep(email: string) {
  const browser = new Browser(app)
  expect((await browser.signIn(email)).json).toMatchObject({ twoFactorRedirect: true })
  return browser
}

/** Runs `claims` again if a new 30-second step began in the meantime, because they depend on the step. */
async function withinOneStep(claims: () => Promise<void>): Promise<void> {
  for (;;) {
    const step = Math.floor(Date.now() / STEP_MS)
    try {
      return await claims()
    } catch (error) {
      if (Math.floor(Date.now() / STEP_MS) === step) throw error
    }
  }
}

test("with a second factor the password is not enough; a code signs in, and a backup code once", async () => {
  const { browser, email, secret, backupCodes } = await memberWithFactor()
  expect((await browser.query("me.get")).data.user.two_factor).toBe(true)

  const [row] = await sql<{ secret: string; backup_codes: string }[]>`
    select f.secret, f.backup_codes from user_two_factors f join users u on u.id = f.user_id where u.email = ${email}`
  expect(row!.secret).not.toContain(secret)
  expect(row!.backup_codes).not.toContain(backupCodes[0])

  const again = new Browser(app)
  expect((await again.signIn(email)).json).toMatchObject({ twoFactorRedirect: true })
  expect((await again.query("me.get")).status).toBe(401)
  expect((await again.auth("/two-factor/verify-totp", { code: "000000" })).status).toBe(401)
  expect((await again.auth("/two-factor/verify-backup-code", { code: backupCodes[0] })).status).toBe(200)
  expect((await again.query("me.get")).status).toBe(200)
  const third = new Browser(app)
  await third.signIn(email)
  expect((await third.auth("/two-factor/verify-backup-code", { code: backupCodes[0] })).status).toBe(401)
})

test("a code signs in once: not again in its step or the accepted steps around it, nor twice at once", async () => {
  await withinOneStep(async () => {
    const { email, code } = await memberWithFactor()
    const enter = async (digits: string) =>
      (await (await atSecondStep(email)).auth("/two-factor/verify-totp", { code: digits })).status
    // The code that turned the second factor on.
    expect(await enter(code(-1))).toBe(401)
    const now = code()
    const both = await Promise.all([atSecondStep(email), atSecondStep(email)])
    const answers = await Promise.all(both.map((browser) => browser.auth("/two-factor/verify-totp", { code: now })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect(await enter(now)).toBe(401)
    // A device that is ahead: its code is accepted, and then no earlier one.
    expect(await enter(code(1))).toBe(200)
    expect(await enter(code(1))).toBe(401)
    expect(await enter(now)).toBe(401)
    const [row] = await sql<{ failed: number }[]>`
      select failed_verification_count as failed from user_two_factors f join users u on u.id = f.user_id
      where u.email = ${email}`
    // Counted like wrong codes, which eventually lock the user out.
    expect(row!.failed).toBe(2)
  })
})

test("of two sign-ins with one backup code, one succeeds", async () => {
  const { email, backupCodes } = await memberWithFactor()
  const [code] = backupCodes
  const both = await Promise.all([atSecondStep(email), atSecondStep(email)])
  const answers = await Promise.all(both.map((browser) => browser.auth("/two-factor/verify-backup-code", { code })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const signedIn = await Promise.all(both.map((browser) => browser.query("me.get")))
  expect(signedIn.map(({ status }) => status).sort()).toEqual([200, 401])
})

test("no browser becomes trusted without a code, whatever it requests", async () => {
  const { email, backupCodes } = await memberWithFactor()
  const browser = await atSecondStep(email)
  const asked = { code: backupCodes[0], trustDevice: true }
  expect((await browser.auth("/two-factor/verify-backup-code", asked)).status).toBe(200)
  expect([...browser.cookies.keys()].some((name) => name.includes("trust"))).toBe(false)
  await browser.auth("/sign-out")
  expect((await browser.signIn(email)).json).toMatchObject({ twoFactorRedirect: true })
})
