import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, addSeconds, clock } from "#server/lib/time.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { readFigures } from "./figures.ts"

usesApp()

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  const overview = async () => {
    const { status, data, error } = await browser.query("overview.get")
    if (status !== 200) throw new Error(JSON.stringify(error))
    return data
  }
  return { browser, key, account, workspaceId, overview }
}

test("a new workspace has thirty empty days, its quota, and an issuer with SOL", async () => {
  const { overview } = await enter()
  const { quota, figures, attestations, operations, issuer } = await overview()
  expect(quota).toMatchObject({ plan: "free", included: 500, used: 0, remaining: 500 })
  expect(figures).toMatchObject({ started: 0, verified: 0, median_seconds: null })
  expect(figures.days).toHaveLength(30)
  expect(figures.days.at(-1)).toEqual({
    day: clock.now().toISOString().slice(0, 10),
    pending: 0,
    verified: 0,
    rejected: 0,
    revoked: 0,
    expired: 0,
  })
  expect([attestations, operations]).toEqual([[], []])
  expect(issuer).toMatchObject({ cluster: "localnet", sol: expect.any(Number), low: false })
})

test("outcomes of attestations are counted per UTC day, without older ones", async () => {
  const { workspaceId } = await enter()
  const today = clock.now().toISOString().slice(0, 10)
  const midnight = new Date(`${today}T00:00:00Z`)
  const insert = (at: Date, status: string, secondsToChain: number | null, openUntil: Date | null = null) => sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider,
      verified_at, issued_at, expires_at, onchain_tx, open_until)
    select ${workspaceId}, id, 'kyc_individual_v1', ${newWallet()}, ${status}, '2026-01-01', ${at}, id || ${workspaceId},
      'sandbox', ${secondsToChain === null ? null : addSeconds(at, secondsToChain)}, ${at}, ${addDays(at, 300)}, 'tx',
      ${openUntil}
    from (select 'att_' || gen_random_uuid() as id) made`
  await insert(midnight, "verified", 10)
  await insert(addSeconds(midnight, -1), "rejected", null)
  await insert(addSeconds(midnight, -1), "rejected", 30)
  await insert(addDays(midnight, -29), "expired", 20)
  await insert(addSeconds(addDays(midnight, -29), -1), "verified", 1000)
  // Expired and not swept yet: counts as expired.
  await insert(addDays(midnight, -3), "pending", null, addDays(midnight, -2))
  const { days, ...totals } = await readFigures(workspaceId)
  expect(totals).toEqual({ started: 5, verified: 3, median_seconds: 20 })
  const busy = days.filter((one) => one.pending + one.verified + one.rejected + one.expired > 0)
  expect(busy.map(({ day, verified, rejected, expired }) => [day, verified, rejected, expired])).toEqual([
    [addDays(midnight, -29).toISOString().slice(0, 10), 0, 0, 1],
    [addDays(midnight, -3).toISOString().slice(0, 10), 0, 0, 1],
    [addDays(midnight, -1).toISOString().slice(0, 10), 0, 2, 0],
    [today, 1, 0, 0],
  ])
})

test("the latest attestations and movements of tokens are listed newest first, without operations on credentials", async () => {
  const { key, overview, browser } = await enter()
  const tokens = tokenFixture(app, key)
  const { wallet } = await app.verifiedWallet(key)
  await sql`update investors set external_id = 'ada-1' where workspace_id = ${key.workspaceId}`
  const config = await tokens.config({}, { decimals: 2 })
  await tokens.mint(config, wallet, "1.5")
  const [attested] = (await overview()).attestations
  await browser.mutate("attestation.revoke", { id: attested.attestation_id, reason: "x" })
  const { attestations, operations } = await waitFor(async () => {
    const now = await overview()
    return now.operations.every((one: { status: string }) => one.status === "confirmed") && now
  }, "everything to be confirmed")
  expect(attestations).toMatchObject([{ user_pubkey: wallet, status: "revoked" }])
  expect(operations).toMatchObject([
    {
      kind: "mint",
      wallet,
      external_id: "ada-1",
      token: "Fund",
      mint_config: config,
      amount: "1.5",
      onchain_tx: expect.any(String),
    },
  ])
})

test("a mint refused before signing is among the latest, with the reason", async () => {
  const { key, overview } = await enter()
  const tokens = tokenFixture(app, key)
  const [wallet] = await tokens.wallets(1)
  const config = await tokens.config()
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, error_code,
      error_detail, created_at, finished_at)
    values (${key.workspaceId}, 'op_refused', 'mint', 'failed', '{"amount":"1"}', '{}', '{}', ${config}, ${wallet!},
      'wallet_not_verified', 'x', now(), now())`
  const [latest] = (await overview()).operations
  expect(latest).toMatchObject({ operation_id: "op_refused", status: "failed", error: "wallet_not_verified" })
})

