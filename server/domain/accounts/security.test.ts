import { TOTP } from "otpauth"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { Authenticator } from "#test/fixtures/authenticator.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

/** Sets up an authenticator app, like the settings page. */
async function addCodes(browser: Browser) {
  const { json } = await browser.auth("/two-factor/enable", { password: PASSWORD })
  const secret = new URL(json.totpURI).searchParams.get("secret")!
  const totp = new TOTP({ secret, period: 30, digits: 6 })
  const code = totp.generate({ timestamp: Date.now() - 30_000 })
  const { status } = await browser.auth("/two-factor/verify-totp", { code })
  return { status, backupCodes: json.backupCodes as string[] }
}

async function addPasskey(browser: Browser) {
  const key = new Authenticator(deployment.origin)
  const asked = await browser.fetch("/api/auth/passkey/generate-register-options")
  if (asked.status !== 200) return { status: asked.status, key }
  const { status } = await browser.auth("/passkey/verify-registration", key.register(await asked.json(), true))
  return { status, key }
}

async function signInWith(key: Authenticator, workspaceId: string) {
  const browser = new Browser(app)
  const options = await (await browser.fetch("/api/auth/passkey/generate-authenticate-options")).json()
  const { status } = await browser.auth("/passkey/verify-authentication", key.signIn(options, true))
  expect(status).toBe(200)
  browser.workspaceId = workspaceId
  return browser
}

/** What accounts require of this user. Like the page, it asks for no workspace in particular. */
async function demandsOf(browser: Browser): Promise<(string | null)[]> {
  const { workspaceId } = browser
  browser.workspaceId = null
  const { data } = await browser.query("me.get")
  browser.workspaceId = workspaceId
  return data.workspaces.map(({ demands }: { demands: string | null }) => demands)
}
const codeOf = async (browser: Browser) => (await browser.query("overview.get", {})).error?.error ?? null

/** An account that requires a second factor, set by an owner who has one. */
async function demanding() {
  const owner = await member(app)
  await addCodes(owner.browser)
  const { status } = await owner.browser.mutate("workspace.requireSecondFactor", { required: true })
  expect(status).toBe(200)
  return owner
}

test("an owner without a second factor cannot require one, so no one is locked out", async () => {
  const { browser, account } = await member(app)
  const refused = await browser.mutate("workspace.requireSecondFactor", { required: true })
  expect([refused.status, refused.error.error]).toEqual([403, "second_factor_required"])
  expect((await sql`select second_factor_required as on from accounts where id = ${account.id}`)[0]).toEqual({
    on: false,
  })
  expect((await addCodes(browser)).status).toBe(200)
  expect((await browser.mutate("workspace.requireSecondFactor", { required: true })).data).toEqual({
    second_factor_required: true,
  })
  const [entry] = await sql`
    select detail from audit_entries where account_id = ${account.id} and action = 'account.security_changed'`
  expect(entry!.detail).toEqual({
    before: { second_factor_required: false },
    after: { second_factor_required: true },
  })
})

test("a member without a second factor can do nothing in the account until they set one up; keys and other accounts still work", async () => {
  const owner = await demanding()
  const { browser } = await member(app, { role: "developer", account: owner.account })
  const key = await app.key({ account: owner.account })
  expect(await demandsOf(browser)).toEqual(["second_factor", "second_factor"])
  expect(await codeOf(browser)).toBe("second_factor_required")
  const mint = { user_pubkey: "x", mint_config: "y", amount: "1" }
  expect((await browser.mutate("token.mint", mint)).error.error).toBe("second_factor_required")
  const file = `/api/export/audit.csv?workspace=${owner.workspaceId}`
  expect((await browser.fetch(file)).status).toBe(403)
  expect((await app.request({ method: "GET", path: "/usage", key: key.apiKey })).status).toBe(200)

  const elsewhere = await member(app)
  const invited = await elsewhere.browser.mutate("member.invite", { role: "viewer" })
  const token = new URL(invited.data.link).searchParams.get("token")!
  browser.workspaceId = null
  expect((await browser.mutate("setup.join", { token })).status).toBe(200)
  browser.workspaceId = elsewhere.workspaceId
  expect(await codeOf(browser)).toBeNull()

  browser.workspaceId = owner.workspaceId
  await addCodes(browser)
  expect(await codeOf(browser)).toBeNull()
})

