import { afterAll, beforeAll, expect, test } from "vitest"
import { type Queryable, sql } from "#db/client.ts"
import { findInvitation } from "#server/domain/people/invitations.ts"
import { accountOf } from "#server/domain/people/membership.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember } from "#test/fixtures/approvals.ts"
import { type AskedTransfer, type ForcedTransfers, forcedTransfers } from "#test/fixtures/forced-transfers.ts"
import type { TokenFixture } from "#test/fixtures/tokens.ts"

const ROUNDS = 10

let app: TestApp
let fixture: ForcedTransfers
let owner: ProvenMember
let officer: ProvenMember
let second: ProvenMember
let removable: ProvenMember
let key: TestKey
let tokens: TokenFixture
let config: string

beforeAll(async () => {
  app = await startTestApp()
  fixture = await forcedTransfers(app)
  ;({ owner, officer, second, key, tokens, config } = fixture)
  removable = await provenMember(app, { role: "compliance", account: owner.account })
})
afterAll(() => app.stop())

const ways: Record<string, (of: AskedTransfer) => Promise<unknown>> = {
  "another approves": ({ approvalId }) => approve(second, approvalId),
  "the same approves in another tab": ({ approvalId }) => approve(officer, approvalId),
  "another rejects": ({ approvalId: approval_id, digest }) =>
    second.browser.mutate("approval.reject", { approval_id, digest, reason: "No" }),
  "the requester withdraws": ({ approvalId }) => tokens.post(`/approval/${approvalId}/withdraw`, {}),
  "it expires": ({ approvalId }) => sql`
    update approvals set state = 'expired', ended_at = now() where id = ${approvalId} and state = 'pending'`,
  "the rules change": () =>
    app.request({
      method: "PATCH",
      path: `/mint-config/${config}`,
      key: key.apiKey,
      json: { rules: { max_holders: 100 + Math.floor(Math.random() * 1000) } },
    }),
  "the token is paused": async () => {
    await tokens.post(`/mint-config/${config}/pause`, {})
    await tokens.post(`/mint-config/${config}/unpause`, {})
  },
}

test.each(Object.keys(ways))("if a member approves while %s, one thing happens", async (way) => {
  for (let round = 0; round < ROUNDS; round++) {
    const one = await fixture.asked()
    const [approved] = await Promise.all([approve(officer, one.approvalId), ways[way]!(one)])
    const [row] = await sql`select state, given, outcome from approvals where id = ${one.approvalId}`
    const begun = await sql`select from operations where id = ${one.operationId}`
    const requested = await sql`
      select action from audit_entries where subject = ${one.operationId} and action like 'approval.%'
        and action not in ('approval.requested', 'approval.given')`
    const happens = row!.state === "approved" && row!.outcome?.operation_id === one.operationId
    expect([way, row!.state, begun.length]).toEqual([way, row!.state, happens ? 1 : 0])
    expect(row!.state).not.toBe("pending")
    // The sweep's statement, which stands for the clock here, leaves no entry.
    expect(requested).toHaveLength(row!.state === "expired" ? 0 : 1)
    if (row!.state === "approved") expect(row!.given).toHaveLength(1)
    if (approved.status === 200) expect(row!.state).toBe("approved")
  }
})

test("if an approver is removed while they approve, the approval counts or they are gone, never both halves", async () => {
  const { account } = owner
  for (let round = 0; round < 6; round++) {
    const leaving = round === 0 ? removable : await provenMember(app, { role: "compliance", account })
    const fresh = await fixture.asked()
    const [user] = await sql<{ id: string }[]>`select id from users where email = ${leaving.email}`
    const [{ status }] = await Promise.all([
      approve(leaving, fresh.approvalId),
      owner.browser.mutate("member.remove", { user_id: user!.id }),
    ])
    const [row] = await sql`select state from approvals where id = ${fresh.approvalId}`
    const begun = await sql`select from operations where id = ${fresh.operationId}`
    expect([row!.state, begun.length]).toEqual(status === 200 ? ["approved", 1] : ["pending", 0])
  }
})

test("many members who approve at once give each approval once", async () => {
  await fixture.policy({ actions: ["force_transfer"], mint_config: config, approvals: 2 })
  for (let round = 0; round < 6; round++) {
    const one = await fixture.asked()
    const answers = await Promise.all([officer, officer, second, second].map((by) => approve(by, one.approvalId)))
    const [row] = await sql`select state, given from approvals where id = ${one.approvalId}`
    expect(row).toMatchObject({ state: "approved" })
    expect(new Set(row!.given.map((given: { id: string }) => given.id)).size).toBe(2)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await sql`select from operations where id = ${one.operationId}`).toHaveLength(1)
  }
})

test("a member's approval through one process waits for another process that decides the same request", async () => {
  const one = await fixture.asked()
  let free = () => {}
  const held = new Promise<void>((resolve) => {
    free = resolve
  })
  const other = sql.begin(async (sql) => {
    await sql`select from approvals where id = ${one.approvalId} for update`
    await held
    await sql`update approvals set state = 'rejected', ended_at = now() where id = ${one.approvalId}`
  })
  const approving = approve(officer, one.approvalId)
  setTimeout(free, 300)
  await other
  expect((await approving).error).toMatchObject({ error: "approval_ended" })
  expect(await sql`select from operations where id = ${one.operationId}`).toHaveLength(0)
})

test("an approval waits for another process that removes its member, and does not count", async () => {
  const one = await fixture.asked()
  const leaving = await provenMember(app, { role: "compliance", account: owner.account })
  const { promise: held, resolve: free } = Promise.withResolvers<void>()
  const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
  const other = sql.begin(async (sql) => {
    await sql`delete from members where user_id = (select id from users where email = ${leaving.email})`
    begun()
    await held
  })
  await isBegun
  const approving = approve(leaving, one.approvalId)
  const waiting = () => sql`
    select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
  await waitFor(async () => (await waiting()).length > 0, "the approval to wait").finally(free)
  await other
  expect((await approving).error).toMatchObject({ error: "second_person_required" })
  expect(await sql`select from operations where id = ${one.operationId}`).toHaveLength(0)
})

// Each locks the account first and then memberships. An approval holds memberships and then writes to the audit log.
test("an approval does not wait for a change of members, so neither waits for the other", async () => {
  const { link } = (await owner.browser.mutate("member.invite", { role: "viewer" })).data
  const token = new URL(link).searchParams.get("token")!
  const locks = {
    "a role changes": (tx: Queryable) => accountOf(tx, owner.workspaceId, { lock: true }),
    "someone joins": (tx: Queryable) => findInvitation(tx, token, { lock: true }),
  }
  for (const [what, lock] of Object.entries(locks)) {
    const { approvalId } = await fixture.asked()
    await sql.begin(async (tx) => {
      await lock(tx)
      expect([what, (await approve(officer, approvalId)).status]).toEqual([what, 200])
    })
  }
})
