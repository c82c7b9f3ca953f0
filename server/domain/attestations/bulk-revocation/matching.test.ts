import { beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember } from "#test/fixtures/approvals.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { revokeDue } from "./work.ts"

// No worker runs: each test calls it when it wants one.
usesApp({ environment: { VOUCH_ROLE: "web" } })

let owner: ProvenMember
let officer: ProvenMember
beforeAll(async () => {
  owner = await provenMember(app)
  officer = await provenMember(app, { role: "compliance", account: owner.account })
})
beforeEach(async () => {
  await sql`delete from approval_policies where workspace_id = ${owner.workspaceId}`
  await sql`
    update approvals set state = 'withdrawn', ended_at = now()
    where workspace_id = ${owner.workspaceId} and state = 'pending'`
})

type Status = "pending" | "verified" | "rejected"

/** Inserts attestations whose external ids begin with `name`, which must be too long to be in an id by chance. */
async function fill(
  name: string,
  count: number,
  status: Status = "verified",
  { workspaceId } = owner,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId("att"))
  const investors = ids.map(() => newId("inv"))
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    select ${workspaceId}, t.id, ${`${name}-`} || t.id, now() from unnest(${investors}::text[]) as t(id)`
  const isVerified = status === "verified"
  await sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider,
        issued_at, verified_at, expires_at, onchain_tx, commitment, salt)
    select ${workspaceId}, t.id, 'kyc_individual_v1', t.wallet, t.investor, ${`${name}-`} || t.investor, ${status}, '2026-01-01',
      now(), ${newId("sess")} || t.n, 'sandbox',
      case when ${isVerified} then now() end, case when ${isVerified} then now() end,
      case when ${isVerified} then ${addDays(realNow(), 300)}::timestamptz end, case when ${isVerified} then t.id end,
      case when ${isVerified} then 'c' end, case when ${isVerified} then 's' end
    from unnest(${ids}::text[], ${investors}::text[], ${ids.map(() => newWallet())}::text[])
      with ordinality as t(id, investor, wallet, n)`
  return ids
}

type Counted = { verified: number; pending: number; is_too_many: boolean; rows: object; up_to: string }

async function count(filter: object, by: Browser = owner.browser): Promise<Counted> {
  const { data, error } = await by.query("bulkRevocation.count", filter)
  expect(error).toBeUndefined()
  return data
}

const request = (filter: object, { rows }: Counted) => ({ matching: { filter, rows }, reason: "The fund closes" })

const start = (filter: object, counted: Counted, headers: Record<string, string> = {}, by = owner.browser) =>
  by.mutate("bulkRevocation.start", request(filter, counted), headers)

async function work(): Promise<void> {
  while (await revokeDue());
}

const read = async (id: string) => (await owner.browser.query("bulkRevocation.get", { id })).data
const statuses = async (ids: string[]) => {
  const rows = await sql<{ status: string }[]>`select status from attestations where id = any(${ids}) order by seq`
  return rows.map(({ status }) => status)
}
const entries = (subject: string, action: string) =>
  sql<{ detail: Record<string, unknown> }[]>`
    select detail from audit_entries where subject = ${subject} and action = ${action}`
const times = async (ids: string[], action: string) =>
  (await sql`select from audit_entries where subject = any(${ids}) and action = ${action}`).length

const policy = (more: object = {}) => {
  const fields = {
    ...{ workspace_id: owner.workspaceId, id: newId("apol"), actions: ["attestation_revoke_bulk"], approvals: 1 },
    ...{ roles: ["compliance", "owner"], expires_in_hours: 72, created_at: realNow(), ...more },
  }
  return sql`insert into approval_policies ${sql(fields as never)}`
}

