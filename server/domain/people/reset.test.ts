import { TOTP } from "otpauth"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { Authenticator } from "#test/fixtures/authenticator.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { createResetLink } from "./reset.ts"

usesApp()

const password = "another long password"
const tokenOf = (link: string) => new URL(link).searchParams.get("token")!
const newToken = async (email: string) => tokenOf((await createResetLink(email))!)

test("a reset link sets a new password once", async () => {
  const { email } = await member(app)
  const token = await newToken(email.toUpperCase())
  expect(await createResetLink("unknown@example.com")).toBeNull()
  const someone = new Browser(app)
  const short = await someone.mutate("setup.resetPassword", { token, password: "short" })
  expect(short.error.detail).toBe("password: must have at least 12 characters.")
  expect((await someone.mutate("setup.resetPassword", { token, password })).status).toBe(200)
  const again = await someone.mutate("setup.resetPassword", { token, password: "yet another password" })
  expect([again.status, again.error.error]).toEqual([404, "invalid_link"])
  expect((await someone.signIn(email)).status).toBe(401)
  expect((await someone.signIn(email, password)).status).toBe(200)
})

test("a reset ends every other way to sign in: sessions, passkeys, the second factor and open challenges", async () => {
  const { browser, email } = await member(app)
  const key = new Authenticator(deployment.origin)
  const registration = await (await browser.fetch("/api/auth/passkey/generate-register-options")).json()
  expect((await browser.auth("/passkey/verify-registration", key.register(registration, true))).status).toBe(200)
  const { json } = await browser.auth("/two-factor/enable", { password: PASSWORD })
  const totp = new TOTP({ secret: new URL(json.totpURI).searchParams.get("secret")!, period: 30, digits: 6 })
  await browser.auth("/two-factor/verify-totp", { code: totp.generate() })
  const waiting = new Browser(app)
  await waiting.signIn(email)

  const someone = new Browser(app)
  const { data } = await someone.mutate("setup.resetPassword", { token: await newToken(email), password })
  expect(data).toEqual({ passkeys_removed: 1, second_factor_removed: true })
  expect((await browser.query("me.get")).status).toBe(401)
  const options = await (await someone.fetch("/api/auth/passkey/generate-authenticate-options")).json()
  expect((await someone.auth("/passkey/verify-authentication", key.signIn(options, true))).status).toBe(401)
  const [code] = json.backupCodes
  expect((await waiting.auth("/two-factor/verify-backup-code", { code })).status).toBe(401)
  expect((await someone.signIn(email, password)).json.user.email).toBe(email)
  const rest = await sql`
    select from users u where u.email = ${email} and (exists (select from user_passkeys p where p.user_id = u.id)
      or exists (select from user_two_factors f where f.user_id = u.id) or two_factor_enabled)`
  expect(rest).toHaveLength(0)
})

test("only the last of a person's links works, and of two simultaneous uses, one succeeds", async () => {
  const { email } = await member(app)
  const first = await newToken(email)
  const last = await newToken(email)
  const someone = new Browser(app)
  expect((await someone.mutate("setup.resetPassword", { token: first, password })).error.error).toBe("invalid_link")
  const choices = ["one long password", "two long passwords", "three long passwords"]
  const answers = await Promise.all(
    choices.map((password) => someone.mutate("setup.resetPassword", { token: last, password })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const opened = await Promise.all(choices.map((password) => new Browser(app).signIn(email, password)))
  expect(opened.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200))
})

test("the database never contains a link's token in plain text", async () => {
  const { email } = await member(app)
  const token = await newToken(email)
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`
  for (const { name } of tables) {
    const rows = await sql`select from ${sql(name)} t where t::text like ${`%${token}%`}`
    expect([name, rows.length]).toEqual([name, 0])
  }
})

test("better-auth's resets are closed: they keep other ways to sign in, and store their tokens in plain text", async () => {
  const { email } = await member(app)
  const someone = new Browser(app)
  await sql`
    insert into user_verifications (id, identifier, value, expires_at, created_at, updated_at)
    select 'planted', 'reset-password:planted', id, now() + interval '1 hour', now(), now() from users
    where email = ${email}`
  expect((await someone.auth("/request-password-reset", { email })).status).toBe(404)
  expect((await someone.auth("/reset-password", { token: "planted", newPassword: password })).status).toBe(404)
  expect((await someone.fetch("/api/auth/reset-password/planted?callbackURL=/")).status).toBe(404)
})

test("a sign-in with the old password that began before the reset gets no session", async () => {
  const { email } = await member(app)
  const token = await newToken(email)
  const waiters = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const both = await sql.begin(async (tx) => {
    // Pauses the reset before it removes credentials, then the sign-in before it gets its session.
    await tx`select from users where email = ${email} for update`
    const reset = new Browser(app).mutate("setup.resetPassword", { token, password })
    await waitFor(async () => (await waiters()).length === 1 || null, "the reset to wait")
    const signIn = new Browser(app).signIn(email)
    await waitFor(async () => (await waiters()).length === 2 || null, "the sign-in to wait")
    return { reset, signIn }
  })
  expect((await both.reset).status).toBe(200)
  expect((await both.signIn).status).toBe(401)
  expect(await sql`select from user_sessions s join users u on u.id = s.user_id where u.email = ${email}`).toHaveLength(
    0,
  )
})
