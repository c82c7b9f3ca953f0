import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember, proveSecondFactor } from "#test/fixtures/approvals.ts"
import { type ForcedTransfers, forcedTransfers } from "#test/fixtures/forced-transfers.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"

let app: TestApp
/** Makes the requests, with own keys. */
let owner: ProvenMember
let officer: ProvenMember
let config: string
let holder: string
let fixture: ForcedTransfers

beforeAll(async () => {
  // With mail, a mailbox can be proven.
  app = await startTestApp({ VOUCH_SMTP_URL: "smtp://localhost:1", VOUCH_MAIL_FROM: "vouch@example.com" })
  fixture = await forcedTransfers(app)
  ;({ owner, officer, config, holder } = fixture)
})
afterAll(() => app.stop())

const newKey = async (by: ProvenMember): Promise<{ api_key: string; key_id: string }> =>
  (await by.browser.mutate("key.create", { name: "Own", scopes: ["token:control", "token:read"] })).data

const askWith = async (apiKey: string): Promise<string> => (await fixture.asked("1", { key: apiKey })).approvalId
const asked = async (by = owner) => askWith((await newKey(by)).api_key)
const error = async (by: Pick<ProvenMember, "browser">, id: string) => (await approve(by, id)).error?.error
const given = async (id: string) => (await sql`select state, given from approvals where id = ${id}`)[0]!

test("the creator of a key cannot approve its requests, with another session, key or tab", async () => {
  const id = await asked()
  expect(await error(owner, id)).toBe("second_person_required")
  const again = new Browser(app)
  await sql`delete from user_passkeys where user_id = (select id from users where email = ${owner.email})`
  await again.signIn(owner.email)
  again.workspaceId = owner.workspaceId
  await proveSecondFactor(owner)
  expect(await error({ browser: again }, id)).toBe("second_person_required")
  expect((await owner.browser.query("approval.detail", { id })).data).toMatchObject({
    can_approve: false,
    is_own: true,
    request_id: expect.stringMatching(/^req_/),
  })
  expect(await given(id)).toMatchObject({ state: "pending", given: [] })
})

test("a request made in the dashboard cannot be approved by the member who made it", async () => {
  await fixture.policy({ actions: ["mint"], mint_config: config, min_amount: "500" })
  const minted = await owner.browser.mutate("token.mint", { user_pubkey: holder, mint_config: config, amount: "500" })
  expect(minted.data).toMatchObject({ status: "awaiting_approval" })
  expect(await error(owner, minted.data.approval_id)).toBe("second_person_required")
  // The log has requests of keys only.
  const { data } = await officer.browser.query("approval.detail", { id: minted.data.approval_id })
  expect(data.request_id).toBeNull()
  expect(await error(officer, minted.data.approval_id)).toBeUndefined()
})

test("anyone who rotated a key knows its secret, so neither they nor its creator can approve", async () => {
  const { key_id } = await newKey(owner)
  const other = await provenMember(app, { account: owner.account })
  const { api_key } = (await other.browser.mutate("key.rotate", { key_id, grace_seconds: 0 })).data
  const id = await askWith(api_key)
  expect(await error(other, id)).toBe("second_person_required")
  expect(await error(owner, id)).toBe("second_person_required")
  expect(await error(officer, id)).toBeUndefined()
})

test("the creator of a key cannot approve its requests even if nothing notes who saw its secret", async () => {
  const { api_key, key_id } = await newKey(owner)
  // As a version that did not note it created the key.
  await sql`update key_secrets set shown_to = null where key_id = ${key_id}`
  const id = await askWith(api_key)
  expect(await error(owner, id)).toBe("second_person_required")
  expect(await error(officer, id)).toBeUndefined()
})

test("a key of the command line is no member's, so every owner can approve", async () => {
  const id = await askWith((await app.key({ account: owner.account })).apiKey)
  expect(await error(owner, id)).toBeUndefined()
})

