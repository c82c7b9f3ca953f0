/**
 * The baseline: only node:http, postgres.js, the key check and the statements. It validates nothing, answers 500 to any
 * error, and has no request ids. The statements are exact copies of the server's; fairness.ts checks that they match.
 */
import { hash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import postgres from "postgres"
import { socketOptions } from "#db/socket.ts"
import { hashApiKey, isWellFormedApiKey } from "#server/domain/accounts/keys/secret.ts"

const { PORT, DATABASE_URL = "", POOL, ORIGIN } = process.env

const sql = postgres(DATABASE_URL, {
  ...socketOptions(DATABASE_URL),
  max: Number(POOL),
  types: { bigint: postgres.BigInt },
  connection: { application_name: "bare", TimeZone: "UTC" },
})

type Key = { workspaceId: string; keyId: string; validUntil: number; expiresAt: number; readAt: number }
const CACHE_MS = 4000
const keys = new Map<string, Key>()

async function authenticate(authorization: string | undefined): Promise<Key> {
  const key = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
  if (key === undefined || !isWellFormedApiKey(key)) throw new Error("wrong key")
  const digest = hashApiKey(key)
  const name = digest.toString("latin1")
  const now = Date.now()
  let known = keys.get(name)
  if (known === undefined || now - known.readAt > CACHE_MS) {
    const [row] = await sql`
      select s.workspace_id, w.mode, s.key_id, k.scopes, k.expires_at, s.valid_until
      from key_secrets s
      join api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
      join workspaces w on w.id = s.workspace_id
      where s.hash = ${digest} and k.revoked_at is null`
    known = {
      workspaceId: row!.workspace_id,
      keyId: row!.key_id,
      validUntil: row!.valid_until?.getTime() ?? Number.POSITIVE_INFINITY,
      expiresAt: row!.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      readAt: now,
    }
    keys.set(name, known)
  }
  if (known.validUntil <= now || known.expiresAt <= now) throw new Error("expired key")
  return known
}

const timestamp = (time: Date) => `${time.toISOString().slice(0, 19)}Z`

/** GET /v1/kyc/status/{pubkey} */
async function status({ workspaceId }: Key, wallet: string) {
  const now = new Date()
  const schemaId = null
  const [row] = await sql`
    select id, schema_id, status, open_until, verified_at, expires_at, onchain_tx from attestations
    where workspace_id = ${workspaceId} and wallet = ${wallet} and (${schemaId}::text is null or schema_id = ${schemaId})
    order by (status = 'verified' and expires_at > ${now}) desc, seq desc limit 1`
  const over =
    (row!.status === "pending" && row!.open_until !== null && row!.open_until <= now) ||
    ((row!.status === "verified" || row!.status === "pending") && row!.expires_at !== null && row!.expires_at <= now)
  const wasVerified = row!.verified_at !== null
  return {
    status: over ? "expired" : row!.status,
    attestation_id: row!.id,
    schema: row!.schema_id,
    expires_at: wasVerified && row!.expires_at ? timestamp(row!.expires_at) : null,
    onchain_tx: wasVerified ? row!.onchain_tx : null,
  }
}

const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString("base64url")}`

type Claim = { keyId: string; idempotencyKey: string; fingerprint: Buffer }

const insertRecords = (workspaceId: string, rows: postgres.PendingQuery<postgres.Row[]>) => sql`
  insert into idempotency_records as r
    (workspace_id, key_id, idempotency_key, fingerprint, subject, status, body, created_at)
  select ${workspaceId}, t.*, clock_timestamp() from (${rows}) as t`

function claiming(workspaceId: string, claim: Claim | null) {
  if (claim === null) return sql``
  const rows = sql`
    select ${claim.keyId}, ${claim.idempotencyKey}, ${claim.fingerprint}::bytea, s.*, null::int, null::bytea from (${sql`select session_id from begun`}) as s`
  return sql`, claim as (${insertRecords(workspaceId, rows)})`
}

async function begin({ workspaceId }: Key, body: { userPubkey: string; schemaId: string }, claim: Claim | null) {
  const { userPubkey: wallet, schemaId } = body
  const now = new Date()
  const period = `${now.toISOString().slice(0, 7)}-01`
  const account = null
  const signs = null
  const [begun] = await sql`
    with limits as (
      select case w.mode when 'test' then ${500}::int else a.included end as included,
        case when w.budget is null then false else w.budget <= coalesce((select c.fee + c.rent from chain_costs c
            where c.workspace_id = w.id and c.period = ${period}), 0) + ${2_200_000}::bigint * (
          (select count(*) from attestations p where p.workspace_id = w.id and p.status = 'pending') +
          (select count(*) from operations o
            where o.workspace_id = w.id and o.status in ('queued', 'submitted') and o.kind in ('mint', 'transfer'))) +
          (select coalesce(sum(t.fee + t.rent), 0) from transactions t
            where t.workspace_id = w.id and t.status in ('confirmed', 'failed') and t.fee is not null and t.counted_at is null)
        end as over_budget, w.reminders,
        exists (select address from (
          select address from derived_keys
          union all select credential_mint from schemas where workspace_id = ${workspaceId}
          union all select mint from mint_configs where workspace_id = ${workspaceId}
          union all select address from workspace_authorities
          union all select address from workspace_fee_payers
          union all select address from fee_payers
          union all select account from paid_accounts where workspace_id = ${workspaceId}
        ) own where address = any(${[wallet]}::text[])) as own,
        exists (select from credentials c where c.workspace_id = w.id and c.schema_id = ${schemaId}
          and c.wallet = ${wallet} and c.attestation_id is null and ${account}::text is null) as account_wanted,
        exists (select from paid_accounts p
          where p.workspace_id = w.id and p.account = ${account} and p.period = ${period}
            and p.reopened >= ${3}) as reopened
      from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}
    ), schema as (
      select id, coalesce(wallet_proof, ${false}) as wallet_proof
      from schemas where workspace_id = ${workspaceId} and id = ${schemaId}
    ), pending as (
      select a.id, a.session_id, a.open_until is null or a.open_until > ${now} as open
      from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
      where a.workspace_id = ${workspaceId} and a.wallet = ${wallet}
        and a.schema_id = ${schemaId} and a.status = 'pending'
        and i.id = (select investor_id from investor_of_wallet(${workspaceId}, ${wallet}))
      order by i.external_id nulls last limit 1
    ), reserved as (
      insert into usage_periods as u (workspace_id, period, used, started)
      select ${workspaceId}, ${period}, 1, 1 from schema, limits
      where not exists (select from pending) and (included is null or included >= 1) and not over_budget
        and not own and not account_wanted and not reopened and (${signs}::boolean or not wallet_proof)
      on conflict (workspace_id, period) do update set used = u.used + 1, started = greatest(u.started, u.used) + 1
      where (select included is null or (u.used + 1 <= included
        and greatest(u.started, u.used) < included * ${10}::bigint) from limits)
      returning period
    ), investor as (
      select choose_investor(${workspaceId}, ${wallet}, ${null}, begins.open_id, ${newId("inv")}, ${now}) as id
      from (select null::text as open_id from reserved union all select id from pending where open) begins
    ), attestation as (
      insert into attestations
        (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, redirect_url, open_until, wallet_proof_required)
      select ${workspaceId}, ${newId("att")}, ${schemaId}, ${wallet}, investor.id, ${null}, 'pending', period, ${now},
        ${newId("sess")}, ${"sandbox"}, ${null}, ${new Date(now.getTime() + 24 * 3600 * 1000)}, schema.wallet_proof
      from reserved, investor, schema
      returning session_id
    ), begun as (
      select session_id from attestation union all select session_id from pending where open
    )${claiming(workspaceId, claim)}
    select exists (select from schema) as schema_known, (select own from limits) as own,
      (select included from limits) as included, (select over_budget from limits) as over_budget, (select reopened from limits) as reopened,
      (select account_wanted from limits) as account_wanted,
      exists (select from schema where wallet_proof) as proof_wanted,
      (select session_id from begun) as session_id,
      not exists (select from begun) and exists (
        select from attestations
        where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now}) as due`
  return { session_id: begun!.session_id, session_url: `${ORIGIN}/verify/${begun!.session_id}` }
}

/** POST /v1/kyc/start */
async function start(key: Key, request: IncomingMessage): Promise<string> {
  const received = await readBody(request)
  const body = JSON.parse(received.toString())
  const idempotencyKey = request.headers["idempotency-key"]
  if (typeof idempotencyKey !== "string") return JSON.stringify(await begin(key, body, null))

  const { workspaceId, keyId } = key
  const fingerprint = hash("sha256", received, "buffer")
  await sql`
    select fingerprint, subject, status, body, created_at <= statement_timestamp() - ${86_400} * interval '1 second' as over from idempotency_records
    where workspace_id = ${workspaceId} and key_id = ${keyId} and idempotency_key = ${idempotencyKey}`
  const session = await begin(key, body, { keyId, idempotencyKey, fingerprint })
  const answer = JSON.stringify(session)
  const row = sql`
    select ${keyId}, ${idempotencyKey}, ${fingerprint}::bytea, null, ${200}::int, ${Buffer.from(answer)}::bytea`
  await sql`
    ${insertRecords(workspaceId, row)}
    on conflict (workspace_id, key_id, idempotency_key) do update
    set status = case when not r.erased then excluded.status end, body = case when not r.erased then excluded.body end
    where r.status is null and r.fingerprint = excluded.fingerprint and r.subject is not distinct from ${session.session_id}
    returning r.key_id`
  return answer
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on("error", reject)
  })
}

const STATUS_PATH = "/v1/kyc/status/"

async function answer(request: IncomingMessage): Promise<string> {
  const url = request.url ?? ""
  const key = await authenticate(request.headers.authorization)
  if (request.method === "POST" && url === "/v1/kyc/start") return start(key, request)
  return JSON.stringify(await status(key, url.slice(STATUS_PATH.length)))
}

createServer((request, response) => {
  answer(request).then(
    (body) =>
      response
        .writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) })
        .end(body),
    (error) => {
      console.error(error)
      response.writeHead(500).end()
    },
  )
}).listen(Number(PORT), "127.0.0.1")

for (const event of ["SIGTERM", "disconnect"]) process.on(event, () => process.exit())
