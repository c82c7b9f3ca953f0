import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { setPlan } from "#server/domain/accounts/accounts.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { eraseWallet } from "#server/domain/privacy/erase.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays } from "#server/lib/time.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type Answer, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: Awaited<ReturnType<typeof member>>

usesApp()
beforeAll(async () => {
  owner = await member(app)
})

type Entry = { action: string; subject: string; actor_name: string }
const list = async (filter: object = {}, by = owner): Promise<Entry[]> => {
  const entries: Entry[] = []
  let cursor: string | undefined
  do {
    const { data }: Answer = await by.browser.query("audit.list", { limit: 3, ...filter, cursor })
    entries.push(...data.data)
    cursor = data.next_cursor ?? undefined
  } while (cursor)
  return entries
}
/** The worker links entries a moment after they were written. */
const allLinked = () =>
  waitFor(
    async () =>
      (
        await sql`
          select from audit_entries e
          join workspaces w on w.account_id = e.account_id and coalesce(e.workspace_id, w.id) = w.id
          where not exists (select from audit_links l where l.workspace_id = w.id and l.seq = e.seq)`
      ).length === 0,
    "the log to be linked",
  )
const newKey = async (by = owner) =>
  (await by.browser.mutate("key.create", { name: newId("key"), scopes: ["kyc:read"] })).data.key_id as string

test("the audit log cannot be changed, deleted or truncated, not even by the database's owner", async () => {
  await newKey()
  await allLinked()
  const before = await sql`select * from audit_entries order by seq`
  for (const attempt of [
    () => sql`update audit_entries set actor_name = 'unknown'`,
    () => sql`delete from audit_entries`,
    () => sql`truncate audit_entries`,
    () => sql`truncate accounts cascade`,
  ]) {
    await expect(attempt()).rejects.toThrow("append-only")
  }
  expect(await sql`select * from audit_entries order by seq`).toEqual(before)
})

test("a change that is rolled back leaves no line, and a change whose line cannot be written does not happen", async () => {
  const before = await list()
  const name = "never made"
  await expect(
    sql.begin(async (within) => {
      await createKey({ workspaceId: owner.workspaceId, mode: "test", name, scopes: ["kyc:read"], within })
      throw new Error("changed my mind")
    }),
  ).rejects.toThrow("changed my mind")
  expect(await list()).toEqual(before)

  await sql`alter table audit_entries add constraint broken check (action <> 'key.created') not valid`
  const refused = await owner.browser.mutate("key.create", { name, scopes: ["kyc:read"] })
  await sql`alter table audit_entries drop constraint broken`
  expect(refused.status).toBe(500)
  expect(await sql`select from api_keys where name = ${name}`).toHaveLength(0)
})

test("it shows this workspace and its account, newest first, and nothing else", async () => {
  const live = await member(app, { account: owner.account, mode: "live" })
  const stranger = await member(app)
  const [mine, other, theirs] = [await newKey(), await newKey(live), await newKey(stranger)]
  const subjects = (await list()).map(({ subject }) => subject)
  expect(subjects[0]).toBe(mine)
  expect(subjects).not.toContain(other)
  expect(subjects).not.toContain(theirs)
  // Each workspace has its own chain.
  const unlinked = { place: null, hash: null, anchor: null }
  const wholeAccount = (entries: Entry[]) =>
    entries
      .filter((entry) => "whole_account" in entry && entry.whole_account)
      .map((entry) => ({ ...entry, ...unlinked }))
  const shared = wholeAccount(await list()).map(({ action }) => action)
  expect(shared).toContain("account.created")
  expect(shared).toContain("member.joined")
  expect(wholeAccount(await list({}, live))).toEqual(wholeAccount(await list()))
  const { next_cursor } = (await owner.browser.query("audit.list", { limit: 1 })).data
  // A cursor works only in its list, and reveals nothing.
  for (const [by, cursor] of [
    [stranger, next_cursor],
    [owner, "nonsense"],
    [owner, ""],
  ] as const) {
    expect((await by.browser.query("audit.list", { cursor })).error.error).toBe("validation_failed")
  }
})

