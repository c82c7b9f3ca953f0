import { isUniqueViolation, type Queryable, repeatOnDeadlock, short, sql } from "#db/client.ts"
import { certainNow } from "#db/clock.ts"
import { publishActivity } from "#db/pubsub.ts"
import { periodEnd, periodOf, secondsLeftIn } from "#server/domain/accounts/period.ts"
import { plans } from "#server/domain/accounts/plans.ts"
import { expireSessions } from "#server/domain/attestations/expire.ts"
import { recordChange } from "#server/domain/audit-log/record.ts"
import type { IdempotencyClaim, Principal } from "#server/domain/context.ts"
import { chainOf, deployment, providerFor } from "#server/domain/deployment.ts"
import { claiming, explainClaim } from "#server/domain/idempotency.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, sleep } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

/** How long a session stays open until its provider's first event. */
export const SESSION_SECONDS = 24 * 3600

/** How long a start waits for locked sessions that have expired. */
const SWEEP_MS = 5000

export type Session = { session_id: string; session_url: string }

export type StartRequest = {
  principal: Principal
  requestId: string
  idempotency: IdempotencyClaim | null
  wallet: string
  schemaId: string
  redirectUrl: string | null
  externalId: string | null
}

/**
 * Starts a verification, or gives back the open session of the same wallet and schema, with the external id
 * and the address to return to that are sent now: no second session, no second unit of quota. Errors:
 * unknown_schema, quota_exceeded, provider_not_configured, chain_not_configured.
 */
export async function startSession(request: StartRequest): Promise<Session> {
  const { principal, idempotency } = request
  const provider = providerFor(principal.mode, request.schemaId)
  chainOf(principal.mode)
  if (idempotency?.begun) return session(idempotency.begun)
  const giveUpAt = performance.now() + SWEEP_MS
  for (;;) {
    const begun = await repeatOnDeadlock(() =>
      principal.via.kind === "user"
        ? beginByHand(request, provider.name)
        : begin(short, request, provider.name),
    )
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
    if (begun.due && performance.now() < giveUpAt) await sweepNow(principal.workspaceId)
    else if (begun.due) fail("database_unavailable", "Expired sessions are being closed. Retry in a moment.")
    // The last unit may have gone, after the statement's snapshot, to another start of this very wallet.
    else if (!(await isPending(request))) quotaExceeded(begun.included)
  }
}

const session = (id: string): Session => ({
  session_id: id,
  session_url: `${deployment.origin}/verify/${id}`,
})

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

/** Like `begin`, for a member: the audit log records who started the session, in the same commit. */
async function beginByHand(request: StartRequest, provider: string): Promise<Begun | "raced"> {
  const { principal, requestId, schemaId } = request
  const { workspaceId } = principal
  const id = newId("att")
  try {
    return await sql.begin(async (sql) => {
      const begun = await begin(sql, request, provider, id)
      // The refused insert has aborted this transaction: it cannot continue.
      if (begun === "raced") throw new Raced()
      const [started] =
        await sql`select id from attestations where workspace_id = ${workspaceId} and id = ${id}`
      if (started) {
        await recordChange(sql, workspaceId, {
          author: { principal, requestId },
          action: "session.started",
          subject: id,
          detail: { schema: schemaId },
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

type Begun = {
  schema_known: boolean
  included: number | null
  session_id: string | null
  /** Nothing could begin, and there are sessions that closed by time and stand in the way. */
  due: boolean
}

/**
 * The open session takes what is sent anew; what is not sent stays, and a row that would stay as it is is not
 * locked.
 */
function updating({ principal, externalId, redirectUrl }: StartRequest) {
  if (externalId === null && redirectUrl === null) return sql``
  return sql`, updated as (
    update attestations a set external_id = coalesce(${externalId}, a.external_id), redirect_url = coalesce(${redirectUrl}, a.redirect_url)
    from pending p
    where a.workspace_id = ${principal.workspaceId} and a.id = p.id and a.status = 'pending' and p.open
      and (a.external_id, a.redirect_url)
        is distinct from (coalesce(${externalId}, a.external_id), coalesce(${redirectUrl}, a.redirect_url)))`
}

const claimingKey = (sql: Queryable, idempotency: IdempotencyClaim | null) =>
  idempotency === null
    ? sql``
    : sql`, claim as (${claiming(sql, idempotency, sql`select session_id from begun`)})`

/**
 * One statement, so that it commits whole or not at all: it finds the open session and brings it up to
 * date, or else takes a unit of quota, makes the attestation with its session, and claims the idempotency key for
 * what it found or made.
 *
 * The races that it closes: the quota's conditional update admits exactly as many as there is room for; the
 * unique index on pending attestations, and the primary key of idempotency records, refuse the second of two
 * equal requests, and the refusal undoes the unit that it took.
 */
async function begin(
  sql: Queryable,
  request: StartRequest,
  provider: string,
  attestationId: string = newId("att"),
): Promise<Begun | "raced"> {
  const { principal, idempotency, wallet, schemaId, redirectUrl, externalId } = request
  const { workspaceId } = principal
  const now = clock.now()
  try {
    const [begun] = await sql<Begun[]>`
      with limits as (
        select case w.mode when 'test' then ${plans.free}::int else a.included end as included
        from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}
      ), schema as (
        select id from schemas where workspace_id = ${workspaceId} and id = ${schemaId}
      ), pending as (
        select id, session_id, open_until is null or open_until > ${now} as open from attestations
        where workspace_id = ${workspaceId} and wallet = ${wallet} and schema_id = ${schemaId} and status = 'pending'
      ), reserved as (
        insert into usage_periods as u (workspace_id, period, used)
        select ${workspaceId}, ${periodOf(now)}, 1 from schema, limits
        where not exists (select from pending) and (included is null or included >= 1)
        on conflict (workspace_id, period) do update set used = u.used + 1
        where (select included is null or u.used + 1 <= included from limits)
        returning period
      ), attestation as (
        insert into attestations
          (workspace_id, id, schema_id, wallet, external_id, status, period, created_at, session_id, provider, redirect_url, open_until)
        select ${workspaceId}, ${attestationId}, ${schemaId}, ${wallet}, ${externalId}, 'pending', period, ${now},
          ${newId("sess")}, ${provider}, ${redirectUrl}, ${addSeconds(now, SESSION_SECONDS)}
        from reserved
        returning session_id
      ), begun as (
        select session_id from attestation union all select session_id from pending where open
      )${updating(request)}${claimingKey(sql, idempotency)}
      select exists (select from schema) as schema_known, (select included from limits) as included,
        (select session_id from begun) as session_id,
        not exists (select from begun) and exists (
          select from attestations
          where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now}) as due`
    return begun!
  } catch (error) {
    if (isUniqueViolation(error, "attestations_one_pending")) return "raced"
    throw explainClaim(error)
  }
}
