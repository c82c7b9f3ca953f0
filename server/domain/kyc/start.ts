import type { Fragment } from "postgres"
import { isUniqueViolation, type Queryable, repeatOnDeadlock, short, sql } from "#db/client.ts"
import { certainNow } from "#db/clock.ts"
import { publishActivity } from "#db/pubsub.ts"
import { isOverBudget, overBudget } from "#server/domain/accounts/budget.ts"
import { periodEnd, secondsLeftIn } from "#server/domain/accounts/period.ts"
import { plans } from "#server/domain/accounts/plans.ts"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { expireSessions } from "#server/domain/attestations/expire.ts"
import { recordChange, vouch } from "#server/domain/audit-log/record.ts"
import type { IdempotencyClaim, Principal } from "#server/domain/context.ts"
import { chainOf, deployment, providerFor } from "#server/domain/deployment.ts"
import { claiming, explainClaim } from "#server/domain/idempotency.ts"
import { refuseListed } from "#server/domain/screening/hits.ts"
import { reopenedTooOften } from "#server/domain/tokens/reopenings.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, periodOf, sleep } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { isOnCurve } from "#server/solana/strict-ed25519.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { Provider } from "./providers/provider.ts"
import type { Reminder } from "./renewal/email.ts"
import { sessionUrl } from "./session-record.ts"
import { requiredByDefault } from "./wallet-proof/required.ts"

/** How long a session stays open until its provider's first event. */
const SESSION_SECONDS = 24 * 3600

/** How long a start waits for locked sessions that have expired. */
const SWEEP_MS = 5000

export type Session = { session_id: string; session_url: string }

export type StartRequest = {
  principal: Principal
  requestId: string
  idempotency: IdempotencyClaim | null
  wallet: Address
  schemaId: string
  redirectUrl: string | null
  externalId: string | null
  /** Where the investor is reminded before it expires; kept only while the workspace reminds. */
  reminder?: Reminder | null
  /** The attestation whose renewal the investor has begun by a link that was mailed. */
  renewalOf?: string | null
}

type Beginning = {
  request: StartRequest
  provider: Provider
  /** The wallet's account for the credential; null until it is wanted, because deriving it takes longer than the rest. */
  account: string | null
  /** Whether the wallet has a key that can sign; null until it is wanted, for the same reason. */
  signs: boolean | null
}

/**
 * Starts a verification, or gives back the open session of the same wallet and schema, with the external id
 * and the address to return to that are sent now: no second session, no second unit of quota. Errors:
 * unknown_schema, wallet_sanctioned, wallet_cannot_sign, quota_exceeded, sol_budget_exceeded, account_reopening_limit,
 * provider_not_configured, chain_not_configured.
 */
export async function startSession(request: StartRequest): Promise<Session> {
  const { principal, idempotency } = request
  const provider = providerFor(principal.mode, request.schemaId)
  chainOf(principal.mode)
  if (idempotency?.begun) return session(idempotency.begun)
  await refuseListed(principal.workspaceId, request.wallet)
  const giveUpAt = performance.now() + SWEEP_MS
  let account: string | null = null
  let signs: boolean | null = null
  for (;;) {
    const beginning: Beginning = { request, provider, account, signs }
    const isByHand = principal.via.kind === "user" || request.renewalOf
    const begun = await repeatOnDeadlock(() => (isByHand ? beginByHand(beginning) : begin(short, beginning)))
    if (begun === "raced") continue
    if (!begun.schema_known) {
      fail(
        "unknown_schema",
        `schemaId: ${request.schemaId} is not a schema of this workspace. List them with GET /schemas.`,
      )
    }
    if (begun.session_id !== null) {
      if (idempotency) idempotency.begun = begun.session_id
      publishActivity(principal.workspaceId)
      return session(begun.session_id)
    }
    if (begun.proof_wanted && signs === null) {
      signs = isOnCurve(publicKeyOf(request.wallet).toBytes())
      if (!signs) cannotSign(request)
      continue
    }
    if (begun.over_budget) {
      const { code, detail } = overBudget(clock.now())
      fail(code, detail)
    }
    if (begun.account_wanted) {
      account = credentialAccounts(principal.workspaceId, request.schemaId, request.wallet).account
      continue
    }
    if (begun.reopened) fail("account_reopening_limit", reopenedTooOften(request.wallet, request.schemaId))
    if (begun.due && performance.now() < giveUpAt) await sweepNow(principal.workspaceId)
    else if (begun.due)
      fail("database_unavailable", "Expired sessions are being closed. Retry in a moment.", {
        retryAfterSeconds: 1,
      })
    // The last unit may have gone, after the statement's snapshot, to another start of this very wallet.
    else if (!(await isPending(request))) quotaExceeded(begun.included)
  }
}

const session = (id: string): Session => ({ session_id: id, session_url: sessionUrl(id) })