test("signing in with a passkey counts as two factors", async () => {
  const owner = await demanding()
  const { browser, email } = await member(app, { role: "compliance", account: owner.account })
  const { status, key } = await addPasskey(browser)
  expect(status).toBe(200)
  expect(await codeOf(browser)).toBeNull()
  expect(await codeOf(await signInWith(key, owner.workspaceId))).toBeNull()

  // The password alone is one factor and can't add a passkey: that would bypass the requirement.
  const thief = new Browser(app)
  await thief.signIn(email)
  thief.workspaceId = owner.workspaceId
  expect(await codeOf(thief)).toBe("second_factor_required")
  expect(await demandsOf(thief)).toEqual(["sign_in", "sign_in"])
  expect((await addPasskey(thief)).status).toBe(403)
  expect((await thief.auth("/two-factor/enable", { password: PASSWORD })).status).toBe(403)
  const [own] = await (await thief.fetch("/api/auth/passkey/list-user-passkeys")).json()
  expect((await thief.auth("/passkey/delete-passkey", { id: own.id })).status).toBe(403)
  expect(await codeOf(thief)).toBe("second_factor_required")
})

test("signing in with a code or a backup code is enough, and switching the factor off takes effect immediately", async () => {
  const owner = await demanding()
  const { browser, email } = await member(app, { role: "viewer", account: owner.account })
  const { backupCodes } = await addCodes(browser)
  const again = new Browser(app)
  await again.signIn(email)
  again.workspaceId = owner.workspaceId
  expect((await again.query("overview.get", {})).error.error).toBe("not_signed_in")
  await again.auth("/two-factor/verify-backup-code", { code: backupCodes[0] })
  expect(await codeOf(again)).toBeNull()
  await again.auth("/two-factor/disable", { password: PASSWORD })
  expect(await codeOf(again)).toBe("second_factor_required")
  expect(await demandsOf(again)).toEqual(["second_factor", "second_factor"])
})

test("a new password does not change how the user signed in", async () => {
  const owner = await demanding()
  const changed = await owner.browser.auth("/change-password", {
    currentPassword: PASSWORD,
    newPassword: "another correct horse battery",
    revokeOtherSessions: true,
  })
  expect(changed.status).toBe(200)
  expect(await codeOf(owner.browser)).toBeNull()
  const weak = await member(app, { role: "viewer", account: owner.account })
  await weak.browser.auth("/change-password", {
    currentPassword: PASSWORD,
    newPassword: "another correct horse battery",
    revokeOtherSessions: true,
  })
  expect(await codeOf(weak.browser)).toBe("second_factor_required")
})

test("a password proves one factor, even in a browser where another member has proven two", async () => {
  const owner = await demanding()
  const { browser, email } = await member(app, { role: "compliance", account: owner.account })
  await addPasskey(browser)
  const thief = owner.browser
  expect((await thief.signIn(email)).status).toBe(200)
  expect(await codeOf(thief)).toBe("second_factor_required")
})

test("invitations mention the requirement, and only owners can change it", async () => {
  const owner = await demanding()
  const link = (await owner.browser.mutate("member.invite", { role: "compliance" })).data.link
  const token = new URL(link).searchParams.get("token")!
  const { data } = await new Browser(app).query("setup.look", { token })
  expect(data).toMatchObject({ role: "compliance", second_factor_required: true })
  const free = await member(app)
  const other = new URL((await free.browser.mutate("member.invite", { role: "viewer" })).data.link)
  const look = await new Browser(app).query("setup.look", { token: other.searchParams.get("token") })
  expect(look.data.second_factor_required).toBe(false)

  const officer = await member(app, { role: "compliance", account: owner.account })
  await addCodes(officer.browser)
  const answer = await officer.browser.mutate("workspace.requireSecondFactor", { required: false })
  expect(answer.error.error).toBe("insufficient_scope")
})

test("a member's event stream ends when the requirement starts", async () => {
  const { browser, account, workspaceId } = await member(app)
  const watcher = await member(app, { role: "viewer", account })
  const stream = await watcher.browser.fetch(
    `/api/trpc/activity.changes?input=${encodeURIComponent("{}")}&workspace=${workspaceId}`,
    { headers: { accept: "text/event-stream", "x-vouch-workspace": workspaceId } },
  )
  expect(stream.status).toBe(200)
  await addCodes(browser)
  await browser.mutate("workspace.requireSecondFactor", { required: true })
  let text = ""
  const decoder = new TextDecoder()
  for await (const bytes of stream.body!) {
    text += decoder.decode(bytes as Uint8Array)
    if (text.includes("not_signed_in")) break
  }
  expect(text).toContain("not_signed_in")
})
