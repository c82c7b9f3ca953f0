import { afterAll, beforeAll, expect, test } from "vitest"
import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"

// docs/architecture.md: the rows of a workspace are stored together, and the schema can be distributed by workspace_id.
// Exceptions are listed here with their reason.

const TABLES_WITHOUT_WORKSPACE: Record<string, string> = {
  accounts: "an account owns workspaces",
  workspaces: "it is the workspace itself",
  event_generations: "a database that loses commits loses them for all workspaces",
  chains: "one row for each mode of the deployment",
  fee_payers: "a mode's fee payer pays for all workspaces",
  derived_keys: "keys of the whole deployment",
  signer_keys: "several workspaces may share a signer",
  screening_lists: "all workspaces are screened by the same lists",
  screening_list_parts: "all workspaces are screened by the same lists",
  workers: "one row for each process of the deployment",
  users: "a person may belong to several customers",
  user_sessions: "belongs to a person",
  user_credentials: "belongs to a person",
  user_verifications: "belongs to a person",
  user_two_factors: "belongs to a person",
  user_passkeys: "belongs to a person",
  user_links: "belongs to a person",
  auth_rate_limits: "counts people who are not signed in yet",
  mail_counts: "a mailbox is counted for all accounts that write to it",
  members: "a member enters both workspaces of an account",
  invitations: "a member enters both workspaces of an account",
  audit_entries: "some changes concern an account as a whole",
  audit_chains: "entries of an account are linked in all of its workspaces at once",
}

const INDEXES_WITHOUT_WORKSPACE: Record<string, string> = {
  workspace_authorities_address: "a workspace must recognize the keys of all others",
  workspace_fee_payers_address: "a workspace must recognize the keys of all others",
  key_secrets_pkey: "a key is looked up by its hash: the lookup finds the workspace",
  key_usage_day: "retention sweeps all workspaces",
  api_requests_at: "retention sweeps all workspaces",
  attestations_session: "the hosted page knows only the session's id",
  attestations_earlier_references: "a vendor's event may name only an earlier reference",
  attestations_provider_reference: "a vendor's event names only its own reference",
  attestations_reminders: "the investors of all workspaces are reminded",
  investors_external_id_words: "words are found in all workspaces, and each row is checked for its own",
  renewal_notices_due: "reminders of all workspaces wait in one queue",
  bulk_revocations_open: "workers look for open bulk revocations in all workspaces",
  bulk_revocations_ended: "retention sweeps all workspaces",
  snapshots_scheduled: "a worker completes the snapshots of all workspaces",
  notifications_due: "mails to the members of all customers wait in one queue",
  saved_filters_user: "a person who leaves loses theirs in every account",
  notifications_user: "a person who leaves loses theirs in every account",
  vendor_redactions_due: "vendors are asked about the erasures of all workspaces",
  erasures_uncleared: "a worker finishes the erasures of all workspaces",
  attestations_ask: "vendors are asked about the sessions of all workspaces",
  webhook_events_mode_provider_event_id_pk: "an event's id is unique per mode and provider",
  webhook_events_received: "retention sweeps all workspaces",
  idempotency_records_created: "retention sweeps all workspaces",
  staged_events_pkey: "the events of all workspaces wait in one queue",
  holder_periods_followed: "a worker follows the tokens of all workspaces",
  events_occurred: "retention sweeps all workspaces",
  webhook_attempts_pkey: "attempts are found by their delivery; the number only orders them",
  webhook_attempts_at: "retention sweeps all workspaces",
  sandbox_submissions_due: "the delivery queue serves all workspaces",
  wallet_challenges_expired: "retention sweeps all workspaces",
  transactions_created: "retention sweeps all workspaces",
  transactions_pkey: "the chain knows a transaction by its signature",
  archived_transactions_pkey: "the chain knows a transaction by its signature",
  transactions_pending: "the tracker follows all transactions of a mode",
  transactions_unfinalized: "the tracker follows all transactions of a mode",
  transactions_uncounted: "what transactions cost is counted for all workspaces of a chain",
}

beforeAll(async () => {
  const { url } = await createTestDatabase()
  connectDatabase(url, { max: 2 })
})
afterAll(() => disconnectDatabase())

test("every domain table has a non-null workspace_id, or a reason not to", async () => {
  const tables = await sql<{ name: string; owned: boolean }[]>`
    select c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull) as owned
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = 'public'`
  expect(tables.length).toBeGreaterThan(10)
  const without = tables.filter((table) => !table.owned).map((table) => table.name)
  expect(without.sort()).toEqual(Object.keys(TABLES_WITHOUT_WORKSPACE).sort())
})

test("every primary key and index of the domain starts with workspace_id, or has a reason not to", async () => {
  const indexes = await sql<{ index: string; first: string }[]>`
    select i.relname as index, pg_get_indexdef(x.indexrelid, 1, true) as first
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    join pg_class t on t.oid = x.indrelid
    join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = 'public' and not t.relname = any(${Object.keys(TABLES_WITHOUT_WORKSPACE)})`
  expect(indexes.length).toBeGreaterThan(10)
  const without = indexes.filter(({ first }) => first !== "workspace_id").map(({ index }) => index)
  expect(without.sort()).toEqual(Object.keys(INDEXES_WITHOUT_WORKSPACE).sort())
})

test("every foreign key between domain tables includes workspace_id", async () => {
  const foreign = await sql<{ name: string; columns: string[] }[]>`
    select c.conname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'f' and c.confrelid::regclass::text not in ('accounts', 'users')
    group by c.conname`
  expect(foreign.length).toBeGreaterThan(5)
  expect(foreign.filter(({ columns }) => !columns.includes("workspace_id"))).toEqual([])
})