test("600 that match are revoked, each once, with one entry of the audit log for the act", async () => {
  const ids = await fill("large", 550)
  const pending = await fill("large", 50, "pending")
  const ended = await fill("large", 7, "rejected")
  const others = await fill("unrelated", 3)
  const filter = { q: "large" }
  const counted = await count(filter)
  expect(counted).toMatchObject({ verified: 550, pending: 50, is_too_many: false })
  const headers = { "idempotency-key": newId("req") }
  const answers = await Promise.all([1, 2, 3].map(() => start(filter, counted, headers)))
  const { id } = answers[0]!.data
  expect(answers.map(({ data }) => data.id)).toEqual([id, id, id])
  expect(await read(id)).toMatchObject({ attestations: 600, revoked: 0, gone: 0, ended_at: null })
  await Promise.all([work(), work()])
  await work()
  expect(await read(id)).toMatchObject({ revoked: 600, failed_count: 0, ended_before: 0, ended_at: expect.any(String) })
  expect(await times([...ids, ...pending], "attestation.revoked")).toBe(600)
  expect(new Set(await statuses([...ids, ...pending]))).toEqual(new Set(["rejected"]))
  expect(await times(ended, "attestation.revoked")).toBe(0)
  expect(new Set(await statuses(others))).toEqual(new Set(["verified"]))
  // What the member searched for may name a person, and an entry can never be erased.
  const detail = { attestations: 600, filter: { q: "(not recorded)" }, seen: 600 }
  expect(await entries(id, "bulk_revocation.started")).toEqual([{ detail }])
})

test("what starts to match later is left out, and what ended in the meantime is reported", async () => {
  const ids = await fill("frozen", 6)
  const filter = { q: "frozen", status: "verified" }
  const counted = await count(filter)
  // After the count, and again after the request.
  const later = await fill("frozen", 2)
  const shown = { ids: [...ids, ...later], up_to: counted.up_to }
  expect(new Set((await owner.browser.query("bulkRevocation.upTo", shown)).data.data)).toEqual(new Set(ids))
  await sql`update attestations set status = 'rejected', revoked_at = now(), ended_at = now() where id = ${ids[0]!}`
  const { data, error } = await start(filter, counted)
  expect(error).toBeUndefined()
  expect(await read(data.id)).toMatchObject({ attestations: 5, gone: 1 })
  const latest = await fill("frozen", 2)
  await sql`update attestations set status = 'rejected', revoked_at = now(), ended_at = now() where id = ${ids[1]!}`
  await work()
  expect(await read(data.id)).toMatchObject({ revoked: 4, ended_before: 1, failed: [] })
  expect(new Set(await statuses([...later, ...latest]))).toEqual(new Set(["verified"]))
})

const verifyNow = (id: string) => sql`
  update attestations set status = 'verified', issued_at = now(), verified_at = now(), onchain_tx = id, commitment = 'c',
    salt = 's', expires_at = ${addDays(realNow(), 300)} where id = ${id}`

test("an older one that matches since is left out, also if another one ended instead", async () => {
  const [older] = await fill("exchanged", 1, "pending")
  const ids = await fill("exchanged", 3)
  const filter = { q: "exchanged", status: "verified" }
  const counted = await count(filter)
  expect(counted).toMatchObject({ verified: 3, pending: 0 })
  await verifyNow(older!)
  await sql`update attestations set status = 'rejected', revoked_at = now(), ended_at = now() where id = ${ids[0]!}`
  const { data } = await start(filter, counted)
  await work()
  expect(await read(data.id)).toMatchObject({ attestations: 2, revoked: 2, gone: 1 })
  expect(await statuses([older!])).toEqual(["verified"])
})

test("one that was pending when the member selected it is skipped if it has been verified since", async () => {
  const [verified, waiting, changing] = [...(await fill("changing", 1)), ...(await fill("changing", 2, "pending"))]
  const filter = { q: "changing" }
  const counted = await count(filter)
  expect(counted).toMatchObject({ verified: 1, pending: 2 })
  await verifyNow(changing!)
  const { data } = await start(filter, counted)
  await work()
  expect(await read(data.id)).toMatchObject({
    revoked: 2,
    failed: [{ attestation_id: changing, error: "status_changed" }],
  })
  expect(await statuses([verified!, waiting!, changing!])).toEqual(["rejected", "rejected", "verified"])
})

