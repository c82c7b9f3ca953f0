import { expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import type { LedgerReport } from "#shared/ledger-report.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { advanceClock, moveClock, realNow } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { Housekeeping, sweep } from "./housekeeping.ts"
import { clean } from "./retention.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" }, key: { mode: "live", plan: "enterprise" } })

type Old = { days: number; status?: string; final?: boolean }

const countOf = async (table: string) =>
  (await sql<{ count: number }[]>`select count(*)::int from ${sql(table)}`)[0]!.count

test("idempotency records last 24 hours and webhook events 90 days, however many there are", async () => {
  const { workspaceId, keyId } = key
  const now = new Date(Date.UTC(2027, 5, 1))
  await moveClock(now)
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

test("a transaction's bytes are dropped 30 days after signing unless still needed", async () => {
  const now = new Date(Date.UTC(2027, 5, 1))
  await moveClock(now)
  const add = (signature: string, { days, status = "confirmed", final = true }: Old) => sql`
    insert into transactions (signature, workspace_id, mode, wire, head, layout, last_valid_block_height, status, slot,
      created_at, finalized_at)
    values (${signature}, ${key.workspaceId}, 'live', '\\x01', 0, '[]', 1, ${status}, 1, ${addDays(now, -days)},
      ${final ? now : null})`
  await add("final", { days: 30 })
  await add("young", { days: 29 })
  await add("not final", { days: 31, final: false })
  await add("saved", { days: 31, status: "saved", final: false })
  await add("expired", { days: 31, status: "expired", final: false })
  await clean()
  await add("found later", { days: 33 })
  await clean()
  const kept = await sql<{ signature: string }[]>`
    select signature from transactions where wire is not null order by signature`
  expect(kept.map(({ signature }) => signature)).toEqual(["not final", "saved", "young"])
  await sql`delete from transactions`
})

test("final operations that ended 90 days ago move to the archive, and others stay", async () => {
  const now = new Date(Date.UTC(2027, 5, 1))
  await moveClock(now)
  const [old, other] = [addDays(now, -91), await app.key({ mode: "live" })]
  const final = { at: old, settled: old, final: old, counted: old, wire: null, status: "confirmed", key }
  const one = (change: Partial<Record<keyof typeof final, unknown>>) => ({ ...final, ...change }) as typeof final
  const cases = {
    final,
    failed: one({ status: "failed", final: null }),
    expired: one({ status: "expired", final: null, counted: null }),
    "kept bytes": one({ wire: "\\x01", at: addDays(old, 62) }),
    "not final": one({ final: null }),
    saved: one({ status: "saved", final: null, counted: null }),
    "ended lately": one({ settled: addDays(old, 2) }),
    "not counted": one({ counted: null, key: other }),
    "same workspace": one({ key: other }),
  }
  for (const [signature, { at, settled, final, counted, wire, status, key }] of Object.entries(cases)) {
    const { workspaceId } = key
    await sql`
      insert into transactions (signature, workspace_id, mode, wire, head, layout, last_valid_block_height, fee, status, slot,
        created_at, settled_at, finalized_at, counted_at)
      values (${signature}, ${workspaceId}, 'live', ${wire}::text::bytea, 0, '[]', 1, 5000, ${status}, 1, ${at}, ${settled},
        ${final}, ${counted})`
    await sql`
      insert into operations (workspace_id, id, kind, status, payload, writes, reads, signature, created_at, finished_at)
      values (${workspaceId}, ${signature}, 'mint', ${status === "failed" ? "failed" : "confirmed"}, '{}', '{}', '{}',
        ${signature}, ${at}, ${settled})`
  }
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, created_at, finished_at)
    values (${key.workspaceId}, 'queued', 'mint', 'queued', '{}', '{}', '{}', ${old}, null),
      (${key.workspaceId}, 'refused', 'mint', 'failed', '{}', '{}', '{}', ${old}, ${old})`
  const left = async (table: string, name: string) =>
    (await sql<{ name: string }[]>`select ${sql(name)} as name from only ${sql(table)} order by 1`).map(
      (row) => row.name,
    )
  const housekeeping = new Housekeeping(async () => ({ trouble: null, ledgers: [], lowPayers: [] }))
  await housekeeping.archive()
  const stay = ["ended lately", "kept bytes", "not counted", "not final", "same workspace", "saved"]
  expect(await left("transactions", "signature")).toEqual(stay)
  // Operations have no bytes.
  expect(await left("operations", "id")).toEqual([...stay.filter((id) => id !== "kept bytes"), "queued"].sort())
  expect([await countOf("transactions"), await countOf("operations")]).toEqual([9, 11])
  await sql`update transactions set counted_at = ${now} where signature = 'not counted'`
  await sql`update transactions set finalized_at = ${now} where signature = 'not final'`
  await housekeeping.archive()
  expect(await left("transactions", "signature")).toEqual(["ended lately", "kept bytes", "saved"])
  expect(await left("operations", "id")).toEqual(["ended lately", "queued", "saved"])
  await sql`delete from operations`
  await sql`delete from transactions`
})

test("two simultaneous sweeps end every session whose time is over, in all workspaces", async () => {
  const other = await app.key()
  await app.startSession(other)
  await sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider, open_until)
    select ${key.workspaceId}, 'att_' || n, 'kyc_individual_v1', 'wallet ' || n, 'pending', '2027-01-01', now(), 'sess_' || n,
      'sandbox', ${addSeconds(realNow(), 60)}::timestamptz
    from generate_series(1, 450) n`
  await sql`insert into usage_periods values (${key.workspaceId}, '2027-01-01', 450)`
  await advanceClock({ days: 2 })
  await Promise.all([sweep(), sweep()])
  const [row] = await sql`
    select count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status = 'expired')::int as expired
    from attestations`
  expect(row).toEqual({ pending: 0, expired: 451 })
  const used = await sql`select used from usage_periods where used <> 0`
  expect(used).toHaveLength(0)
})

/** Holds locks in an open transaction, like a process that hangs. Returns a function that releases them. */
async function hold(lock: (sql: ReturnType<typeof open>) => PromiseLike<unknown>): Promise<() => Promise<void>> {
  const stopped = open(app.databaseUrl, 1)
  await stopped.unsafe("begin")
  await lock(stopped)
  return () => stopped.end()
}

test.each([
  [
    "pending",
    "open_until",
    (workspaceId: string) => (sql: ReturnType<typeof open>) =>
      sql`
      select from usage_periods where workspace_id = ${workspaceId} for update`,
  ],
  [
    "verified",
    "expires_at",
    (workspaceId: string) => (sql: ReturnType<typeof open>) =>
      sql`
      insert into ledger_leases (workspace_id, version) values (${workspaceId}, 1)`,
  ],
] as const)(
  "a workspace's locked row delays ending %s attestations for that workspace only",
  async (status, until, lock) => {
    const [held, free] = [await app.key(), await app.key()]
    const wallets = [newWallet(), newWallet(), newWallet()]
    const at = status === "verified" ? realNow() : null
    for (const { workspaceId } of [held, free]) {
      await sql`
      insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider,
          issued_at, verified_at, onchain_tx, ${sql.unsafe(until)})
      select ${workspaceId}, ${workspaceId} || n, 'kyc_individual_v1', wallet, ${status}, '2027-02-01', now(),
        ${workspaceId} || n, 'sandbox', ${at}::timestamptz, ${at}::timestamptz, ${at && "tx"}, ${addSeconds(realNow(), 60)}::timestamptz
      from unnest(${wallets}::text[]) with ordinality as t(wallet, n)`
      await sql`insert into usage_periods values (${workspaceId}, '2027-02-01', 3)`
    }
    const left = async ({ workspaceId }: TestKey) =>
      (await sql`select from attestations where workspace_id = ${workspaceId} and status = ${status}`).length
    await advanceClock({ days: 2 })
    const release = await hold(lock(held.workspaceId))
    const said = () => app.log.filter((line) => line.includes("cannot be ended") && line.includes(held.workspaceId))
    await sweep()
    expect([await left(held), await left(free)]).toEqual([3, 0])
    // It is tried again after a while and logged once.
    const attempts = () => sweep().then(async () => (await left(held)) === 3)
    for (let round = 0; round < 5; round++) expect(await attempts()).toBe(true)
    expect(said()).toHaveLength(1)
    await release()
    await waitFor(async () => {
      await sweep()
      return (await left(held)) === 0
    }, "the sweep to retry")
  },
)

test("a process reports that it is alive, reports its trouble, and signs off when it stops", async () => {
  const ledger: LedgerReport = {
    mode: "live",
    slot: 4711,
    slot_age_seconds: 40,
    clock_difference_seconds: -2,
    oldest_operation_seconds: 300,
    oldest_transaction_seconds: null,
    in_doubt: 0,
    nodes: [{ version: "4.1.2", keeps_history: false, first_slot: 17, permissioned_burn: true }, null],
    audit_age_seconds: 60,
    audit_differences: 0,
    rpc_errors: { getEpochInfo: 3 },
  }
  const housekeeping = new Housekeeping(async () => ({
    trouble: "live: the fee payer is out of SOL",
    ledgers: [ledger],
    lowPayers: [],
  }))
  // Health data is at most a second old.
  const health = (isAsWanted: (checks: { worker: string }) => boolean) =>
    waitFor(async () => {
      const { json } = await app.request({ method: "GET", path: "/health" })
      return isAsWanted(json.checks) && json
    }, "health to report it")
  const isSilent = (checks: { worker: string }) => checks.worker !== "ok"
  expect(await health(isSilent)).toMatchObject({ status: "degraded" })
  await housekeeping.beat()
  expect(await health((checks) => !isSilent(checks))).toMatchObject({
    status: "degraded",
    checks: { database: "ok", worker: "ok", chain: "live: the fee payer is out of SOL" },
    ledger: [ledger],
  })
  await sql`update workers set seen_at = now() - interval '16 seconds'`
  expect((await health(isSilent)).status).toBe("degraded")
  await housekeeping.stop()
  expect(await countOf("workers")).toBe(0)
})
