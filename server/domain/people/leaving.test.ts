import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { watchActivity } from "#server/dashboard/activity.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { createInvitation } from "./invitations.ts"
import { principalIn } from "./principal.ts"

// A removed or demoted member has no way back in.

usesApp()

const tokenOf = (link: string) => new URL(link).searchParams.get("token")!
const lookAt = (token: string) => new Browser(app).query("setup.look", { token })
const idOf = async ({ browser }: { browser: Browser }) => (await browser.query("me.get")).data.user.id as string

async function twoOwners() {
  const ada = await member(app)
  const eve = await member(app, { account: ada.account })
  return { ada, eve, eveId: await idOf(eve) }
}

test.each(["removed", "demoted"])("a %s owner’s invitations end, and no one else's", async (how) => {
  const { ada, eve, eveId } = await twoOwners()
  const invite = async (by: typeof eve) =>
    tokenOf((await by.browser.mutate("member.invite", { role: "owner" })).data.link)
  const [hers, also, other] = [await invite(eve), await invite(eve), await invite(ada)]
  const { data } =
    how === "removed"
      ? await ada.browser.mutate("member.remove", { user_id: eveId })
      : await ada.browser.mutate("member.changeRole", { user_id: eveId, role: "developer" })
  expect(data).toMatchObject({ invitations_ended: 2, keys: [] })
  for (const token of [hers, also]) expect((await lookAt(token)).error.error).toBe("invalid_link")
  const returning = { token: hers, name: "Eve", email: "eve2@example.com", password: PASSWORD }
  expect((await new Browser(app).mutate("setup.createUser", returning)).error.error).toBe("invalid_link")
  eve.browser.workspaceId = null
  expect((await eve.browser.mutate("setup.join", { token: also })).error.error).toBe("invalid_link")
  expect((await lookAt(other)).status).toBe(200)
  expect((await ada.browser.query("member.list")).data.invitations).toHaveLength(1)
  // They do not work either once Eve is an owner again.
  await sql`
    insert into members (account_id, user_id, role, created_at) values (${ada.account.id}, ${eveId}, 'owner', now())
    on conflict (account_id, user_id) do update set role = 'owner'`
  expect((await lookAt(hers)).error.error).toBe("invalid_link")
})

test("an invitation works only while its inviter is an owner, even if it was not ended", async () => {
  const { ada, eve, eveId } = await twoOwners()
  const token = tokenOf((await eve.browser.mutate("member.invite", { role: "owner" })).data.link)
  await sql`delete from members where account_id = ${ada.account.id} and user_id = ${eveId}`
  expect((await lookAt(token)).error.error).toBe("invalid_link")
  // The operator issues the first owner's invitation. It works while there is no owner.
  const first = { accountId: ada.account.id, role: "owner" as const, email: null, invitedBy: null }
  const link = tokenOf((await createInvitation(sql, first)).link)
  expect((await lookAt(link)).error.error).toBe("invalid_link")
  await sql`delete from members where account_id = ${ada.account.id}`
  expect((await lookAt(link)).status).toBe(200)
})