test.each([false, true])("so it is if they were selected one by one, with approval: %s", async (needsApproval) => {
  if (needsApproval) await policy()
  const ids = await fill(`single${needsApproval}`, 2, "pending")
  await verifyNow(ids[1]!)
  const body = { attestation_ids: ids, pending_ids: ids, reason: "The fund closes" }
  const { data, error } = await owner.browser.mutate("bulkRevocation.start", body)
  if (needsApproval) expect((await approve(officer, error.approvalId)).status).toBe(200)
  await work()
  const approval = needsApproval && (await officer.browser.query("approval.detail", { id: error.approvalId })).data
  const failed = [{ attestation_id: ids[1], error: "status_changed" }]
  expect(await read(approval ? approval.subject : data.id)).toMatchObject({ revoked: 1, failed })
  expect(await statuses(ids)).toEqual(["rejected", "verified"])
})

test("rows of another workspace, of another list, or made up are refused", async () => {
  await fill("sealed", 1)
  const counted = await count({ q: "sealed" })
  const stranger = (await member(app)).browser
  const foreign = await count({}, stranger)
  const rows = counted.rows as { verified: string; pending: string }
  for (const wrong of [
    foreign.rows,
    { verified: rows.pending, pending: rows.verified },
    { ...rows, verified: "MTIz" },
  ]) {
    const { error } = await start({ q: "sealed" }, { ...counted, rows: wrong })
    expect(error).toMatchObject({ error: "validation_failed", detail: "rows: send what the count returned." })
  }
})

test("one that was selected as pending is skipped if it has been verified since", async () => {
  const ids = await fill("waiting", 2, "pending")
  const filter = { q: "waiting", status: "pending" }
  const { data } = await start(filter, await count(filter))
  await verifyNow(ids[0]!)
  await work()
  expect(await read(data.id)).toMatchObject({
    revoked: 1,
    failed_count: 1,
    failed: [{ attestation_id: ids[0], error: "status_changed" }],
  })
  expect(await statuses(ids)).toEqual(["verified", "rejected"])
})

test("a filter that matches nothing that can be revoked counts none and is refused", async () => {
  await fill("concluded", 2, "rejected")
  const filter = { q: "concluded" }
  const counted = await count(filter)
  expect(counted).toMatchObject({ verified: 0, pending: 0 })
  expect((await start(filter, counted)).error.error).toBe("selection_changed")
  expect(await count({ status: "expired" })).toMatchObject({ verified: 0, pending: 0 })
})

test("more than 10,000 are counted as too many and refused", async () => {
  const crowd = await member(app)
  const [first] = await fill("crowd", 10_001, "verified", crowd as never)
  const counted = await count({}, crowd.browser)
  expect(counted).toMatchObject({ is_too_many: true, rows: null })
  // One fewer when they were counted.
  await sql`update attestations set status = 'rejected' where id = ${first!}`
  const fewer = await count({}, crowd.browser)
  await sql`update attestations set status = 'verified' where id = ${first!}`
  const { error } = await start({}, fewer, {}, crowd.browser)
  expect(error).toMatchObject({ error: "validation_failed", detail: expect.stringContaining("more than 10000") })
  expect(JSON.stringify(fewer.rows).length).toBeLessThan(60_000)
})

test("a viewer cannot count or start, and another workspace sees and revokes nothing of it", async () => {
  const ids = await fill("belonging", 2)
  const filter = { q: "belonging" }
  const counted = await count(filter)
  const viewer = (await member(app, { role: "viewer", account: owner.account })).browser
  expect((await viewer.query("bulkRevocation.count", filter)).error.error).toBe("insufficient_scope")
  expect((await start(filter, counted, {}, viewer)).error.error).toBe("insufficient_scope")
  const stranger = (await member(app)).browser
  expect(await count(filter, stranger)).toMatchObject({ verified: 0, pending: 0 })
  expect((await start(filter, counted, {}, stranger)).error.error).toBe("validation_failed")
  const { data } = await start(filter, counted)
  expect((await stranger.query("bulkRevocation.contents", { id: data.id })).error.error).toBe(
    "bulk_revocation_not_found",
  )
  await work()
  expect(await statuses(ids)).toEqual(["rejected", "rejected"])
})