const cannotSign = ({ wallet, schemaId }: StartRequest): never =>
  fail(
    "wallet_cannot_sign",
    `userPubkey: ${wallet} is the address of a program, such as a smart wallet: it has no key that could sign, and ${schemaId} asks for proof of the wallet. Use a wallet with a key of its own.`,
  )

function quotaExceeded(included: number | null): never {
  const now = clock.now()
  return fail(
    "quota_exceeded",
    `All ${included} attestations of this month are used. The next period begins at ${periodEnd(now)}.`,
    { retryAfterSeconds: secondsLeftIn(now) },
  )
}

/** Expired sessions count until they are swept; a request that needs quota sweeps them at once. */
async function sweepNow(workspaceId: string): Promise<void> {
  const now = await certainNow()
  if (now === null) {
    fail(
      "database_unavailable",
      "Expired sessions cannot be closed while the server's clocks differ. Retry in a moment.",
      { retryAfterSeconds: 1 },
    )
  }
  const ended = await expireSessions({ workspaceId, now })
  // Another request is sweeping, and about to commit.
  if (ended === 0) await sleep(10)
}

async function isPending({ principal, wallet, schemaId }: StartRequest): Promise<boolean> {
  const rows = await sql`
    select id from attestations
    where workspace_id = ${principal.workspaceId} and wallet = ${wallet} and schema_id = ${schemaId} and status = 'pending'`
  return rows.length > 0
}

/** Like `begin`, for a member or by a link: the audit log records who started the session, in the same commit. */
async function beginByHand(beginning: Beginning): Promise<Begun | "raced"> {
  const { principal, requestId, schemaId, renewalOf } = beginning.request
  const { workspaceId } = principal
  const id = newId("att")
  try {
    return await sql.begin(async (sql) => {
      const begun = await begin(sql, beginning, id)
      // The refused insert has aborted this transaction: it cannot continue.
      if (begun === "raced") throw new Raced()
      const [started] =
        await sql`select id from attestations where workspace_id = ${workspaceId} and id = ${id}`
      if (started) {
        await recordChange(sql, workspaceId, {
          author: renewalOf ? { ...vouch, requestId } : { principal, requestId },
          action: "session.started",
          subject: id,
          detail: { schema: schemaId, ...(renewalOf && { renewal_of: renewalOf }) },
        })
      }
      return begun
    })
  } catch (error) {
    if (error instanceof Raced) return "raced"
    throw error
  }
}

class Raced extends Error {}

/** Where the second of two that begin at once finds the first. */
const racing = ["attestations_one_pending", "investors_external_id"]

type Begun = {
  schema_known: boolean
  included: number | null
  /** Why none may begin. */
  over_budget: boolean
  reopened: boolean
  /** None may begin before it is known how often the wallet's account was paid for. */
  account_wanted: boolean
  /** None may begin before it is known that the wallet can sign. */
  proof_wanted: boolean
  session_id: string | null
  /** Nothing could begin, and there are sessions that closed by time and stand in the way. */
  due: boolean
}

/**
 * The open session takes what is sent anew; what is not sent stays, and a row that would stay as it is is not locked. A
 * session that turns out to be another person's begins anew at its vendor, which was told of the first one: what it finds out
 * about that one must not count any more.
 */
function updating({ principal, externalId, redirectUrl, reminder }: StartRequest) {
  if (externalId === null && redirectUrl === null && !reminder) return sql``
  const reminding = reminder
    ? sql`, reminder_email = case when (select reminders from limits) then ${reminder.email}::bytea else a.reminder_email end`
    : sql``
  const forgotten = (column: Fragment) => sql`case when not m.anew then a.${column} end`
  return sql`, moved as (
    select not p.approved and is_another_person(${principal.workspaceId}, p.investor_id, i.id) as anew
    from pending p, investor i where p.open
  ), updated as (
    update attestations a set external_id = coalesce(${externalId}, a.external_id), redirect_url = coalesce(${redirectUrl}, a.redirect_url),
      investor_id = i.id,
      earlier_references = case when m.anew and a.provider_reference is not null
        then array_append(a.earlier_references, a.provider_reference) else a.earlier_references end,
      provider_reference = ${forgotten(sql`provider_reference`)}, provider_link = ${forgotten(sql`provider_link`)},
      provider_link_until = ${forgotten(sql`provider_link_until`)}, provider_call_until = ${forgotten(sql`provider_call_until`)},
      ask_at = ${forgotten(sql`ask_at`)}, held_at = ${forgotten(sql`held_at`)}, claims = ${forgotten(sql`claims`)},
      event_decision = case when not m.anew or a.event_decision = 'in_review' then a.event_decision end${reminding}
    from pending p, investor i, moved m
    where a.workspace_id = ${principal.workspaceId} and a.id = p.id and a.status = 'pending' and p.open
      and (${reminder != null} or (a.external_id, a.redirect_url, a.investor_id)
        is distinct from (coalesce(${externalId}, a.external_id), coalesce(${redirectUrl}, a.redirect_url), i.id)))`
}

