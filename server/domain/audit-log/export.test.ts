import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { realNow } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { countAuditEntries } from "./read.ts"

usesApp()

async function download(browser: Browser, query = "") {
  const response = await browser.fetch(`/api/export/audit.csv?workspace=${browser.workspaceId}${query}`)
  // `text()` would remove the byte order mark.
  const text = Buffer.from(await response.arrayBuffer()).toString()
  return { response, text, lines: text.split("\r\n") }
}

test("the export has every line that the page shows, newest first, with the person concerned", async () => {
  const { browser } = await member(app)
  await browser.mutate("member.invite", { role: "viewer", email: "ada@example.com" })
  const { data: key } = await browser.mutate("key.create", { name: "Back office", scopes: ["kyc:read"] })
  const { response, text, lines } = await download(browser)
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8")
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/)
  expect(
    text.startsWith(
      "\ufeffat,action,actor,actor_id,actor_name,subject,subject_name,scope,detail,request_id,place,previous_hash,hash,hashed_text\r\n",
    ),
  ).toBe(true)
  const { data } = await browser.query("audit.list", { limit: 100 })
  expect(lines.slice(1, -1).map((line) => line.split(",").slice(0, 2))).toEqual(
    data.data.map(({ at, action }: { at: string; action: string }) => [at, action]),
  )
  expect(lines.find((line) => line.includes("member.invited"))).toMatch(/,ada@example\.com,account,.*viewer/)
  const { lines: some } = await download(browser, "&action=key.&actor=user")
  expect(some.slice(1, -1).map((line) => line.split(",")[5])).toEqual([key.key_id])
})

test("an export with more lines than one read misses none and repeats none", async () => {
  const { browser, workspaceId, account } = await member(app)
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select ${account.id}, ${workspaceId}, timestamptz '2026-01-01' + (n / 7) * interval '1 second', 'key', 'Key',
      'token.mint_requested', 'op_' || n, '{}'
    from generate_series(1, 2500) n`
  const { lines } = await download(browser, "&action=token.")
  expect(lines.slice(1, -1).map((line) => line.split(",")[5])).toEqual(
    Array.from({ length: 2500 }, (_, n) => `op_${2500 - n}`),
  )
})

test.each([
  ["removed", (userId: string) => sql`delete from members where user_id = ${userId}`],
  ["signed out", (userId: string) => sql`delete from user_sessions where user_id = ${userId}`],
])("a download breaks off once the member was %s", async (_what, end) => {
  const { browser, workspaceId, account, email } = await member(app)
  // More in each part than fits in the buffers between a server and a client that does not read.
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select ${account.id}, ${workspaceId}, now(), 'key', 'Key', 'token.mint_requested', 'op_' || n,
      jsonb_build_object('to', repeat('x', 20000))
    from generate_series(1, 2500) n`
  const response = await browser.fetch(`/api/export/audit.csv?workspace=${workspaceId}`)
  expect(response.status).toBe(200)
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  await end(user!.id)
  await expect(response.arrayBuffer()).rejects.toThrow()
})

test("a file's number of lines is known beforehand if counting is cheap", async () => {
  const { browser, workspaceId, account } = await member(app)
  await browser.mutate("member.invite", { role: "viewer", email: "ada@example.com" })
  await browser.mutate("key.create", { name: "Reader", scopes: ["kyc:read"] })
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select ${account.id}, ${workspaceId}, now() - interval '2 days', 'key', 'Key', 'token.mint_requested', 'op_' || n, '{}'
    from generate_series(1, 1500) n`
  const yesterday = addDays(realNow(), -1).toISOString()
  for (const query of [
    ...["", "&action=token.", "&action=key.", "&actor=user", "&actor=key", "&subject=op_7"],
    ...[`&from=${yesterday}`, `&to=${yesterday}`, `&actor=user&to=${yesterday}`, "&action=t&subject=op_9"],
  ]) {
    const { response, lines } = await download(browser, query)
    expect(response.headers.get("vouch-rows"), query).toBe(String(lines.length - 2))
  }
  expect((await download(browser, "&action=token.")).response.headers.get("vouch-rows")).toBe("1500")
  expect(await countAuditEntries(workspaceId, { action: "token." }, { most: 1499 })).toBeNull()
  // An index excludes the lines of tokens.
  expect(await countAuditEntries(workspaceId, { action: "key." }, { most: 100 })).toBe(1)
  expect(await countAuditEntries(workspaceId, { to: yesterday, actor: "user" }, { most: 100 })).toBe(0)
})

test("a name that looks like a formula stays text", async () => {
  const { browser } = await member(app)
  const name = '=HYPERLINK("https://evil.example")'
  const { data: key } = await browser.mutate("key.create", { name, scopes: ["kyc:read"] })
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select account_id, id, now(), 'key', ${name}, 'key.used', ${key.key_id}, '{}' from workspaces
    where id = ${browser.workspaceId}`
  const { text } = await download(browser)
  expect(text).toContain(`,"'=HYPERLINK(""https://evil.example"")",`)
})

test("only members of the workspace can export, and unknown parameters are refused", async () => {
  const { browser } = await member(app)
  const { browser: stranger } = await member(app)
  stranger.workspaceId = browser.workspaceId
  const codeOf = async (by: Browser, query = "") => JSON.parse((await download(by, query)).text).error
  expect(await codeOf(stranger)).toBe("workspace_not_found")
  expect(await codeOf(browser, "&actor=robot")).toBe("validation_failed")
  expect(await codeOf(browser, "&limit=1")).toBe("validation_failed")
  const { detail } = JSON.parse((await download(browser, "&acter=key")).text)
  expect(detail).toBe("acter: unknown field. Did you mean actor?")
  stranger.cookies.clear()
  expect(await codeOf(stranger)).toBe("not_signed_in")
})
