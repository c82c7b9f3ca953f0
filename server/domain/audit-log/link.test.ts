import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { background, sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { exportedLog, untilLinked } from "#test/fixtures/audit-chain.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { FIRST_HASH, hashedText, linkHash, showHash } from "./chain.ts"
import { linkEntries } from "./link.ts"

// Without a worker, entries are linked only when a test says so.
usesApp({ environment: { VOUCH_ROLE: "web" } })

const write = (workspaceId: string, subject: string, within = sql) => within`
  insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
  select account_id, id, now(), 'key', 'Key', 'key.used', ${subject}, '{}' from workspaces where id = ${workspaceId}`

const chainOf = (workspaceId: string) => sql<{ place: bigint; seq: bigint; subject: string; hash: Buffer }[]>`
  select l.place, l.seq, e.subject, l.hash from audit_links l join workspaces w on w.id = l.workspace_id
  join audit_entries e on e.account_id = w.account_id and e.seq = l.seq
  where l.workspace_id = ${workspaceId} order by l.place`
const subjectsOf = async (workspaceId: string) => (await chainOf(workspaceId)).map(({ subject }) => subject)

test("an entry of a workspace is in its chain, and one of the account is in both", async () => {
  const { id, workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  await write(workspaces.live, "of live")
  await write(workspaces.test, "of test")
  await untilLinked()
  expect(await subjectsOf(workspaces.live)).toEqual([id, "of live"])
  expect(await subjectsOf(workspaces.test)).toEqual([id, "of test"])
  const [first, second] = await chainOf(workspaces.live)
  expect([first!.place, second!.place]).toEqual([1n, 2n])
})

test("the chain waits for a transaction that has a lower number and commits late", async () => {
  const { workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  await untilLinked()
  const before = await subjectsOf(workspaces.live)
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: written, resolve: wrote } = Promise.withResolvers<void>()
  const late = sql.begin(async (sql) => {
    await write(workspaces.live, "late", sql as never)
    wrote()
    await mayCommit
  })
  await written
  await write(workspaces.live, "early")
  for (let pass = 0; pass < 4; pass++) await linkEntries()
  expect(await subjectsOf(workspaces.live)).toEqual(before)
  commit()
  await late
  await untilLinked()
  expect(await subjectsOf(workspaces.live)).toEqual([...before, "late", "early"])
})

test("an insert that has its number but no transaction id yet is waited for", async () => {
  const { workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  await untilLinked()
  const before = await subjectsOf(workspaces.live)
  const { promise: mayInsert, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: numbered, resolve: took } = Promise.withResolvers<void>()
  // What one statement does, in slow motion: it locks the table, takes a number, and then gets an id as it writes.
  const slow = sql.begin(async (sql) => {
    await sql`lock table audit_entries in row exclusive mode`
    const [row] = await sql<{ seq: bigint }[]>`select nextval('audit_entries_seq_seq') as seq`
    const [id] = await sql`select pg_current_xact_id_if_assigned()::text as id`
    took()
    await mayInsert
    await sql`
      insert into audit_entries (account_id, workspace_id, seq, at, actor, actor_name, action, subject, detail)
      overriding system value
      select account_id, id, ${row!.seq}, now(), 'key', 'Key', 'key.used', 'slow', '{}' from workspaces
      where id = ${workspaces.live}`
    return id
  })
  await numbered
  await write(workspaces.live, "fast")
  for (let pass = 0; pass < 4; pass++) await linkEntries()
  expect(await subjectsOf(workspaces.live)).toEqual(before)
  goOn()
  await slow
  await untilLinked()
  expect(await subjectsOf(workspaces.live)).toEqual([...before, "slow", "fast"])
})

test("parallel writers and several linking processes make one chain in the order of the numbers", async () => {
  const { workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  let isWriting = true
  const linking = Array.from({ length: 3 }, async () => {
    while (isWriting) await linkEntries()
  })
  const write1 = async (writer: number) => {
    for (let n = 0; n < 40; n++)
      await sql.begin(async (sql) => {
        await write(workspaces.live, `${writer}/${n}`, sql as never)
        if (n % 7 === writer) await sql`select pg_sleep(0.02)`
        await write(workspaces.test, `${writer}/${n}`, sql as never)
      })
  }
  await Promise.all(Array.from({ length: 6 }, (_, writer) => write1(writer)))
  isWriting = false
  await Promise.all(linking)
  await untilLinked()
  for (const workspaceId of [workspaces.live, workspaces.test]) {
    const chain = await chainOf(workspaceId)
    expect(chain).toHaveLength(241)
    expect(chain.map(({ place }) => place)).toEqual(chain.map((_, i) => BigInt(i + 1)))
    expect(chain.map(({ seq }) => seq)).toEqual(chain.map(({ seq }) => seq).toSorted((a, b) => Number(a - b)))
    const entries = await sql`
      select workspace_id, at, action, actor, actor_id, actor_name, subject, detail, request_id from audit_entries e
      where account_id = (select account_id from workspaces where id = ${workspaceId})
        and (workspace_id = ${workspaceId} or workspace_id is null) order by seq`
    let hash = FIRST_HASH as Buffer
    for (const [i, entry] of entries.entries()) {
      hash = linkHash(hash, hashedText(BigInt(i + 1), entry as never))
      expect(showHash(chain[i]!.hash)).toBe(showHash(hash))
    }
  }
})

test("entries that an account had before the upgrade are linked in batches", async () => {
  const { id, workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    select ${id}, ${workspaces.live}, now(), 'key', 'Key', 'token.mint_requested', 'op_' || n, '{}'
    from generate_series(1, 2500) n`
  await untilLinked()
  expect(await subjectsOf(workspaces.live)).toEqual([id, ...Array.from({ length: 2500 }, (_, n) => `op_${n + 1}`)])
})

test("links cannot be changed, deleted or truncated, not even by the database's owner", async () => {
  await createAccount({ name: newId("acct"), plan: "free" })
  await untilLinked()
  for (const attempt of [
    () => sql`update audit_links set hash = sha256('')`,
    () => sql`delete from audit_links`,
    () => sql`truncate audit_links`,
  ])
    await expect(attempt()).rejects.toThrow("append-only")
})

test("the text of an entry that is hashed never changes, because every later hash depends on it", () => {
  const entry = {
    workspace_id: null,
    at: new Date("2026-11-27T12:00:00.123Z"),
    action: "key.created",
    actor: "user" as const,
    actor_id: null,
    actor_name: "Zoë =1+1 \u{1f600}",
    subject: "key_1",
    detail: { scopes: ["kyc:read"], most: -5, of: 'a "b"' },
    request_id: "req_1",
  }
  const text = hashedText(7n, entry)
  expect(text).toBe(
    String.raw`[7,1795780800123,"key.created","user",null,"Zo\u00eb \u003d1\u002b1 \ud83d\ude00","key_1","account","{\"scopes\":[\"kyc:read\"],\"most\":\u002d5,\"of\":\"a \\\"b\\\"\"}","req_1"]`,
  )
  expect(JSON.parse(text)).toEqual([
    ...[7, entry.at.getTime(), "key.created", "user", null, entry.actor_name, "key_1", "account"],
    ...[JSON.stringify(entry.detail), "req_1"],
  ])
  expect(showHash(linkHash(FIRST_HASH, text))).toBe("300d124b8bd351ba2277f689bf5847d5ff6a93e47d3c87d12aaf8fde3cf1237b")
})

test("an export without filters has the whole chain, which another program can compute", async (context) => {
  const { browser, workspaceId } = await member(app)
  await browser.mutate("key.create", { name: "=1+1, Zoë", scopes: ["kyc:read"] })
  await browser.mutate("member.invite", { role: "viewer", email: "ada@example.com" })
  await untilLinked()
  const csv = await exportedLog(browser)
  const chain = await chainOf(workspaceId)
  expect(csv.split("\r\n").length - 2).toBe(chain.length)
  const [python] = ["python3"].filter((name) => works(name))
  if (python === undefined)
    return context.skip("python3 is not installed, so the hashes are not computed by other code")
  const printed = execFileSync(python, ["-c", RECOMPUTE], { input: csv, encoding: "utf8" })
  expect(printed.trim()).toBe(`${chain.length} ${showHash(chain.at(-1)!.hash)}`)
  const changed = csv.replace("key.created", "key.deleted").replace("key.created", "key.deleted")
  expect(() => execFileSync(python, ["-c", RECOMPUTE], { input: changed, stdio: ["pipe", "pipe", "ignore"] })).toThrow()
})

const works = (command: string): boolean => {
  try {
    execFileSync(command, ["--version"])
    return true
  } catch {
    return false
  }
}

/** As docs/guides/audit.md says it, for an auditor who does not use our client. */
const RECOMPUTE = `
import csv, hashlib, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8-sig")
rows = sorted(csv.DictReader(io.StringIO(text, newline="")), key=lambda row: int(row["place"]))
hash = "0" * 64
for place, row in enumerate(rows, 1):
    assert row["previous_hash"] == hash
    hash = hashlib.sha256((hash + row["hashed_text"]).encode()).hexdigest()
    assert row["hash"] == hash
    entry = json.loads(row["hashed_text"])
    assert [entry[0], entry[2], entry[3], entry[7]] == [place, row["action"], row["actor"], row["scope"]]
print(len(rows), hash)
`

test("an export of some days has no gap, although changes are not linked in the order of their times", async () => {
  const { browser, workspaceId, account } = await member(app)
  const add = (at: string, subject: string) => sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    values (${account.id}, ${workspaceId}, ${at}, 'key', 'Key', 'key.used', ${subject}, '{}')`
  await add("2026-03-01T00:00:01Z", "first")
  await add("2026-02-28T23:59:59Z", "between")
  await add("2026-03-01T00:00:02Z", "last")
  await add("2026-03-02T00:00:00Z", "after")
  await untilLinked()
  const csv = await exportedLog(browser, "&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z")
  expect(
    csv
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[5]),
  ).toEqual(["last", "between", "first"])
  expect((await exportedLog(browser, "&from=2030-01-01T00:00:00Z")).split("\r\n")).toHaveLength(2)
})

test("an entry that is not linked yet is exported without a place", async () => {
  const { browser } = await member(app)
  const [newest] = (await exportedLog(browser)).split("\r\n").slice(1)
  expect(newest).toMatch(/,,,,$/)
})

test("a process that noted a moment in another run of the database links nothing by it", async () => {
  const { workspaces } = await createAccount({ name: newId("acct"), plan: "free" })
  await linkEntries()
  const file = await background`select pg_relation_filenode('chains') as node`
  // Rewriting the table is what a restored dump does: numbers may then be used again.
  await sql`alter table chains alter column mode type varchar`
  await sql`alter table chains alter column mode type text`
  await sql`vacuum full chains`
  expect(await background`select pg_relation_filenode('chains') as node`).not.toEqual(file)
  await linkEntries()
  expect(await subjectsOf(workspaces.live)).toEqual([])
  await untilLinked()
  expect(await subjectsOf(workspaces.live)).toHaveLength(1)
})