test.each([
  ["unproven", () => `${Date.now()}@example.net`, false],
  ["the requester's with a tag", () => owner.email.replace("@", "+audit@"), true],
  ["the requester's in capitals with a tag", () => owner.email.replace("@", "+b@").toUpperCase(), true],
])("a member whose mailbox is %s cannot approve", async (_what, email, isProven) => {
  const alias = await provenMember(app, { role: "compliance", account: owner.account })
  const id = await asked()
  await sql`update users set email = ${email()}, email_verified = ${isProven} where email = ${alias.email}`
  expect(await error(alias, id)).toBe("second_person_required")
})

test("periods make no other mailbox at Google", async () => {
  const boss = await provenMember(app, { account: owner.account })
  const alias = await provenMember(app, { role: "compliance", account: owner.account })
  const id = await asked(boss)
  await sql`update users set email = 'ada.byron@gmail.com' where email = ${boss.email}`
  await sql`update users set email = 'adabyron+x@googlemail.com' where email = ${alias.email}`
  expect(await error(alias, id)).toBe("second_person_required")
})

test("a member whom the requester invites or promotes after the request cannot approve it, earlier ones can", async () => {
  const promoted = await provenMember(app, { role: "viewer", account: owner.account })
  const id = await asked()
  const [user] = await sql`select id from users where email = ${promoted.email}`
  await owner.browser.mutate("member.changeRole", { user_id: user!.id, role: "compliance" })
  expect(await error(promoted, id)).toBe("second_person_required")
  const invited = await provenMember(app, { role: "compliance", account: owner.account })
  expect(await error(invited, id)).toBe("second_person_required")
  const later = await asked()
  expect(await error(promoted, later)).toBeUndefined()
})

test("a removed or demoted member's approval no longer counts", async () => {
  await fixture.policy({ actions: ["force_transfer"], approvals: 2 })
  const [first, demoted, last] = await Promise.all(
    [1, 2, 3].map(() => provenMember(app, { role: "compliance", account: owner.account })),
  )
  const id = await asked()
  expect((await approve(first!, id)).data).toMatchObject({ state: "pending", given: [{ by: "The compliance" }] })
  expect(await error(first!, id)).toBe("second_person_required")
  const idOf = async (email: string) => (await sql`select id from users where email = ${email}`)[0]!.id as string
  await owner.browser.mutate("member.remove", { user_id: await idOf(first!.email) })
  expect((await approve(demoted!, id)).data).toMatchObject({ state: "pending", given: [{ by: "The compliance" }] })
  await owner.browser.mutate("member.changeRole", { user_id: await idOf(demoted!.email), role: "viewer" })
  expect((await approve(last!, id)).data).toMatchObject({ state: "pending" })
  expect((await given(id)).given).toHaveLength(1)
  expect((await approve(officer, id)).data).toMatchObject({ state: "approved" })
})

test("an approval does not come back with its member, who can give it again", async () => {
  const policyId = await fixture.policy({ actions: ["force_transfer"], approvals: 2 })
  const [one, other] = [
    await provenMember(app, { role: "compliance", account: owner.account }),
    await provenMember(app, { account: owner.account }),
  ]
  const user_id = (await sql`select id from users where email = ${one.email}`)[0]!.id as string
  const id = await asked()
  expect((await approve(one, id)).data).toMatchObject({ state: "pending" })
  const role = (role: string) => other.browser.mutate("member.changeRole", { user_id, role })
  for (const change of [await role("viewer"), await role("compliance")]) expect(change.status).toBe(200)
  expect((await one.browser.query("approval.detail", { id })).data.can_approve).toBe(true)
  expect((await approve(officer, id)).data).toMatchObject({ state: "pending" })
  expect((await given(id)).given).toHaveLength(1)
  expect((await approve(one, id)).data).toMatchObject({ state: "approved" })
  await sql`delete from approval_policies where id = ${policyId}`
})

