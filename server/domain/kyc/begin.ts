import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { isOverBudget, plans, takingUnit } from "#domain/accounts"
import { deployment } from "#domain/deployment"
import type { Provider } from "#domain/providers"
import { claiming, explainClaim, type IdempotencyClaim, type Principal } from "#domain/requests"
import { requiredByDefault } from "#domain/schemas"
import { ownAmong } from "#domain/token-accounts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, periodOf } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Reminder } from "./renewal/email.ts"

/** Unique indexes that refuse the second of two simultaneous starts. */
const racing = ["attestations_one_pending", "investors_external_id"]

/** How long a session stays open until its provider's first event. */
const SESSION_SECONDS = 24 * 3600

export type StartRequest = {
  principal: Principal
  requestId: string
  idempotency: IdempotencyClaim | null
  wallet: Address
  schemaId: string
  redirectUrl: string | null
  externalId: string | null
  /** Where to remind the investor before the verification expires. Stored only if the workspace sends reminders. */
  reminder?: Reminder | null
  /** The attestation and its investor, if the session starts from a renewal link in a mail. */
  renewalOf?: { attestationId: string; investorId: string } | null
}

export type Beginning = {
  request: StartRequest
  provider: Provider
  /** The wallet's account for the credential. Null until needed, because deriving it takes longer than the rest. */
  account: string | null
  /** Whether the wallet can prove ownership. Null until needed, for the same reason. */
  signs: boolean | null
}

/** The outcome of a start. */
export type StartOutcome =
  | { outcome: "begun"; sessionId: string }
  /** Another request was first. */
  | { outcome: "raced" }
  | { outcome: "unknown schema" }
  /** Vouch itself uses the address, so it is not an investor's wallet. */
  | { outcome: "own address" }
  /** The schema requires proof of the wallet, so `signs` must be given. */
  | { outcome: "needs signs" }
  /** The workspace is over its SOL budget, so no session may begin. */
  | { outcome: "over budget" }
  /** `account` must be given, to check how often it was paid for. */
  | { outcome: "needs account" }
  | { outcome: "account reopened" }
  /** Expired sessions that the sweep has not closed yet may be the reason why nothing began. */
  | { outcome: "sessions expired" }
  /** The workspace's quota; null if it has none. */
  | { outcome: "quota used"; included: number | null }

/** What the statement returns. */
type Row = {
  schema_known: boolean
  own: boolean
  included: number | null
  over_budget: boolean
  reopened: boolean
  account_wanted: boolean
  proof_wanted: boolean
  session_id: string | null
  due: boolean
}

/** The first that applies, in the order in which a start is refused. */
function outcomeOf(row: Row, signs: boolean | null): StartOutcome {
  if (!row.schema_known) return { outcome: "unknown schema" }
  if (row.own) return { outcome: "own address" }
  if (row.session_id !== null) return { outcome: "begun", sessionId: row.session_id }
  if (row.proof_wanted && signs === null) return { outcome: "needs signs" }
  if (row.over_budget) return { outcome: "over budget" }
  if (row.account_wanted) return { outcome: "needs account" }
  if (row.reopened) return { outcome: "account reopened" }
  return row.due ? { outcome: "sessions expired" } : { outcome: "quota used", included: row.included }
}

let empty: ReturnType<typeof sql> | null = null
/** An empty fragment. It is shared, because a fragment costs two microseconds. */
const none = () => {
  empty ??= sql``
  return empty
}

/**
 * Which open sessions of a wallet and schema (`a`, of investor `i`) a start may return: those of the person with the
 * given external id, or, without one, of the wallet's owner. A session that no one has begun takes the first external
 * id that a start sends. A start never returns another person's session, because it would verify them under the wrong
 * name.
 */
const isReturnable = ({ principal, wallet, externalId }: StartRequest) =>
  externalId === null
    ? sql`i.id = (select investor_id from investor_of_wallet(${principal.workspaceId}, ${wallet}))`
    : sql`(i.external_id = ${externalId}
        or (i.external_id is null and not investor_has_begun(a.workspace_id, i.id)))`

/** The sessions that a start may return, including those past their time. */
export const pendingOf = (request: StartRequest) => sql`
  from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
  where a.workspace_id = ${request.principal.workspaceId} and a.wallet = ${request.wallet}
    and a.schema_id = ${request.schemaId} and a.status = 'pending' and ${isReturnable(request)}`

/**
 * The workspace's limits, what is known of the wallet, and the session that the start may return (`open` if in time).
 */
const facts = ({ request, provider, account }: Beginning, now: Date) => sql`
  limits as (
    select case w.mode when 'test' then ${plans.free}::int else a.included end as included,
      ${isOverBudget(sql, now)} as over_budget, w.reminders,
      exists (${ownAmong(sql, request.principal.workspaceId, [request.wallet])}) as own,
      exists (select from credentials c where c.workspace_id = w.id and c.schema_id = ${request.schemaId}
        and c.wallet = ${request.wallet} and c.attestation_id is null and ${account}::text is null) as account_wanted,
      exists (select from paid_accounts p
        where p.workspace_id = w.id and p.account = ${account} and p.period = ${periodOf(now)}
          and p.reopened >= ${deployment.settings.VOUCH_ACCOUNT_REOPENINGS}) as reopened
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${request.principal.workspaceId}
  ), schema as (
    select id, coalesce(wallet_proof, ${requiredByDefault(request.principal.mode, provider)}) as wallet_proof
    from schemas where workspace_id = ${request.principal.workspaceId} and id = ${request.schemaId}
  ), pending as (
    select a.id, a.session_id, a.open_until is null or a.open_until > ${now} as open
    ${pendingOf(request)} order by i.external_id nulls last limit 1
  )`

