import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays, addSeconds, clock } from "#server/lib/time.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import { clean, Housekeeping, sweep } from "./housekeeping.ts"

let app: TestApp
let key: TestKey
const real = clock.now

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key({ mode: "live", plan: "enterprise" })
})
afterEach(() => {
  clock.now = real
})
afterAll(() => app.stop())

const countOf = async (table: string) =>
  (await sql<{ count: number }[]>`select count(*)::int from ${sql(table)}`)[0]!.count

test("idempotency records go after 24 hours and webhook events after 90 days, however many there are", async () => {
  const { workspaceId, keyId } = key
  const now = new Date(Date.UTC(2027, 5, 1))
  clock.now = () => now
  await sql`
    insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, status, body, created_at)
    select ${workspaceId}, ${keyId}, 'old ' || n, '\\x', 200, '\\x', now() - interval '24 hours'
    from generate_series(1, 12000) n`
  await sql`
    insert into webhook_events (mode, provider, event_id, workspace_id, attestation_id, outcome, received_at)
    select 'live', 'sandbox', 'old ' || n, ${workspaceId}, 'att_x', 'applied', ${addDays(now, -90)}::timestamptz
    from generate_series(1, 6000) n`
  await sql`
    insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, created_at)
    values (${workspaceId}, ${keyId}, 'young', '\\x', now() - interval '23 hours')`
  await sql`
    insert into webhook_events (mode, provider, event_id, workspace_id, attestation_id, outcome, received_at)
    values ('live', 'sandbox', 'young', ${workspaceId}, 'att_x', 'applied', ${addSeconds(addDays(now, -90), 1)})`
  await clean()
  expect([await countOf("idempotency_records"), await countOf("webhook_events")]).toEqual([1, 1])
})

test("a sweep ends every session that closed, of all workspaces, in one go", async () => {
  const other = await app.key()
  await app.startSession(other)
  await sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider, open_until)
    select ${key.workspaceId}, 'att_' || n, 'kyc_individual_v1', 'wallet ' || n, 'pending', '2027-01-01', now(), 'sess_' || n,
      'sandbox', ${addSeconds(real(), 60)}::timestamptz
    from generate_series(1, 450) n`
  await sql`insert into usage_periods values (${key.workspaceId}, '2027-01-01', 450)`
  clock.now = () => addDays(real(), 2)
  await Promise.all([sweep(), sweep()])
  const [row] = await sql`
    select count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status = 'expired')::int as expired
    from attestations`
  expect(row).toEqual({ pending: 0, expired: 451 })
  const used = await sql`select used from usage_periods where used <> 0`
  expect(used).toHaveLength(0)
})

test("a process says that it lives, what troubles it, and takes its leave", async () => {
  const housekeeping = new Housekeeping(() => "live: the fee payer is out of SOL")
  // What health says is a second old at most.
  const health = (isAsWanted: (checks: { worker: string }) => boolean) =>
    waitFor(async () => {
      const { json } = await app.request({ method: "GET", path: "/health" })
      return isAsWanted(json.checks) && json
    }, "health to say so")
  const isSilent = (checks: { worker: string }) => checks.worker !== "ok"
  expect(await health(isSilent)).toMatchObject({ status: "degraded" })
  await housekeeping.beat()
  expect(await health((checks) => !isSilent(checks))).toMatchObject({
    status: "degraded",
    checks: { database: "ok", worker: "ok", chain: "live: the fee payer is out of SOL" },
  })
  await sql`update workers set seen_at = now() - interval '16 seconds'`
  expect((await health(isSilent)).status).toBe("degraded")
  await housekeeping.stop()
  expect(await countOf("workers")).toBe(0)
})