test("filters return what they name, and a viewer may read everything", async () => {
  const developer = await member(app, { account: owner.account, role: "developer" })
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  const key = await newKey(developer)
  await developer.browser.mutate("key.revoke", { key_id: key })
  const actions = async (filter: object) => (await list(filter)).map(({ action }) => action)
  expect(await actions({ subject: key })).toEqual(["key.revoked", "key.created"])
  expect(await actions({ subject: key, action: "key.rev" })).toEqual(["key.revoked"])
  expect(new Set(await actions({ action: "member." }))).toEqual(new Set(["member.joined"]))
  expect(await actions({ action: "%" })).toEqual([])
  expect(new Set((await list({ actor: "operator" })).map(({ actor_name }) => actor_name))).toEqual(
    new Set(["Command line"]),
  )
  const [{ actor_id }] = (await list({ subject: key })) as unknown as [{ actor_id: string }]
  expect((await list({ actor_id })).map(({ action }) => action)).toEqual([
    "key.revoked",
    "key.created",
    "member.joined",
  ])
  expect(await actions({ from: addDays(new Date(), 1).toISOString() })).toEqual([])
  expect(await actions({ to: addDays(new Date(), -1).toISOString() })).toEqual([])
  // Entries are linked some seconds later, also between the two reads.
  const unlinked = (entries: object[]) => entries.map((entry) => ({ ...entry, place: null, hash: null }))
  expect(unlinked(await list({}, viewer))).toEqual(unlinked(await list()))
})

test("it includes the operator's changes: accounts, plans and erasures", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  await setPlan(account.name, "enterprise", 7)
  await setPlan(account.name, "enterprise", 7)
  const key = await app.key({ account })
  const { wallet, status } = await app.verifiedWallet(key)
  await app.request({
    ...{ method: "POST", path: `/attestation/${status.attestation_id}/revoke`, key: key.apiKey },
    json: { reason: "Asked to be forgotten" },
  })
  await eraseWallet({ workspaceId: key.workspaceId, wallet })
  await eraseWallet({ workspaceId: key.workspaceId, wallet })
  const entries = await sql`
    select action, actor, actor_name, subject, detail, workspace_id from audit_entries
    where account_id = ${account.id} and (action like 'account.%' or action like 'wallet.%') order by seq`
  const by = { actor: "operator", actor_name: "Command line" }
  expect(entries).toEqual([
    {
      ...by,
      action: "account.created",
      subject: account.id,
      detail: { name: account.name, plan: "free", included: 500 },
      workspace_id: null,
    },
    {
      ...by,
      action: "account.plan_changed",
      subject: account.id,
      detail: { before: { plan: "free", included: 500 }, after: { plan: "enterprise", included: 7 } },
      workspace_id: null,
    },
    {
      ...by,
      action: "wallet.erased",
      subject: wallet,
      detail: { attestations: 1 },
      workspace_id: key.workspaceId,
    },
  ])
})

test("an invitation's line names its address and role, and a change of a member names the member", async () => {
  const { browser, account } = await member(app)
  const invite = async (email?: string) =>
    (await browser.mutate("member.invite", { role: "viewer", ...(email && { email }) })).data.id as string
  const bound = await invite("ada@example.com")
  const open = await invite()
  await browser.mutate("member.revokeInvitation", { id: bound })
  const viewer = await member(app, { account, role: "viewer" })
  const { user_id } = (await browser.query("member.list")).data.members.find(
    (one: { email: string }) => one.email === viewer.email,
  )
  await browser.mutate("member.changeRole", { user_id, role: "developer" })
  await browser.mutate("member.remove", { user_id })
  const { data }: Answer = await browser.query("audit.list", { action: "member." })
  const lines = data.data.map(({ action, subject, subject_name, detail }: Record<string, unknown>) => [
    ...[action, subject, subject_name, detail],
  ])
  expect(lines).toEqual([
    ["member.removed", user_id, "The viewer", { role: "developer" }],
    ["member.role_changed", user_id, "The viewer", { before: "viewer", after: "developer" }],
    ["member.joined", user_id, "The viewer", { name: "The viewer", role: "viewer" }],
    ["member.invitation_revoked", bound, "ada@example.com", {}],
    ["member.invited", open, null, { role: "viewer" }],
    ["member.invited", bound, "ada@example.com", { role: "viewer" }],
    ["member.joined", expect.any(String), "The owner", expect.anything()],
  ])
})

test("no line contains the secret of a key or a link", async () => {
  const made = await owner.browser.mutate("key.create", { name: "secret", scopes: ["kyc:read"] })
  const rotated = await owner.browser.mutate("key.rotate", { key_id: made.data.key_id, grace_seconds: 0 })
  const rows = await sql<{ text: string }[]>`select t::text as text from audit_entries t`
  for (const secret of [made.data.api_key, rotated.data.api_key]) {
    expect(rows.some(({ text }) => text.includes(secret.slice(15)))).toBe(false)
  }
})