/** Takes a unit of quota, if nothing refuses a new session. The conditional update admits what the quota allows. */
const reserved = ({ request: { principal }, signs }: Beginning, now: Date) => sql`
  reserved as (
    insert into usage_periods as u (workspace_id, period, used, started)
    select ${principal.workspaceId}, ${periodOf(now)}, 1, 1 from schema, limits
    where not exists (select from pending) and (included is null or included >= 1) and not over_budget
      and not own and not account_wanted and not reopened and (${signs}::boolean or not wallet_proof)
    ${takingUnit(sql)}
    returning period
  )`

/**
 * The investor of the new or open session. `choose_investor` (`db/functions/choose-investor.sql`) finds the person,
 * adds a new one, or merges two. It runs after the unit is taken, because the next start of the workspace waits for
 * that.
 */
const investor = ({ request: { principal, wallet, externalId } }: Beginning, now: Date) => sql`
  investor as (
    select choose_investor(${principal.workspaceId}, ${wallet}, ${externalId}, begins.open_id, ${newId("inv")}, ${now}) as id
    from (select null::text as open_id from reserved union all select id from pending where open) begins
  )`

const insertedReminder = ({
  email,
  language,
}: Reminder) => sql`, case when (select reminders from limits) then ${email}::bytea end,
    case when (select reminders from limits) then ${language}::text end`

/** The new session and its attestation, which are one row. */
function attestation({ request, provider }: Beginning, attestationId: string, now: Date) {
  const { principal, wallet, schemaId, externalId, redirectUrl, reminder = null } = request
  return sql`
    attestation as (
      insert into attestations
        (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, redirect_url, open_until, wallet_proof_required${reminder ? sql`, reminder_email, reminder_language` : none()})
      select ${principal.workspaceId}, ${attestationId}, ${schemaId}, ${wallet}, investor.id, ${externalId}, 'pending', period, ${now},
        ${newId("sess")}, ${provider.name}, ${redirectUrl}, ${addSeconds(now, SESSION_SECONDS)}, schema.wallet_proof${reminder ? insertedReminder(reminder) : none()}
      from reserved, investor, schema
      returning session_id
    )`
}

/**
 * Updates the open session with the fields that the request sends. Other fields stay, and an unchanged row is not
 * locked. The address for reminders belongs to the person who gave it, and is dropped if two investors are merged.
 */
function updating({ principal, externalId, redirectUrl, reminder }: StartRequest) {
  if (externalId === null && redirectUrl === null && !reminder) return none()
  // A start without an external id leaves the session with its investor.
  const investorId = externalId === null ? sql`a.investor_id` : sql`i.id`
  const name = sql`coalesce(${externalId}, a.external_id)`
  const isSame = sql`a.investor_id = ${investorId} and coalesce(a.external_id, ${externalId}) is not distinct from ${name}`
  const reminding = reminder ? sql`when (select reminders from limits) then ${reminder.email}::bytea` : none()
  return sql`, updated as (
    update attestations a set external_id = ${name}, redirect_url = coalesce(${redirectUrl}, a.redirect_url),
      investor_id = ${investorId}, reminder_email = case ${reminding} when ${isSame} then a.reminder_email end,
      reminder_language = case when ${isSame} then a.reminder_language end
    from pending p, investor i
    where a.workspace_id = ${principal.workspaceId} and a.id = p.id and a.status = 'pending' and p.open
      and (${reminder != null} or (a.external_id, a.redirect_url, a.investor_id)
        is distinct from (${name}, coalesce(${redirectUrl}, a.redirect_url), ${investorId})))`
}

const claimingKey = (sql: Queryable, idempotency: IdempotencyClaim | null) =>
  idempotency === null ? none() : sql`, claim as (${claiming(sql, idempotency, sql`select session_id from begun`)})`

/**
 * Begins a session in one statement, which commits entirely or not at all. It updates the open session if there is one.
 * Otherwise it takes a unit of quota and inserts the attestation with its session. It claims the idempotency key for
 * either. `bench/bare.ts` has a copy of the statement without its optional parts.
 *
 * The unique index on pending attestations and the primary key of idempotency records refuse the second of two equal
 * requests, which also returns its unit.
 */
export async function begin(
  sql: Queryable,
  beginning: Beginning,
  attestationId: string = newId("att"),
): Promise<StartOutcome> {
  const { request, signs } = beginning
  const { workspaceId } = request.principal
  const now = clock.now()
  try {
    const [row] = await sql<Row[]>`
      with ${facts(beginning, now)}, ${reserved(beginning, now)}, ${investor(beginning, now)},
      ${attestation(beginning, attestationId, now)}, begun as (
        select session_id from attestation union all select session_id from pending where open
      )${updating(request)}${claimingKey(sql, request.idempotency)}
      select exists (select from schema) as schema_known, (select own from limits) as own,
        (select included from limits) as included,
        (select over_budget from limits) as over_budget, (select reopened from limits) as reopened,
        (select account_wanted from limits) as account_wanted,
        exists (select from schema where wallet_proof) as proof_wanted,
        (select session_id from begun) as session_id,
        not exists (select from begun) and exists (
          select from attestations
          where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now}) as due`
    return outcomeOf(row!, signs)
  } catch (error) {
    if (racing.some((index) => isUniqueViolation(error, index))) return { outcome: "raced" }
    throw explainClaim(error)
  }
}
