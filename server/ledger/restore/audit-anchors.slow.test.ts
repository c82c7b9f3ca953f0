import { expect, test } from "vitest"
import { verifyAuditLog } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { anchorAuditLogs } from "#server/domain/audit-anchors/anchor-audit-logs.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { exportedLog, untilLinked } from "#test/fixtures/audit-chain.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import {
  app,
  backUp,
  cluster,
  differences,
  goesOn,
  idle,
  key,
  restore,
  restores,
  serve,
  timesOnChain,
  tokens,
} from "#test/fixtures/restores.ts"

restores()

type Anchor = { id: string; place: bigint; state: string }

/** Anchors the audit log on the day after its newest entry and its last anchor. */
async function anchored(): Promise<Anchor> {
  await untilLinked()
  await sql`update audit_anchors set created_at = created_at - interval '1 day'`
  await advanceClock({ days: 1 })
  await anchorAuditLogs()
  await restoreClock()
  return waitFor(async () => {
    const [newest] = await sql<(Anchor & { signature: string | null })[]>`
      select id, place, state, signature from audit_anchors where workspace_id = ${key.workspaceId}
      order by created_at desc, place desc limit 1`
    return newest?.signature != null && newest
  }, "the anchor")
}

async function saved(): Promise<string> {
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  return backup
}

async function verified() {
  const { browser } = await member(app, { account: await accountOfKey() })
  await untilLinked()
  const issuer = deployment.keys(authorityPurpose(key.workspaceId)).publicKey.toBase58()
  return verifyAuditLog(cluster.connection, { issuer, csv: await exportedLog(browser) })
}

async function accountOfKey() {
  const rows = await sql<{ id: string; name: string; mode: "live" | "test"; workspace_id: string }[]>`
    select a.id, a.name, w.mode, w.id as workspace_id from accounts a join workspaces w on w.account_id = a.id
    where a.id = (select account_id from workspaces where id = ${key.workspaceId})`
  const workspaces = Object.fromEntries(rows.map((row) => [row.mode, row.workspace_id])) as Record<
    "live" | "test",
    string
  >
  return { id: rows[0]!.id, name: rows[0]!.name, workspaces }
}

const declared = () => sql`select subject from audit_entries where action = 'audit_log.entries_lost'`

test("an anchor that the backup lacks is found again if the entries that it covers are in the backup", async () => {
  await tokens.config()
  await untilLinked()
  const backup = await saved()
  const before = await anchored()
  await idle()
  await restore(backup)
  await goesOn()
  await untilLinked()
  await waitFor(async () => (await sql`select from audit_anchors where id = ${before.id}`).length === 1, "the memo")
  await anchorAuditLogs()
  const [after] = await sql`select place, state from audit_anchors where id = ${before.id}`
  expect(after).toEqual({ place: before.place, state: "made" })
  expect(await timesOnChain(before.id)).toBe(1)
  expect(await declared()).toEqual([])
  expect(await verified()).toMatchObject({ verified: true, breaks: [], proven: [{ anchor: { id: before.id } }] })
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

test("entries that were anchored and that a restore lost are named in the log, and the verifier reports them", async () => {
  const backup = await saved()
  await tokens.config()
  await tokens.config()
  const before = await anchored()
  await idle()
  await restore(backup)
  await goesOn()
  await untilLinked()
  await waitFor(async () => (await sql`select from audit_anchors where id = ${before.id}`).length === 1, "the memo")
  await anchorAuditLogs()
  expect(await declared()).toEqual([{ subject: before.id }])
  // The log goes on, past the place that was anchored.
  await tokens.config()
  await tokens.config()
  const next = await anchored()
  expect(next.place).toBeGreaterThan(before.place)
  const answer = await verified()
  expect(answer.breaks).toEqual([{ kind: "lost", from: Number(before.place), to: Number(before.place) }])
  expect(answer.verified).toBe(false)
  expect(answer.proven.at(-1)).toMatchObject({ to: Number(next.place), anchor: { id: next.id } })
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})
