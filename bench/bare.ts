/**
 * The baseline: only node:http, postgres.js, the key check and the statements. It validates nothing, answers 500 to any
 * error, and has no request ids. The statements are exact copies of the server's; fairness.ts checks that they match.
 */
import { hash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import postgres from "postgres"
import { hashApiKey, isWellFormedApiKey } from "#server/domain/accounts/keys/secret.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"

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

/** A statement with numbered parameters, prepared once per connection. */
const prepared = (text: string, values: postgres.ParameterOrJSON<bigint>[]) =>
  sql.unsafe(text, values, { prepare: true })

const INSERT_RECORDS = (workspaceId: string, rows: string) => `
  insert into idempotency_records as r
    (workspace_id, key_id, idempotency_key, fingerprint, subject, status, body, created_at)
  select ${workspaceId}, t.*, clock_timestamp() from (${rows}) as t`

const CLAIM = `, claim as (${INSERT_RECORDS(
  "$18",
  `select $19, $20, $21::bytea, s.*, null::int, null::bytea from (select session_id from begun) as s`,
)})`

const BEGIN = (claim: string) => `
    with limits as (
      select case w.mode when 'test' then 500::int else a.included end as included,
        case when w.budget is null then false else w.budget <= coalesce((select c.fee + c.rent from chain_costs c
            where c.workspace_id = w.id and c.period = $1), 0) + 2200000::bigint * (
          (select count(*) from attestations p where p.workspace_id = w.id and p.status = 'pending') +
          (select count(*) from operations o
            where o.workspace_id = w.id and o.status in ('queued', 'submitted')
              and (o.kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release') or o.kind in ('pay', 'anchor', 'anchor_audit_log')))) +
          (select coalesce(sum(t.fee + t.rent), 0) from transactions t
            where t.workspace_id = w.id and t.status in ('confirmed', 'failed') and t.fee is not null and t.counted_at is null)
        end as over_budget, w.reminders,
        exists (select address from (
          select address from derived_keys
          union all select credential_mint from schemas where workspace_id = $2
          union all select mint from mint_configs where workspace_id = $2
          union all select address from workspace_authorities
          union all select address from workspace_fee_payers
          union all select address from fee_payers
          union all select account from paid_accounts where workspace_id = $2
        ) own where address = any($3::text[])) as own,
        exists (select from credentials c where c.workspace_id = w.id and c.schema_id = $4
          and c.wallet = $5 and c.attestation_id is null and $6::text is null) as account_wanted,
        exists (select from paid_accounts p
          where p.workspace_id = w.id and p.account = $6 and p.period = $1
            and p.reopened >= $7) as reopened,
        exists (
          select from recoveries r where r.workspace_id = $2 and r.lost_wallet = $5 and r.barred_at is not null) as barred
      from workspaces w join accounts a on a.id = w.account_id where w.id = $2
    ), schema as (
      select id, coalesce(wallet_proof, $8) as wallet_proof
      from schemas where workspace_id = $2 and id = $4
    ), pending as (
      select a.id, a.session_id, a.open_until is null or a.open_until > $9 as open
      from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
      where a.workspace_id = $2 and a.wallet = $5
        and a.schema_id = $4 and a.status = 'pending'
        and i.id = (select investor_id from investor_of_wallet($2, $5)) and not (select barred from limits)
      order by i.external_id nulls last limit 1
    ), reserved as (
      insert into usage_periods as u (workspace_id, period, used, started)
      select $2, $1, 1, 1 from schema, limits
      where not exists (select from pending) and (included is null or included >= 1) and not over_budget
        and not own and not barred and not account_wanted and not reopened and ($10::boolean or not wallet_proof)
      on conflict (workspace_id, period) do update set used = u.used + 1, started = u.started + 1
      where (select included is null or (u.used + 1 <= included
        and u.started < included * 10::bigint) from limits)
      returning period
    ), investor as (
      select choose_investor($2, $5, $11, begins.open_id, $12, $9) as id
      from (select null::text as open_id from reserved union all select id from pending where open) begins
    ), attestation as (
      insert into attestations
        (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, redirect_url, open_until, wallet_proof_required)
      select $2, $13, $4, $5, investor.id, $11, 'pending', period, $9,
        $14, $15, $16, $17, schema.wallet_proof
      from reserved, investor, schema
      returning session_id
    ), begun as (
      select session_id from attestation union all select session_id from pending where open
    )${claim}
    select exists (select from schema) as schema_known, (select own from limits) as own,
      (select barred from limits) as barred, (select included from limits) as included, (select over_budget from limits) as over_budget, (select reopened from limits) as reopened,
      (select account_wanted from limits) as account_wanted,
      exists (select from schema where wallet_proof) as proof_wanted,
      (select session_id from begun) as session_id,
      not exists (select from begun) and exists (
        select from attestations
        where workspace_id = $2 and status = 'pending' and open_until <= $9) as due`

const [BEGIN_WITHOUT_KEY, BEGIN_WITH_KEY] = [BEGIN(""), BEGIN(CLAIM)]

const FIND_RECORD = `
    select fingerprint, subject, status, body, created_at <= statement_timestamp() - 86400 * interval '1 second' as over from idempotency_records
    where workspace_id = $1 and key_id = $2 and idempotency_key = $3`

const STORE_ANSWER = `
    ${INSERT_RECORDS("$1", "select $2, $3, $4::bytea, null, $5::int, $6::bytea")}
    on conflict (workspace_id, key_id, idempotency_key) do update
    set status = case when not r.erased then excluded.status end, body = case when not r.erased then excluded.body end
    where r.status is null and r.fingerprint = excluded.fingerprint and r.subject is not distinct from $7
    returning r.key_id`

async function begin({ workspaceId }: Key, body: { userPubkey: string; schemaId: string }, claim: Claim | null) {
  const { userPubkey: wallet, schemaId } = body
  const now = new Date()
  const period = `${now.toISOString().slice(0, 7)}-01`
  const tomorrow = new Date(now.getTime() + 24 * 3600 * 1000)
  const ids = [newId("inv"), newId("att"), newId("sess")] as const
  const known = [period, workspaceId, [wallet], schemaId, wallet, null, 3, false, now, null, null]
  const values = [...known, ...ids, "sandbox", null, tomorrow]
  const claimed = claim ? [workspaceId, claim.keyId, claim.idempotencyKey, claim.fingerprint] : []
  const [begun] = await prepared(claim ? BEGIN_WITH_KEY : BEGIN_WITHOUT_KEY, [...values, ...claimed])
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
  await prepared(FIND_RECORD, [workspaceId, keyId, idempotencyKey])
  const session = await begin(key, body, { keyId, idempotencyKey, fingerprint })
  const answer = JSON.stringify(session)
  const stored = [workspaceId, keyId, idempotencyKey, fingerprint, 200, Buffer.from(answer), session.session_id]
  await prepared(STORE_ANSWER, stored)
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