test("a request ends when its key has expired", async () => {
  const { api_key, key_id } = await newKey(owner)
  const id = await askWith(api_key)
  await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${key_id}`
  expect(await error(officer, id)).toBe("approval_ended")
  expect(await given(id)).toMatchObject({ state: "void" })
})

test("a user's code proves the second factor of the session in which it is entered", async () => {
  const { TOTP } = await import("otpauth")
  const one = await member(app, { role: "compliance", account: owner.account })
  const { json } = await one.browser.auth("/two-factor/enable", { password: PASSWORD })
  const totp = new TOTP({ secret: new URL(json.totpURI).searchParams.get("secret")!, period: 30, digits: 6 })
  const code = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 })
  expect((await one.browser.auth("/two-factor/verify-totp", { code: code(-1) })).status).toBe(200)
  await sql`
    update user_sessions set two_factor_at = null where user_id = (select id from users where email = ${one.email})`
  const id = await asked()
  expect(await error(one, id)).toBe("second_factor_required")
  expect((await one.browser.auth("/two-factor/verify-totp", { code: "000000" })).status).not.toBe(200)
  expect(await error(one, id)).toBe("second_factor_required")
  expect((await one.browser.auth("/two-factor/verify-totp", { code: code(1) })).status).toBe(200)
  expect((await approve(one, id)).data).toMatchObject({ given: [{ by: "The compliance" }] })
})

test("a password refreshes no second factor: neither a new one nor signing in again", async () => {
  const one = await provenMember(app, { role: "compliance", account: owner.account })
  const id = await asked()
  await sql`
    update user_sessions set two_factor_at = now() - interval '10 minutes'
    where user_id = (select id from users where email = ${one.email})`
  const newPassword = "another correct horse battery"
  const change = { currentPassword: PASSWORD, newPassword, revokeOtherSessions: true }
  expect((await one.browser.auth("/change-password", change)).status).toBe(200)
  expect(await error(one, id)).toBe("second_factor_required")
  expect((await one.browser.signIn(one.email, newPassword)).status).toBe(200)
  expect(await error(one, id)).toBe("second_factor_required")
})

test("a member who can approve needs their second factor to add another one", async () => {
  const { email, workspaceId } = await provenMember(app, { role: "compliance", account: owner.account })
  const thief = new Browser(app)
  await thief.signIn(email)
  thief.workspaceId = workspaceId
  expect((await thief.auth("/two-factor/enable", { password: PASSWORD })).status).toBe(403)
  expect((await thief.fetch("/api/auth/passkey/generate-register-options")).status).toBe(403)
  expect(await error({ browser: thief }, await asked())).toBe("second_factor_required")
})

test("a request's page counts only approvals of members who may still approve, and names who rejected it", async () => {
  await fixture.policy({ actions: ["force_transfer"], mint_config: config, approvals: 2 })
  const demoted = await provenMember(app, { role: "compliance", account: owner.account })
  const id = await asked()
  const detailOf = async ({ browser }: ProvenMember) => (await browser.query("approval.detail", { id })).data
  expect(await error(demoted, id)).toBeUndefined()
  expect(await detailOf(officer)).toMatchObject({ given: [{}], can_approve: true, has_approved: false })
  expect(await detailOf(demoted)).toMatchObject({ can_approve: false, has_approved: true })
  const [user] = await sql`select id from users where email = ${demoted.email}`
  await owner.browser.mutate("member.changeRole", { user_id: user!.id, role: "viewer" })
  expect(await detailOf(officer)).toMatchObject({ given: [], can_approve: true, ended_by: null })
  const { digest } = await detailOf(officer)
  await officer.browser.mutate("approval.reject", { approval_id: id, digest, reason: "No" })
  expect(await detailOf(officer)).toMatchObject({ state: "rejected", ended_by: "The compliance" })
})