test("the overview contains nothing of another workspace", async () => {
  const { key } = await enter()
  await app.verifiedWallet(key)
  const stranger = await enter()
  const { attestations, operations, figures } = await stranger.overview()
  expect({ attestations, operations, started: figures.started }).toEqual({
    attestations: [],
    operations: [],
    started: 0,
  })
})

test("the last reconciliation and its findings are those of this workspace only", async () => {
  const audited = await enter()
  const stranger = await enter()
  expect((await audited.overview()).ledger).toEqual({ quarantine: null, audit: null })
  // A worker has started it and is not done.
  await sql`
    insert into audits (workspace_id, claimed_until) values (${audited.workspaceId}, now() + interval '1 minute')`
  expect((await audited.overview()).ledger.audit).toBeNull()
  const [account] = await sql<{ name: string }[]>`
    select a.name from accounts a join workspaces w on w.account_id = a.id where w.id = ${audited.workspaceId}`
  await auditLedger({ account: account!.name, progress: () => {} })
  const { audit } = (await audited.overview()).ledger
  expect(audit.differences).toBe(0)
  expect(Math.abs(Date.now() - Date.parse(audit.at))).toBeLessThan(60_000)
  await app.verifiedWallet(audited.key)
  await sql`update usage_periods set used = used + 5 where workspace_id = ${audited.workspaceId}`
  await auditLedger({ account: account!.name, progress: () => {} })
  const seen = await audited.overview()
  expect(seen.ledger.audit.differences).toBe(1)
  expect((await stranger.overview()).ledger.audit).toBeNull()
  // Health counts differences of all customers, which are not included.
  expect(Object.keys(seen)).not.toContain("health")
})

test("a workspace in quarantine sees it, and others do not", async () => {
  const concerned = await enter()
  const stranger = await enter()
  await sql`
    insert into quarantines (workspace_id, since, differences)
    values (${concerned.workspaceId}, now(), '[{"signature": "sig_of_this_customer", "account": null}]')`
  const seen = await concerned.overview()
  expect(seen.ledger.quarantine).toMatchObject({ of: "workspace" })
  expect((await stranger.overview()).ledger.quarantine).toBeNull()
  await sql`delete from quarantines where workspace_id = ${concerned.workspaceId}`
  expect((await concerned.overview()).ledger.quarantine).toBeNull()
})

test("after a restart of the database, all workspaces of a mode see the quarantine until the comparison is done", async () => {
  const { overview } = await enter()
  // The worker cannot compare.
  await app.faults({ drop: 1 })
  try {
    await sql`update chains set server = 'the run before' where mode = 'test'`
    expect((await overview()).ledger.quarantine).toEqual({
      of: "mode",
      reason: "the database was restarted, and is being compared with the chain",
    })
  } finally {
    await app.faults({})
  }
  await waitFor(async () => (await overview()).ledger.quarantine === null, "the comparison")
})

test("many readers at once cause one query of the figures", async () => {
  const { workspaceId } = await enter()
  const all = await Promise.all(Array.from({ length: 50 }, () => readFigures(workspaceId)))
  expect(new Set(all).size).toBe(1)
})

test("if the chain does not answer, only its SOL is unknown", async () => {
  const { overview, key } = await enter()
  await app.startSession(key)
  await app.faults({ drop: 1 })
  const seen = await waitFor(async () => {
    const now = await overview()
    return now.issuer.sol === null && now
  }, "the balance to be unknown")
  await app.faults({})
  expect(seen.attestations).toHaveLength(1)
})

