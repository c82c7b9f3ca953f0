import type postgres from "postgres"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { firstConfig } from "#server/domain/tokens/config.ts"
import { insertAttestations, walletsFor } from "./seed.ts"

const BATCH = 5000
/** The attestations were started at equal intervals over this time. */
const DAYS = 300

const firstNames =
  "emma noah olivia liam ava lucas mia ethan sofia mateo hana kenji amara kofi priya arjun fatima omar ingrid lars"
const lastNames =
  "larsson garcia smith tanaka okafor patel haddad novak rossi dubois kowalski andersen silva mueller chen kim"

const DISTRIBUTION = "dist_4MpXbW9sYt2KcQvLhRz7Jd"
const SNAPSHOT = "snap_4MpXbW9sYt2KcQvLhRz7Jd"
const KEY = "key_4MpXbW9sYt2KcQvLhRz7Jd"
const ENDPOINT = "whe_4MpXbW9sYt2KcQvLhRz7Jd"

export type Filled = {
  workspaceId: string
  distribution: string
  endpoint: string
  /** A sample of each. */
  wallets: string[]
  externalIds: string[]
  investors: string[]
}

/** Fills each list of a new workspace with `count` rows, about investors whose ids are like `emma-larsson-1008`. */
export async function fillLists(admin: postgres.Sql, count: number): Promise<Filled> {
  const { id: account, workspaces } = await createAccount({ name: "Large customer", plan: "enterprise" })
  const workspaceId = workspaces.live
  // Otherwise each row stages an event.
  await admin`set session_replication_role = replica`
  for (let made = 0; made < count; made += BATCH) {
    const batch = walletsFor(Math.min(BATCH, count - made))
    const ages_days = batch.map((_, n) => DAYS * (1 - (made + n) / count))
    await insertAttestations(workspaceId, batch, ages_days)
  }
  await admin`
    update investors i set external_id = (string_to_array(${firstNames}, ' '))[1 + seq % 20] || '-'
      || (string_to_array(${lastNames}, ' '))[1 + seq / 20 % 16] || '-' || seq where workspace_id = ${workspaceId}`
  await admin`
    update attestations a set external_id = i.external_id from investors i
    where a.workspace_id = ${workspaceId} and i.workspace_id = a.workspace_id and i.id = a.investor_id`
  await admin`
    create temporary table rows as select row_number() over (order by seq)::int as n, id, wallet, investor_id, created_at,
      issued_at is not null as is_issued, substr(id, 5) as text from attestations where workspace_id = ${workspaceId}`
  await fillTokens(admin, workspaceId)
  await fillRecords(admin, { account, workspaceId })
  await admin`set session_replication_role = default`
  await admin`drop table rows`
  await admin`vacuum analyze`
  const sample = await admin<{ wallet: string; external_id: string; investor_id: string }[]>`
    select wallet, external_id, investor_id from attestations where workspace_id = ${workspaceId}
    order by md5(id) limit 200`
  return {
    workspaceId,
    distribution: DISTRIBUTION,
    endpoint: ENDPOINT,
    wallets: sample.map(({ wallet }) => wallet),
    externalIds: sample.map(({ external_id }) => external_id),
    investors: sample.map(({ investor_id }) => investor_id),
  }
}

