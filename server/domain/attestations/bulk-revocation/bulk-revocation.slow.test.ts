import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import { MOST_REVOKED_TOGETHER } from "#shared/bulk.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import type { BulkRevocation } from "./lists.ts"
import { revokeDue } from "./work.ts"

// No worker runs: each test calls it when it wants one.
usesApp({ environment: { VOUCH_ROLE: "web" } })

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  return { browser, account, workspaceId, key: await app.key({ account }) }
}

/** Attestations of new wallets, oldest first. */
async function pending(key: TestKey, count: number): Promise<string[]> {
  const sessions: string[] = []
  for (let n = 0; n < count; n++) sessions.push((await app.startSession(key, newWallet())).sessionId)
  const rows = await sql<{ id: string }[]>`
    select id from attestations where session_id = any(${sessions}) order by seq`
  return rows.map(({ id }) => id)
}

/** Marks them as if they were on chain, because this file has no worker. */
const verify = (ids: string[]) => sql`
  update attestations set status = 'verified', issued_at = created_at, verified_at = created_at, open_until = null,
    expires_at = ${addDays(realNow(), 300)}, onchain_tx = id, commitment = 'c', salt = 's' where id = any(${ids})`

const start = (by: Browser, ids: readonly string[], more: object = {}, headers: Record<string, string> = {}) =>
  by.mutate("bulkRevocation.start", { attestation_ids: ids, reason: "Left the fund", ...more }, headers)

async function begin(by: Browser, ids: readonly string[], more: object = {}): Promise<string> {
  const { data, error } = await start(by, ids, more)
  expect(error).toBeUndefined()
  return data.id
}

async function work(): Promise<void> {
  while (await revokeDue());
}

async function read(by: Browser, id: string | null): Promise<BulkRevocation> {
  const { data, error } = await by.query("bulkRevocation.get", { id })
  if (error) throw Object.assign(new Error(error.error), { code: error.error })
  return data
}

/** How often each was revoked, according to the audit log, and burned, according to the ledger. */
async function timesOf(ids: readonly string[]) {
  const lines = await sql<{ subject: string }[]>`
    select subject from audit_entries where action = 'attestation.revoked' and subject = any(${[...ids]})`
  const burns = await sql<{ id: string }[]>`
    select payload ->> 'attestation_id' as id from operations
    where kind = 'revoke' and payload ->> 'attestation_id' = any(${[...ids]})`
  return {
    revoked: ids.map((id) => lines.filter(({ subject }) => subject === id).length),
    burnt: ids.map((id) => burns.filter((burn) => burn.id === id).length),
  }
}

test("each attestation is revoked like a single one: status, reason, burn, and an audit line that names who started it", async () => {
  const { browser, key, workspaceId } = await enter()
  const ids = await pending(key, 3)
  await verify(ids.slice(1))
  const id = await begin(browser, ids, { public_reason: "not_eligible" })
  expect(await read(browser, id)).toMatchObject({ attestations: 3, revoked: 0, ended_at: null })
  expect(await read(browser, null)).toMatchObject({ id, started_by: "The owner" })
  await work()
  expect(await read(browser, id)).toMatchObject({ revoked: 3, ended_before: 0, failed: [] })
  expect((await read(browser, id)).ended_at).not.toBeNull()
  expect(await read(browser, null)).toBeNull()
  const rows = await sql`
    select status, reason, public_reason, revoked_at is not null as revoked from attestations where id = any(${ids})`
  const row = { status: "rejected", reason: "Left the fund", public_reason: "not_eligible", revoked: true }
  expect(rows).toEqual([row, row, row])
  expect(await timesOf(ids)).toEqual({ revoked: [1, 1, 1], burnt: [0, 1, 1] })
  const lines = await sql<{ actor_name: string; request_id: string; action: string }[]>`
    select action, actor_name, request_id from audit_entries
    where workspace_id = ${workspaceId} and subject = any(${[id, ...ids]}) order by seq`
  expect(lines.map(({ action }) => action)).toEqual([
    "bulk_revocation.started",
    ...ids.map(() => "attestation.revoked"),
  ])
  expect(new Set(lines.map((line) => `${line.actor_name} ${line.request_id}`)).size).toBe(1)
  // The reason is on each attestation, where erasing a person removes it, and nowhere else.
  expect(await sql`select reason from bulk_revocations where id = ${id}`).toEqual([{ reason: null }])
})