test("the keys whose secret a removed member saw are returned, listed as such, and revoked with one click", async () => {
  const { ada, eve, eveId } = await twoOwners()
  const { test: testWorkspace, live } = ada.account.workspaces
  const make = async (by: typeof eve, workspace: string, name: string) => {
    by.browser.workspaceId = workspace
    return (await by.browser.mutate("key.create", { name, scopes: ["kyc:read"] })).data
  }
  const own = await make(eve, testWorkspace, "Hers")
  const inLive = await make(eve, live, "Hers in live")
  const revoked = await make(eve, live, "Hers, revoked")
  await eve.browser.mutate("key.revoke", { key_id: revoked.key_id })
  const rotatedByHer = await make(ada, testWorkspace, "Rotated by her")
  eve.browser.workspaceId = testWorkspace
  await eve.browser.mutate("key.rotate", { key_id: rotatedByHer.key_id, grace_seconds: 0 })
  const rotatedSince = await make(eve, testWorkspace, "Rotated since")
  ada.browser.workspaceId = testWorkspace
  await ada.browser.mutate("key.rotate", { key_id: rotatedSince.key_id, grace_seconds: 0 })
  const untouched = await make(ada, testWorkspace, "Not hers")

  const { data } = await ada.browser.mutate("member.remove", { user_id: eveId })
  expect(data.keys.map(({ name, mode }: { name: string; mode: string }) => `${name} (${mode})`).sort()).toEqual([
    "Hers (test)",
    "Hers in live (live)",
    "Rotated by her (test)",
  ])
  const keys = async () => {
    const { data } = (await ada.browser.query("key.list")).data
    const known = data.filter((key: { known_to: string | null }) => key.known_to !== null)
    return known.map((key: { name: string }) => key.name).sort()
  }
  expect(await keys()).toEqual(["Hers", "Rotated by her"])
  const status = async (secret: string) =>
    (await fetch(`${app.origin}/v1/schemas`, { headers: { authorization: `Bearer ${secret}` } })).status
  const [before, since, not] = [
    await status(own.api_key),
    await status(inLive.api_key),
    await status(untouched.api_key),
  ]
  expect([before, since, not]).not.toContain(401)

  expect((await eve.browser.mutate("member.revokeKeys", { user_id: eveId })).status).toBe(404)
  expect((await ada.browser.mutate("member.revokeKeys", { user_id: eveId })).data).toEqual({ revoked: 3 })
  expect([await status(own.api_key), await status(inLive.api_key)]).toEqual([401, 401])
  expect(await status(untouched.api_key)).not.toBe(401)
  expect(await keys()).toEqual([])
})

test("removing and revoking do not affect members of another account", async () => {
  const [ada, other] = [await member(app), await member(app)]
  const { data } = await other.browser.mutate("key.create", { name: "Theirs", scopes: ["kyc:read"] })
  const theirs = { user_id: await idOf(other) }
  expect((await ada.browser.mutate("member.revokeKeys", theirs)).data).toEqual({ revoked: 0 })
  expect((await ada.browser.mutate("member.remove", theirs)).error.error).toBe("member_not_found")
  const [key] = await sql`select revoked_at from api_keys where id = ${data.key_id}`
  expect(key).toEqual({ revoked_at: null })
})

test("a key created at the moment of the removal is refused, or the removal returns it", async () => {
  const { ada, eve, eveId } = await twoOwners()
  const principal = await principalIn({ id: eveId, name: "Eve", email: eve.email, sessionId: "" }, eve.workspaceId)
  await ada.browser.mutate("member.remove", { user_id: eveId })
  // Uses a principal from before the removal.
  const late = createKey({
    ...{ workspaceId: eve.workspaceId, mode: "test", name: "Late", scopes: ["kyc:read"] },
    author: { principal, requestId: newId("req") },
  })
  await expect(late).rejects.toMatchObject({ code: "workspace_not_found" })
  expect(await sql`select from api_keys where workspace_id = ${eve.workspaceId}`).toHaveLength(0)
})

test("a removed member's event streams end at once, and others' continue", async () => {
  const { ada, eve, eveId } = await twoOwners()
  const watch = async ({ browser, email }: typeof eve) => {
    const [session] = await sql<{ id: string; user_id: string }[]>`
      select s.id, user_id from user_sessions s join users u on u.id = s.user_id where u.email = ${email}`
    const user = { id: session!.user_id, name: "x", email, sessionId: session!.id }
    const leaving = new AbortController()
    const state = { ended: null as unknown, leave: () => leaving.abort() }
    const principal = await principalIn(user, browser.workspaceId!)
    const changes = watchActivity({ principal, user, signal: leaving.signal })
    void (async () => {
      for await (const _ of changes);
    })().catch((error) => {
      state.ended = error
    })
    return state
  }
  const [hers, others] = [await watch(eve), await watch(ada)]
  await ada.browser.mutate("member.remove", { user_id: eveId })
  await waitFor(async () => hers.ended, "the stream to end")
  expect(hers.ended).toMatchObject({ code: "not_signed_in" })
  expect(others.ended).toBeNull()
  others.leave()
})