test("reviews for members who decide them, failing endpoints and a fee payer low on SOL need attention", async () => {
  const { account, workspaceId, overview } = await enter()
  const none = { count: 0, oldest: null }
  const endpoints = { failing: 0, disabled: 0, failing_since: null, oldest_failing: null, oldest_disabled: null }
  const nothing = { reviews: none, approvals: none, endpoints, low_sol: null }
  expect((await overview()).attention).toEqual(nothing)
  const viewer = (await member(app, { account, role: "viewer" })).browser
  const seenByViewer = async () => (await viewer.query("overview.get")).data.attention
  expect(await seenByViewer()).toEqual({ ...nothing, reviews: null, approvals: null })

  const endpoint = (n: number, disabled: string | null, failing: boolean) => sql`
    insert into webhook_endpoints (workspace_id, id, url, secret, cursor, created_at, disabled_at, disabled_reason, failing_since)
    values (${workspaceId}, ${`whe_${n}`}, ${`https://example.com/${n}`}, '\\x', 0, now(), ${disabled && clock.now()}, ${disabled},
      ${failing ? clock.now() : null})`
  await endpoint(1, null, true)
  await endpoint(2, "gone", false)
  await endpoint(3, "failing", true)
  await endpoint(4, "requested", true)
  await endpoint(5, null, false)
  await sql`
    insert into reviews (workspace_id, id, kind, subject, opened_at, found_at)
    values (${workspaceId}, 'rev_1', 'screening', ${newWallet()}, now(), now())`
  expect((await overview()).attention).toEqual({
    ...nothing,
    reviews: { count: 1, oldest: expect.objectContaining({ review_id: "rev_1", opened_at: expect.any(String) }) },
    endpoints: {
      ...{
        failing: 1,
        failing_since: expect.any(String),
        oldest_failing: { endpoint_id: "whe_1", url: "https://example.com/1" },
      },
      ...{ disabled: 2, oldest_disabled: { endpoint_id: "whe_2", url: "https://example.com/2" } },
    },
  })
  // The path may be a secret.
  expect((await seenByViewer()).endpoints.oldest_failing.url).toMatch(/^https:\/\/example\.com\/(?!1$)/)

  const officer = await member(app, { account, role: "compliance" })
  const [{ id: officerId } = { id: "" }] = await sql<
    { id: string }[]
  >`select id from users where email = ${officer.email}`
  const ids = Array.from({ length: 4 }, () => newId("apr"))
  const asked = (n: number, requester: string, given: object[], expiresAt: Date) => sql`
    insert into approvals (workspace_id, id, action, subject, request, digest, needed, roles, requester, requesters, given,
      state, created_at, expires_at)
    values (${workspaceId}, ${ids[n - 1]!}, 'token_unpause', 'fund', '{}', 'digest', 2, ${["owner", "compliance"]},
      ${sql.json({ kind: "user", id: requester, name: "x", members: [requester] })}, ${[requester]}, ${sql.json(given as never)},
      'pending', now(), ${expiresAt})`
  const later = addDays(clock.now(), 1)
  await asked(1, "user_x", [], later)
  await asked(2, "user_x", [{ id: officerId, by: "x", at: "2026-01-01T00:00:00Z" }], later)
  await asked(3, officerId, [], later)
  await asked(4, "user_x", [], addDays(clock.now(), -1))
  const seenByOfficer = (await officer.browser.query("overview.get")).data.attention
  expect(seenByOfficer.approvals).toEqual({ count: 1, oldest: expect.objectContaining({ approval_id: ids[0] }) })
  expect((await overview()).attention.approvals.count).toBe(3)
  expect((await seenByViewer()).approvals).toBeNull()

  const own = newWallet()
  await sql`
    insert into workspace_fee_payers (workspace_id, address, uri, created_at) values (${workspaceId}, ${own}, 'file:/none', now())`
  await sql`update workspaces set fee_payer = ${own} where id = ${workspaceId}`
  const says = (address: string, ago: number) => sql`
    insert into workers (id, seen_at, low_payers)
    values ('w', now() - ${ago} * interval '1 second', ${sql.json([{ mode: "test", address, sol: 0.25, hours_left: 3 }])})
    on conflict (id) do update set seen_at = excluded.seen_at, low_payers = excluded.low_payers`
  await says(own, 0)
  expect((await overview()).attention.low_sol).toEqual({ address: own, sol: 0.25, hours_left: 3 })
  // Neither a dead worker nor a report about another fee payer counts.
  await says(own, 20)
  const fromDead = (await overview()).attention.low_sol
  await says(newWallet(), 0)
  const ofAnother = (await overview()).attention.low_sol
  for (const low of [fromDead, ofAnother]) expect(low?.hours_left ?? null).toBeNull()
  await sql`delete from workers where id = 'w'`
})

test("the set-up steps follow from what exists", async () => {
  const { browser, key, workspaceId, overview } = await enter()
  const nothing = { verification: false, mint: false, webhook: false }
  // The chain may take longer than a page waits.
  const setup = () =>
    waitFor(async () => {
      const { setup } = await overview()
      return setup.sol === null ? null : setup
    }, "the fee payer's SOL to be known")
  expect(await setup()).toEqual({ provider: true, sol: true, key: true, ...nothing })
  const tokens = tokenFixture(app, key)
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(await tokens.config(), wallet!, "5")
  const added = await browser.mutate("webhook.create", { url: "https://example.com/hooks" })
  expect(added.error).toBeUndefined()
  await sql`update api_keys set revoked_at = now() where workspace_id = ${workspaceId}`
  const all = { verification: true, mint: true, webhook: true }
  expect(await setup()).toEqual({ provider: true, sol: true, key: false, ...all })
})