test("an id that is listed twice counts once, and an ended attestation stays unchanged", async () => {
  const { browser, key } = await enter()
  const [fresh, revoked] = (await pending(key, 2)) as [string, string]
  await app.request({
    ...{ method: "POST", path: `/attestation/${revoked}/revoke`, key: key.apiKey },
    json: { reason: "Before" },
  })
  const id = await begin(browser, [fresh, revoked, fresh, revoked])
  await work()
  expect(await read(browser, id)).toMatchObject({ attestations: 2, revoked: 1, ended_before: 1, failed: [] })
  expect(await timesOf([fresh, revoked])).toMatchObject({ revoked: [1, 1] })
  const { json } = await app.request({ method: "GET", path: `/attestation/${revoked}`, key: key.apiKey })
  expect(json.revocation_reason).toBe("Before")
})

test("another workspace's attestation counts as unknown, and does not delay the others", async () => {
  const other = await enter()
  const [foreign] = (await pending(other.key, 1)) as [string]
  const { browser, key } = await enter()
  const [own] = (await pending(key, 1)) as [string]
  const unknown = newId("att")
  const id = await begin(browser, [foreign, unknown, "att_", own])
  await work()
  expect(await read(browser, id)).toMatchObject({
    revoked: 1,
    failed: [foreign, unknown, "att_"].map((attestation_id) => ({
      attestation_id,
      error: "attestation_not_found",
    })),
  })
  expect(await timesOf([foreign, own])).toMatchObject({ revoked: [0, 1] })
  await expect(read(other.browser, id)).rejects.toMatchObject({ code: "bulk_revocation_not_found" })
})

test("a worker that crashes during a revocation leaves no half-done work, and nothing is done twice", async () => {
  const { browser, key } = await enter()
  const ids = await pending(key, 5)
  await verify(ids)
  await sql.unsafe(`
    create function stall() returns trigger language plpgsql as $$
      begin perform pg_sleep(100); return new; end $$;
    create trigger stall before update on bulk_revocation_items
      for each row when (new.place = 3 and new.outcome is not null) execute function stall()`)
  const id = await begin(browser, ids)
  // The third one is done but not committed. The database rolls back what the crashed process began.
  const first = revokeDue()
  const stalled = () => sql<{ pid: number }[]>`
    select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  await waitFor(async () => (await stalled()).length === 1, "the third one to be in progress")
  expect(await read(browser, id)).toMatchObject({ revoked: 2, ended_at: null })
  // Another worker skips it and does not wait.
  await work()
  expect(await read(browser, id)).toMatchObject({ revoked: 2, ended_at: null })
  // Other test files have databases on the same server.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event = 'PgSleep' and datname = current_database()`
  await first
  expect(await timesOf(ids)).toEqual({ revoked: [1, 1, 0, 0, 0], burnt: [1, 1, 0, 0, 0] })
  await sql`drop function stall cascade`
  await waitFor(async () => {
    await work()
    return (await read(browser, id)).ended_at !== null
  }, "the third one to be retried")
  expect(await read(browser, id)).toMatchObject({ revoked: 5, failed: [] })
  expect(await timesOf(ids)).toEqual({ revoked: [1, 1, 1, 1, 1], burnt: [1, 1, 1, 1, 1] })
})

const cancel = (by: Browser, id: string) => by.mutate("bulkRevocation.cancel", { id })