test("under a policy the approver sees the frozen list, and approves exactly that", async () => {
  await policy({ min_amount: "3" })
  const small = await fill("handful", 2)
  const free = await start({ q: "handful" }, await count({ q: "handful" }))
  expect(free.error).toBeUndefined()
  const ids = await fill("multitude", 25)
  const filter = { q: "multitude", schema: "kyc_individual_v1" }
  const { error } = await start(filter, await count(filter))
  expect(error.error).toBe("awaiting_approval")
  const { data: approval } = await officer.browser.query("approval.detail", { id: error.approvalId })
  expect(approval.request).toEqual({
    attestations: 25,
    list_sha256: expect.stringMatching(/^[\w-]{43}$/),
    filter: { q: "(not recorded)", schema: "kyc_individual_v1" },
    reason: "The fund closes",
  })
  const late = await fill("multitude", 3)
  const { data: contents } = await officer.browser.query("bulkRevocation.contents", { id: approval.subject })
  expect(contents).toMatchObject({ filter, total: 25, next_cursor: "20" })
  expect(contents.data.map((row: { attestation_id: string }) => row.attestation_id)).toEqual(ids.slice(0, 20))
  const address = `/api/export/bulk-revocation.csv?workspace=${owner.workspaceId}&id=${approval.subject}`
  const lines = (await (await officer.browser.fetch(address)).text()).trim().split("\r\n")
  expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(ids)
  // It has no progress, and no worker takes it.
  expect((await owner.browser.query("bulkRevocation.get", { id: approval.subject })).error.error).toBe(
    "bulk_revocation_not_found",
  )
  await work()
  expect(await statuses(small)).toEqual(["rejected", "rejected"])
  expect(new Set(await statuses(ids))).toEqual(new Set(["verified"]))
  expect((await approve(owner, error.approvalId)).error.error).toBe("second_person_required")
  expect((await approve(officer, error.approvalId)).status).toBe(200)
  await work()
  expect(await read(approval.subject)).toMatchObject({ revoked: 25, started_by: "The owner" })
  expect(await times(ids, "attestation.revoked")).toBe(25)
  expect(new Set(await statuses(late))).toEqual(new Set(["verified"]))
  const [asked] = await entries(approval.subject, "approval.requested")
  expect(asked!.detail).toMatchObject({ request: { attestations: 25, filter: { schema: "kyc_individual_v1" } } })
  expect(JSON.stringify(asked!.detail)).not.toMatch(/multitude|The fund closes/)
})

test("a rejected list is never revoked", async () => {
  await policy()
  const ids = await fill("refused", 2)
  const { error } = await start({ q: "refused" }, await count({ q: "refused" }))
  const { data } = await officer.browser.query("approval.detail", { id: error.approvalId })
  const decision = { approval_id: error.approvalId, digest: data.digest, reason: "Ask the board first" }
  expect((await officer.browser.mutate("approval.reject", decision)).status).toBe(200)
  await work()
  expect(await statuses(ids)).toEqual(["verified", "verified"])
  expect((await approve(officer, error.approvalId)).error.error).toBe("approval_ended")
})

test("a policy about other acts, too, binds every list, because its amount means tokens", async () => {
  await policy({ actions: ["attestation_revoke_bulk", "burn"], min_amount: "1000" })
  await fill("mixture", 2)
  const { error } = await start({ q: "mixture" }, await count({ q: "mixture" }))
  expect(error.error).toBe("awaiting_approval")
})

test("the eleventh list that waits for approval is refused", async () => {
  await policy()
  const names = Array.from({ length: 11 }, (_, n) => `queue${n}`)
  for (const name of names) await fill(name, 1)
  const codes: string[] = []
  for (const name of names) codes.push((await start({ q: name }, await count({ q: name }))).error.error)
  expect(codes).toEqual([...Array(10).fill("awaiting_approval"), "too_many_bulk_revocations"])
})

test("the request of a list loses its reasons once the list is deleted", async () => {
  await policy()
  await fill("retained", 2)
  const { error } = await start({ q: "retained" }, await count({ q: "retained" }))
  const request = async () =>
    (await sql`select request from approvals where id = ${error.approvalId}`)[0]!.request as Record<string, unknown>
  expect(await request()).toHaveProperty("reason")
  await advanceClock({ days: 40 })
  await clean()
  expect(await request()).not.toHaveProperty("reason")
  expect(await sql`select from bulk_revocations where seen = 2 and filter ->> 'q' = 'kept'`).toEqual([])
})
