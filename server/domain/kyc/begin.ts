import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { prepared, type Value } from "#db/prepared.ts"
import { isOverBudget, plans, takingUnit } from "#domain/accounts"
import { deployment } from "#domain/deployment"
import type { Provider } from "#domain/providers"
import { claiming, explainClaim, type IdempotencyClaim, type Principal } from "#domain/requests"
import { requiredByDefault } from "#domain/schemas"
import { ownAmong } from "#domain/token-accounts"
import { barsOf } from "#domain/tokens"
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
  /** The wallet was reported as lost. */
  | { outcome: "barred" }
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
  barred: boolean
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
  if (row.barred) return { outcome: "barred" }
  if (row.session_id !== null) return { outcome: "begun", sessionId: row.session_id }
  if (row.proof_wanted && signs === null) return { outcome: "needs signs" }
  if (row.over_budget) return { outcome: "over budget" }
  if (row.account_wanted) return { outcome: "needs account" }
  if (row.reopened) return { outcome: "account reopened" }
  return row.due ? { outcome: "sessions expired" } : { outcome: "quota used", included: row.included }
}

/** What one execution of the statement reads. */
type Input = Beginning & { now: Date; attestationId: string }

const valuesOf = (value: Value<Input>) => ({
  workspaceId: value(({ request }) => request.principal.workspaceId),
  wallet: value(({ request }) => request.wallet),
  schemaId: value(({ request }) => request.schemaId),
  externalId: value(({ request }) => request.externalId),
  redirectUrl: value(({ request }) => request.redirectUrl),
  email: value(({ request }) => request.reminder?.email ?? null),
  language: value(({ request }) => request.reminder?.language ?? null),
  now: value(({ now }) => now),
  period: value(({ now }) => periodOf(now)),
  account: value(({ account }) => account),
  signs: value(({ signs }) => signs),
})
type Values = ReturnType<typeof valuesOf>

/** The optional parts of the statement. */
type Parts = {
  /** Whether the request names a person. */
  isNamed: boolean
  /** Whether it says where to remind the investor. */
  reminds: boolean
  /** Whether it has something to update in an open session. */
  updates: boolean
  claimsKey: boolean
}

const partsOf = ({ externalId, redirectUrl, reminder, idempotency }: StartRequest): Parts => ({
  isNamed: externalId !== null,
  reminds: reminder != null,
  updates: externalId !== null || redirectUrl !== null || reminder != null,
  claimsKey: idempotency !== null,
})

/**
 * Which open sessions of a wallet and schema (`a`, of investor `i`) a start may return: those of the person with the
 * given external id, or, without one, of the wallet's owner. A session that no one has begun takes the first external
 * id that a start sends. A start never returns another person's session, because it would verify them under the wrong
 * name.
 */
const isReturnable = ({ workspaceId, wallet, externalId }: Wanted, { isNamed }: Pick<Parts, "isNamed">) =>
  isNamed
    ? sql`(i.external_id = ${externalId}
        or (i.external_id is null and not investor_has_begun(a.workspace_id, i.id)))`
    : sql`i.id = (select investor_id from investor_of_wallet(${workspaceId}, ${wallet}))`

type Wanted = Pick<Values, "workspaceId" | "wallet" | "schemaId" | "externalId">

/** The sessions that a start may return, including those past their time. */
const pendingOf = (wanted: Wanted, parts: Pick<Parts, "isNamed">) => sql`
  from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
  where a.workspace_id = ${wanted.workspaceId} and a.wallet = ${wanted.wallet}
    and a.schema_id = ${wanted.schemaId} and a.status = 'pending' and ${isReturnable(wanted, parts)}`

/** Whether there is a session that a start may return, including one past its time. */
export async function isPending(request: StartRequest): Promise<boolean> {
  const wanted = { ...request, workspaceId: request.principal.workspaceId }
  const rows = await sql`select ${pendingOf(wanted, partsOf(request))} limit 1`
  return rows.length > 0
}

/**
 * The workspace's limits, what is known of the wallet, and the session that the start may return (`open` if in time).
 */
const facts = (values: Values, value: Value<Input>, parts: Parts) => sql`
  limits as (
    select case w.mode when 'test' then ${plans.free}::int else a.included end as included,
      ${isOverBudget(sql, values.period)} as over_budget, w.reminders,
      exists (${ownAmong(
        sql,
        values.workspaceId,
        value(({ request }) => [request.wallet]),
      )}) as own,
      exists (select from credentials c where c.workspace_id = w.id and c.schema_id = ${values.schemaId}
        and c.wallet = ${values.wallet} and c.attestation_id is null and ${values.account}::text is null) as account_wanted,
      exists (select from paid_accounts p
        where p.workspace_id = w.id and p.account = ${values.account} and p.period = ${values.period}
          and p.reopened >= ${value(() => deployment.settings.VOUCH_ACCOUNT_REOPENINGS)}) as reopened,
      exists (${barsOf(sql, values.workspaceId, values.wallet)}) as barred
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${values.workspaceId}
  ), schema as (
    select id, coalesce(wallet_proof,
      ${value(({ request, provider }) => requiredByDefault(request.principal.mode, provider))}) as wallet_proof
    from schemas where workspace_id = ${values.workspaceId} and id = ${values.schemaId}
  ), pending as (
    select a.id, a.session_id, a.open_until is null or a.open_until > ${values.now} as open
    ${pendingOf(values, parts)} and not (select barred from limits) order by i.external_id nulls last limit 1
  )`