test("a cancelled list keeps its revocations, finishes the current one, and leaves the others untouched", async () => {
  const { browser, account, key, workspaceId } = await enter()
  const officer = (await member(app, { role: "compliance", account })).browser
  const ids = await pending(key, 5)
  await verify(ids)
  await sql.unsafe(`
    create function pause() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(3); return new; end $$;
    create trigger pause before update on bulk_revocation_items
      for each row when (new.place = 3 and new.outcome is not null) execute function pause()`)
  const id = await begin(browser, ids)
  const waiting = async () =>
    (
      await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    ).length
  const { working, cancelling } = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(3)`
    const working = revokeDue()
    await waitFor(async () => (await waiting()) === 1, "the third one to be in progress")
    const cancelling = cancel(officer, id)
    await waitFor(async () => (await waiting()) === 2, "the cancellation to wait for the third one")
    return { working, cancelling }
  })
  const { data } = await cancelling
  expect(data).toMatchObject({ revoked: 3, left: 2, failed: [], cancelled_by: "The compliance" })
  await working
  await sql`drop function pause cascade`
  await work()
  expect(await read(browser, id)).toMatchObject({ revoked: 3, left: 2, ended_at: expect.any(String) })
  expect(await read(browser, null)).toBeNull()
  expect(await timesOf(ids)).toEqual({ revoked: [1, 1, 1, 0, 0], burnt: [1, 1, 1, 0, 0] })
  const rows = await sql`select status from attestations where id = any(${ids}) order by seq`
  expect(rows.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "verified", "verified"])
  // A second cancel changes nothing, and neither does one when all are done.
  expect((await cancel(browser, id)).data).toMatchObject({ left: 2, cancelled_by: "The compliance" })
  const lines = await sql`
    select actor_name, detail from audit_entries
    where workspace_id = ${workspaceId} and subject = ${id} and action = 'bulk_revocation.stopped'`
  expect(lines).toEqual([{ actor_name: "The compliance", detail: { attestations: 5, left: 2 } }])
  expect(await sql`select reason from bulk_revocations where id = ${id}`).toEqual([{ reason: null }])
})

test("a cancel while workers are busy leaves each attestation revoked or untouched, and none in between", async () => {
  const { browser, key } = await enter()
  for (let round = 0; round < 5; round++) {
    const ids = await pending(key, 12)
    const id = await begin(browser, ids)
    const [, , { data }] = await Promise.all([work(), work(), cancel(browser, id)])
    await work()
    const after = await read(browser, id)
    expect(after.ended_at).not.toBeNull()
    // Attestations that were not started stay unchanged permanently.
    expect(after.left).toBe(data.left)
    expect(after.revoked + after.left).toBe(12)
    expect((await timesOf(ids)).revoked.filter((times) => times === 1)).toHaveLength(after.revoked)
  }
})

test("a list that has ended cannot be cancelled, nor can another workspace's, nor can a viewer cancel", async () => {
  const { browser, account, key } = await enter()
  const ids = await pending(key, 2)
  const id = await begin(browser, ids)
  const viewer = (await member(app, { role: "viewer", account })).browser
  expect((await cancel(viewer, id)).error.error).toBe("insufficient_scope")
  expect((await cancel((await enter()).browser, id)).error.error).toBe("bulk_revocation_not_found")
  await work()
  expect((await cancel(browser, id)).data).toMatchObject({ revoked: 2, left: 0, cancelled_by: null })
})

test("several workers share a list, and each attestation is revoked once", async () => {
  const { browser, key } = await enter()
  const ids = await pending(key, 30)
  const id = await begin(browser, ids)
  await Promise.all([work(), work(), work()])
  await work()
  expect(await read(browser, id)).toMatchObject({ revoked: 30, failed: [] })
  expect((await timesOf(ids)).revoked).toEqual(ids.map(() => 1))
})

test("a list stops if the member who started it loses the permission", async () => {
  const { account, key } = await enter()
  const { browser, email } = await member(app, { role: "compliance", account })
  const ids = await pending(key, 2)
  const id = await begin(browser, ids)
  const role = (name: string) => sql`
    update members set role = ${name} where user_id = (select id from users where email = ${email})`
  await role("viewer")
  await work()
  expect((await read(browser, id)).failed.map(({ error }) => error)).toEqual([
    "insufficient_scope",
    "insufficient_scope",
  ])
  expect((await timesOf(ids)).revoked).toEqual([0, 0])
  expect((await start(browser, ids)).error.error).toBe("insufficient_scope")
})

test("an attestation that cannot be revoked is retried after the others, and listed as a failure in the end", async () => {
  const { browser, key } = await enter()
  const ids = await pending(key, 3)
  await sql.unsafe(`
    create function break() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger break before update on attestations
      for each row when (new.id = '${ids[0]}') execute function break()`)
  const id = await begin(browser, ids)
  const tried = async () => {
    await work()
    return read(browser, id)
  }
  await waitFor(async () => (await tried()).revoked === 2, "the others to be revoked")
  expect(await read(browser, id)).toMatchObject({ failed: [], ended_at: null })
  // Pretend that it has been tried many times.
  await sql`update bulk_revocation_items set attempts = 7 where revocation_id = ${id} and place = 1`
  await waitFor(async () => (await tried()).ended_at !== null, "the list to end")
  expect(await read(browser, id)).toMatchObject({
    revoked: 2,
    failed: [{ attestation_id: ids[0], error: "internal_error" }],
  })
  await sql`drop function break cascade`
  expect((await timesOf(ids)).revoked).toEqual([0, 1, 1])
})

test("a repeat with the same key returns the list already started; a different list is refused", async () => {
  const { browser, key } = await enter()
  const ids = await pending(key, 2)
  const headers = { "idempotency-key": newId("req") }
  const answers = await Promise.all([1, 2, 3].map(() => start(browser, ids, {}, headers)))
  expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1)
  expect((await start(browser, ids.slice(1), {}, headers)).error.error).toBe("idempotency_key_reused")
  await work()
  expect((await timesOf(ids)).revoked).toEqual([1, 1])
})

test("a workspace can have three lists in progress, even if four requests arrive together", async () => {
  const { browser, key } = await enter()
  const ids = await pending(key, 4)
  const answers = await Promise.all(ids.map((id) => start(browser, [id])))
  expect(answers.map(({ error }) => error?.error ?? "begun").sort()).toEqual([
    "begun",
    "begun",
    "begun",
    "too_many_bulk_revocations",
  ])
  await work()
  await begin(browser, ids)
  await work()
  expect((await timesOf(ids)).revoked).toEqual([1, 1, 1, 1])
})

test("a list has a reason and 1 to 500 attestations", async () => {
  const { browser } = await enter()
  const many = Array.from({ length: MOST_REVOKED_TOGETHER }, () => newId("att"))
  const detailOf = async (ids: string[], more: object = {}) => (await start(browser, ids, more)).error?.detail
  expect(await detailOf([])).toBe("attestation_ids: must contain an attestation id.")
  expect(await detailOf([...many, newId("att")])).toBe("attestation_ids: must be at most 500.")
  expect(await detailOf(many, { reason: "" })).toBe("reason: must not be empty.")
  expect(await detailOf(many, { reason: " \u200b" })).toBe("reason: must contain a visible character.")
  expect(await detailOf(many)).toBeUndefined()
  await work()
})

test("lists are deleted with their entries 30 days after they end", async () => {
  const { browser, key, workspaceId } = await enter()
  const id = await begin(browser, await pending(key, 1))
  await work()
  await advanceClock({ days: 29 })
  await clean()
  expect(await read(browser, id)).toMatchObject({ revoked: 1 })
  await advanceClock({ days: 31 })
  await clean()
  await expect(read(browser, id)).rejects.toMatchObject({ code: "bulk_revocation_not_found" })
  expect(await sql`select from bulk_revocation_items where workspace_id = ${workspaceId}`).toEqual([])
})
