import { connectDatabase, disconnectDatabase, sql } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { createKey } from "#server/domain/accounts/keys/create.ts"
import { type Deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { builtInSchemas } from "#server/domain/schemas/built-in.ts"
import { firstConfig } from "#server/domain/tokens/config.ts"
import { localKeys } from "#server/solana/keys.ts"
import { allScopes } from "#shared/scopes.ts"
import { newWallet, randomText } from "./wallets.ts"

/**
 * One customer's live workspace: its key, the wallet of each attestation, some wallets that may hold tokens, and some
 * open sessions.
 */
export type Customer = { apiKey: string; wallets: string[]; investors: string[]; sessions: string[] }

const CUSTOMERS = 8
const BATCH = 5000
const INVESTORS = 400
const SESSIONS = 100
/** Of 100 attestations, this many renew an earlier one: their wallet has two. */
const RENEWALS = 15

/** Accounts created by this process issue with keys of this VOUCH_SIGNER. */
export function issueWith(signer: string): void {
  setDeployment({
    keys: localKeys(Buffer.from(signer, "base64")),
    authorities: { live: null, test: null },
  } as Deployment)
}

/**
 * Fills a new database with several customers without a limit, and with `count` attestations of a year. Returns the
 * data for a load generator.
 */
export async function seed(url: string, count: number): Promise<Customer[]> {
  await migrate(url)
  connectDatabase(url, { max: 4 })
  try {
    const customers: Customer[] = []
    for (let n = 0; n < CUSTOMERS; n++) {
      const { workspaces } = await createAccount({ name: `Customer ${n}`, plan: "enterprise" })
      const workspaceId = workspaces.live
      const { apiKey } = await createKey({ workspaceId, mode: "live", name: "bench", scopes: allScopes })
      const wallets: string[] = []
      const share = Math.round(((n + 1) * count) / CUSTOMERS) - Math.round((n * count) / CUSTOMERS)
      while (wallets.length < share) {
        const batch = walletsFor(Math.min(BATCH, share - wallets.length))
        await insertAttestations(
          workspaceId,
          batch,
          batch.map(() => 20 + Math.random() * 300),
        )
        wallets.push(...batch)
      }
      // Their credentials were issued by the workspace's key.
      await sql`
        update schemas s set authority = w.authority from workspaces w
        where w.id = ${workspaceId} and s.workspace_id = w.id`
      const [investors, sessions] = await Promise.all([investorsOf(workspaceId), openSessionsOf(workspaceId)])
      customers.push({ apiKey, wallets, investors, sessions })
    }
    await sql`vacuum analyze attestations`
    return customers
  } finally {
    await disconnectDatabase()
  }
}

/** Wallets that are verified for the first mint configuration's schema. */
async function investorsOf(workspaceId: string): Promise<string[]> {
  const rows = await sql<{ wallet: string }[]>`
    select distinct a.wallet from attestations a join mint_configs c
      on c.workspace_id = a.workspace_id and c.id = ${firstConfig.id} and c.required_schema = a.schema_id
    where a.workspace_id = ${workspaceId} and a.status = 'verified' limit ${INVESTORS}`
  return rows.map((row) => row.wallet)
}

/** Sessions whose page an investor can open. */
async function openSessionsOf(workspaceId: string): Promise<string[]> {
  const rows = await sql<{ session_id: string }[]>`
    select session_id from attestations
    where workspace_id = ${workspaceId} and status = 'pending' and open_until > now() limit ${SESSIONS}`
  return rows.map((row) => row.session_id)
}

export function walletsFor(count: number): string[] {
  const wallets: string[] = []
  for (let n = 0; n < count; n++) {
    const earlier = n % 100 < RENEWALS ? wallets[n - 50] : undefined
    wallets.push(earlier ?? newWallet())
  }
  return wallets
}

/**
 * 70 % verified, 12 % pending (a third of them approved and on their way to the chain), 10 % rejected, 8 % expired.
 * Nothing expires during a run, so that the server's sweeps always find the same. `ages_days` is how long ago each was
 * started.
 */
export async function insertAttestations(workspaceId: string, wallets: string[], ages_days: number[]): Promise<void> {
  const ids = wallets.map(() => randomText(22))
  const schemas = builtInSchemas.map((schema) => schema.id)
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    select ${workspaceId}, 'inv_' || id, 'investor-' || id, now() from unnest(${ids}::text[]) id`
  await sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, open_until,
       issued_at, expires_at, salt, commitment, onchain_tx, verified_at, ended_at, reason)
    select ${workspaceId}, 'att_' || id, (${schemas}::text[])[1 + n % 3], wallet, 'inv_' || id, 'investor-' || id, status,
      to_char(created_at, 'YYYY-MM-01'), created_at, 'sess_' || id, 'sandbox',
      case when status = 'pending' and n % 3 > 0 then now() + interval '20 hours' end,
      case when approved then created_at end,
      case when approved then created_at + interval '365 days' - case when status = 'expired' then interval '350 days' else interval '0' end end,
      case when approved then md5(id) end,
      case when approved then md5(id) || md5(wallet) end,
      case when put_on_chain then id || id || id || id end,
      case when put_on_chain then created_at + interval '2 seconds' end,
      case when status in ('rejected', 'expired') then created_at + interval '15 days' end,
      case when status = 'rejected' then 'The document could not be read.' end
    from (
      select *, status in ('verified', 'expired') as put_on_chain,
        status in ('verified', 'expired') or (status = 'pending' and n % 3 = 0) as approved
      from (
        select n, id, wallet,
          case when n % 100 < 70 then 'verified' when n % 100 < 82 then 'pending'
            when n % 100 < 92 then 'rejected' else 'expired' end as status,
          now() - age_days * interval '1 day' as created_at
        from unnest(${ids}::text[], ${wallets}::text[], ${ages_days}::float8[]) with ordinality as t(id, wallet, age_days, n)
      ) made
    ) drafts`
}