/** Each wallet holds a token, with one mint, one hold and one payout. */
async function fillTokens(admin: postgres.Sql, workspaceId: string): Promise<void> {
  const config = firstConfig.id
  await admin`
    insert into holdings (workspace_id, mint_config, wallet, balance, held, lotted, counted, posted)
    select distinct on (wallet) ${workspaceId}, ${config}, wallet, 1000000 + n % 977, 10, 1000000 + n % 977, true, 1 from rows where is_issued`
  await admin`
    insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, landed_at)
    select workspace_id, mint_config, wallet, 1, balance, held, balance, held, '2026-01-01' from holdings
    where workspace_id = ${workspaceId}`
  await admin`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, signature,
      created_at, finished_at)
    select ${workspaceId}, 'op_' || text, 'mint', 'confirmed',
      jsonb_build_object('mint_config', ${config}::text, 'wallet', wallet, 'amount', '1000000'), '{}', '{}', ${config}, wallet,
      text, created_at, created_at from rows order by n`
  await admin`
    insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, taking, state, reason_code, reference,
      created_at)
    select ${workspaceId}, 'hold_' || text, ${config}, wallet, 10, 10, 0, 'active', 'other', 'Case ' || n, created_at
    from rows order by n`
  await admin`
    insert into snapshots (workspace_id, id, mint_config, name, record_at, holders, supply, sha256, complete, operation_id,
      created_at, ready_at)
    values (${workspaceId}, ${SNAPSHOT}, ${config}, 'Record date', now(), 1, 1, '', true, 'op', now(), now())`
  await admin`
    insert into distributions (workspace_id, id, snapshot_id, mint_config, settlement, decimals, per_unit, minimum, exclude,
      total, allocated, remainder, units, payouts, reason_code, reference, state, created_at)
    values (${workspaceId}, ${DISTRIBUTION}, ${SNAPSHOT}, ${config}, 'external', 2, '0.5', 0, '{}', 1000, 1000, 0, 1000, 1,
      'dividend', 'Q1', 'draft', now())`
  await admin`
    insert into payouts (workspace_id, id, distribution_id, wallet, investor_id, units, amount)
    select distinct on (wallet) ${workspaceId}, 'pay_' || text, ${DISTRIBUTION}, wallet, investor_id, 1000000, 500 from rows`
}

/** A review, an approval, an event with its delivery, a request and an entry of the audit log for each attestation. */
async function fillRecords(admin: postgres.Sql, { account, workspaceId }: { account: string; workspaceId: string }) {
  const config = firstConfig.id
  await admin`
    insert into reviews (workspace_id, id, kind, subject, wallet, opened_at, found_at, high_from, urgent_from, state, ending,
      closed_at)
    select ${workspaceId}, 'rev_' || text, 'screening', wallet, wallet, created_at, created_at,
      case when n % 70 = 0 then created_at else now() + interval '7 days' end, case when n % 7000 = 0 then created_at end,
      case when n % 7 = 0 then 'open' else 'closed' end, case when n % 7 > 0 then 'decided' end,
      case when n % 7 > 0 then created_at end
    from (select distinct on (wallet) * from rows) r order by n`
  await admin`
    insert into review_entries (workspace_id, review_id, at, finding)
    select workspace_id, id, opened_at, 'listed' from reviews where workspace_id = ${workspaceId}`
  await admin`
    insert into approvals (workspace_id, id, action, subject, request, digest, needed, roles, requester, requesters, state,
      created_at, expires_at, ended_at)
    select ${workspaceId}, 'apr_' || text, 'mint', 'op_' || text,
      jsonb_build_object('user_pubkey', wallet, 'mint_config', ${config}::text, 'amount', '10'), text, 1, '{owner}',
      '{"kind":"key","id":"key_1","name":"Backend"}', '{}', 'approved', created_at, created_at, created_at
    from rows order by n`
  await admin`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    select ${workspaceId}, n, 'evt_' || text, 'attestation.verified',
      jsonb_build_object('user_pubkey', wallet, 'attestation_id', id, 'investor_id', investor_id), created_at, '1' from rows`
  await admin`
    insert into webhook_endpoints (workspace_id, id, url, secret, cursor, created_at)
    values (${workspaceId}, ${ENDPOINT}, 'https://example.com/hook', '', 0, now())`
  await admin`
    insert into webhook_deliveries (workspace_id, endpoint_id, sequence, status, attempts, ended_at)
    select ${workspaceId}, ${ENDPOINT}, n, 'delivered', 1, created_at from rows`
  await admin`
    insert into api_keys (workspace_id, id, name, scopes, created_at) values (${workspaceId}, ${KEY}, 'Backend', '{}', now())`
  await admin`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
    select ${workspaceId}, 'req_' || text, created_at, 'GET', '/kyc/status/' || wallet, 200, 900, ${KEY}, '{}' from rows`
  await admin`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_id, actor_name, action, subject, detail)
    select ${account}, ${workspaceId}, created_at, 'user', 'user_1', 'Ada', 'attestation.revoked', id, '{}' from rows order by n`
}