/** Whose session it is, for the new one or for the open one (`db/migrations/0024_investor_notes.sql`). */
const choosingInvestor = ({ principal, wallet, externalId }: StartRequest, now: Date) => sql`
  investor as (
    select choose_investor(${principal.workspaceId}, ${wallet}, ${externalId}, begins.open_id, ${newId("inv")}, ${now}) as id
    from (select null::text as open_id from reserved union all select id from pending where open) begins
  )`

const rememberedIn = (sql: Queryable, reminder: Reminder | null) =>
  reminder === null
    ? sql``
    : sql`, case when (select reminders from limits) then ${reminder.email}::bytea end,
        case when (select reminders from limits) then ${reminder.language}::text end`

const claimingKey = (sql: Queryable, idempotency: IdempotencyClaim | null) =>
  idempotency === null
    ? sql``
    : sql`, claim as (${claiming(sql, idempotency, sql`select session_id from begun`)})`

/**
 * One statement, so that it commits whole or not at all: it finds the open session and brings it up to date,
 * or else takes a unit of quota, makes the attestation with its session, and claims the idempotency key for
 * what it found or made.
 *
 * The races that it closes: the quota's conditional update admits exactly as many as there is room for; the
 * unique index on pending attestations, and the primary key of idempotency records, refuse the second of two
 * equal requests, and the refusal undoes the unit that it took. The investor is chosen once the unit is taken, which
 * the next start of the workspace waits for.
 */
async function begin(
  sql: Queryable,
  { request, provider, account, signs }: Beginning,
  attestationId: string = newId("att"),
): Promise<Begun | "raced"> {
  const { principal, idempotency, wallet, schemaId, redirectUrl, externalId, reminder = null } = request
  const { workspaceId } = principal
  const now = clock.now()
  try {
    const [begun] = await sql<Begun[]>`
      with limits as (
        select case w.mode when 'test' then ${plans.free}::int else a.included end as included,
          ${isOverBudget(sql, now)} as over_budget, w.reminders,
          exists (select from credentials c where c.workspace_id = w.id and c.schema_id = ${schemaId}
            and c.wallet = ${wallet} and c.attestation_id is null and ${account}::text is null) as account_wanted,
          exists (select from paid_accounts p
            where p.workspace_id = w.id and p.account = ${account} and p.period = ${periodOf(now)}
              and p.reopened >= ${deployment.settings.VOUCH_ACCOUNT_REOPENINGS}) as reopened
        from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}
      ), schema as (
        select id, coalesce(wallet_proof, ${requiredByDefault(principal.mode, provider)}) as wallet_proof
        from schemas where workspace_id = ${workspaceId} and id = ${schemaId}
      ), pending as (
        select id, session_id, investor_id, issued_at is not null as approved, open_until is null or open_until > ${now} as open
        from attestations
        where workspace_id = ${workspaceId} and wallet = ${wallet} and schema_id = ${schemaId} and status = 'pending'
      ), reserved as (
        insert into usage_periods as u (workspace_id, period, used)
        select ${workspaceId}, ${periodOf(now)}, 1 from schema, limits
        where not exists (select from pending) and (included is null or included >= 1) and not over_budget
          and not account_wanted and not reopened and (${signs}::boolean or not wallet_proof)
        on conflict (workspace_id, period) do update set used = u.used + 1
        where (select included is null or u.used + 1 <= included from limits)
        returning period
      ), ${choosingInvestor(request, now)}, attestation as (
        insert into attestations
          (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, redirect_url, open_until, wallet_proof_required${reminder ? sql`, reminder_email, reminder_language` : sql``})
        select ${workspaceId}, ${attestationId}, ${schemaId}, ${wallet}, investor.id, ${externalId}, 'pending', period, ${now},
          ${newId("sess")}, ${provider.name}, ${redirectUrl}, ${addSeconds(now, SESSION_SECONDS)}, schema.wallet_proof${rememberedIn(sql, reminder)}
        from reserved, investor, schema
        returning session_id
      ), begun as (
        select session_id from attestation union all select session_id from pending where open
      )${updating(request)}${claimingKey(sql, idempotency)}
      select exists (select from schema) as schema_known, (select included from limits) as included,
        (select over_budget from limits) as over_budget, (select reopened from limits) as reopened,
        (select account_wanted from limits) as account_wanted,
        exists (select from schema where wallet_proof) as proof_wanted,
        (select session_id from begun) as session_id,
        not exists (select from begun) and exists (
          select from attestations
          where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now}) as due`
    return begun!
  } catch (error) {
    if (racing.some((index) => isUniqueViolation(error, index))) return "raced"
    throw explainClaim(error)
  }
}