/** Takes a unit of quota, if nothing refuses a new session. The conditional update admits what the quota allows. */
const reserved = ({ workspaceId, period, signs }: Values) => sql`
  reserved as (
    insert into usage_periods as u (workspace_id, period, used, started)
    select ${workspaceId}, ${period}, 1, 1 from schema, limits
    where not exists (select from pending) and (included is null or included >= 1) and not over_budget
      and not own and not barred and not account_wanted and not reopened and (${signs}::boolean or not wallet_proof)
    ${takingUnit(sql)}
    returning period
  )`

/**
 * The investor of the new or open session. `choose_investor` (`db/functions/choose-investor.sql`) finds the person,
 * adds a new one, or merges two. It runs after the unit is taken, because the next start of the workspace waits for
 * that.
 */
const investor = ({ workspaceId, wallet, externalId, now }: Values, value: Value<Input>) => sql`
  investor as (
    select choose_investor(${workspaceId}, ${wallet}, ${externalId}, begins.open_id, ${value(() => newId("inv"))}, ${now}) as id
    from (select null::text as open_id from reserved union all select id from pending where open) begins
  )`

/** The new session and its attestation, which are one row. */
const attestation = (values: Values, value: Value<Input>, { reminds }: Parts) => sql`
  attestation as (
    insert into attestations
      (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider, redirect_url, open_until, wallet_proof_required${reminds ? sql`, reminder_email, reminder_language` : sql``})
    select ${values.workspaceId}, ${value(({ attestationId }) => attestationId)}, ${values.schemaId}, ${values.wallet}, investor.id, ${values.externalId}, 'pending', period, ${values.now},
      ${value(() => newId("sess"))}, ${value(({ provider }) => provider.name)}, ${values.redirectUrl},
      ${value(({ now }) => addSeconds(now, SESSION_SECONDS))}, schema.wallet_proof${
        reminds
          ? sql`, case when (select reminders from limits) then ${values.email}::bytea end,
              case when (select reminders from limits) then ${values.language}::text end`
          : sql``
      }
    from reserved, investor, schema
    returning session_id
  )`

/**
 * Updates the open session with the fields that the request sends. Other fields stay, and an unchanged row is not
 * locked. The address for reminders belongs to the person who gave it, and is dropped if two investors are merged.
 */
function updating({ workspaceId, externalId, redirectUrl, email }: Values, { isNamed, reminds, updates }: Parts) {
  if (!updates) return sql``
  // A start without an external id leaves the session with its investor.
  const investorId = isNamed ? sql`i.id` : sql`a.investor_id`
  const name = sql`coalesce(${externalId}, a.external_id)`
  const isSame = sql`a.investor_id = ${investorId} and coalesce(a.external_id, ${externalId}) is not distinct from ${name}`
  const reminding = reminds ? sql`when (select reminders from limits) then ${email}::bytea` : sql``
  const differs = reminds
    ? sql`true`
    : sql`(a.external_id, a.redirect_url, a.investor_id)
        is distinct from (${name}, coalesce(${redirectUrl}, a.redirect_url), ${investorId})`
  return sql`, updated as (
    update attestations a set external_id = ${name}, redirect_url = coalesce(${redirectUrl}, a.redirect_url),
      investor_id = ${investorId}, reminder_email = case ${reminding} when ${isSame} then a.reminder_email end,
      reminder_language = case when ${isSame} then a.reminder_language end
    from pending p, investor i
    where a.workspace_id = ${workspaceId} and a.id = p.id and a.status = 'pending' and p.open and ${differs})`
}

function claimingKey(value: Value<Input>, { claimsKey }: Parts) {
  if (!claimsKey) return sql``
  const claim = {
    workspaceId: value(({ request }) => request.idempotency!.workspaceId),
    keyId: value(({ request }) => request.idempotency!.keyId),
    idempotencyKey: value(({ request }) => request.idempotency!.idempotencyKey),
    fingerprint: value(({ request }) => request.idempotency!.fingerprint),
  }
  return sql`, claim as (${claiming(sql, claim, sql`select session_id from begun`)})`
}

const beginning = prepared<Input, Row, Parts>(
  (value, parts) => {
    const values = valuesOf(value)
    return sql`
    with ${facts(values, value, parts)}, ${reserved(values)}, ${investor(values, value)},
    ${attestation(values, value, parts)}, begun as (
      select session_id from attestation union all select session_id from pending where open
    )${updating(values, parts)}${claimingKey(value, parts)}
    select exists (select from schema) as schema_known, (select own from limits) as own,
      (select barred from limits) as barred, (select included from limits) as included,
      (select over_budget from limits) as over_budget, (select reopened from limits) as reopened,
      (select account_wanted from limits) as account_wanted,
      exists (select from schema where wallet_proof) as proof_wanted,
      (select session_id from begun) as session_id,
      not exists (select from begun) and exists (
        select from attestations
        where workspace_id = ${values.workspaceId} and status = 'pending' and open_until <= ${values.now}) as due`
  },
  ({ request }) => partsOf(request),
)

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
  input: Beginning,
  attestationId: string = newId("att"),
): Promise<StartOutcome> {
  try {
    const [row] = await beginning(sql, { ...input, attestationId, now: clock.now() })
    return outcomeOf(row!, input.signs)
  } catch (error) {
    if (racing.some((index) => isUniqueViolation(error, index))) return { outcome: "raced" }
    throw explainClaim(error)
  }
}
