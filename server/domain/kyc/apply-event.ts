import type { Fragment } from "postgres"
import { onBehalfOf, type Queryable, reads, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { openClaims, sealClaims } from "#server/domain/attestations/claims.ts"
import { commitmentOf, newSalt } from "#server/domain/attestations/commitment.ts"
import { ensureCredentialMint } from "#server/domain/attestations/credential.ts"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { endPending } from "#server/domain/attestations/end.ts"
import { attest } from "#server/domain/attestations/operations/attest.ts"
import { revokeCredential } from "#server/domain/attestations/revoke-credential.ts"
import { statusAt } from "#server/domain/attestations/status.ts"
import { closeVendorReviews } from "#server/domain/reviews/close.ts"
import { openReview } from "#server/domain/reviews/open.ts"
import { recordHit, reopenFrozen } from "#server/domain/screening/hits.ts"
import { findListed, type ListedWallet } from "#server/domain/screening/listed.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { refuseInQuarantine } from "#server/ledger/restore/state.ts"
import { isId } from "#server/lib/ids.ts"
import { addDays, addSeconds, clock, secondsBetween, toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import type { Decision } from "#shared/statuses.ts"
import { type EventEffect, effectOf, rankOf } from "./decide.ts"
import type { ProviderDecision } from "./providers/provider.ts"
import { TOLERANCE_SECONDS } from "./providers/timed-signature.ts"

export type EventResult = "applied" | "duplicate" | "ignored"

/** How long a session stays open once its provider has taken it up. */
const IN_REVIEW_SECONDS = 30 * 86_400

/** When a vendor that reviews a session is asked about it. */
const ASK_AFTER_REVIEW_SECONDS = 1800

const decidedColumns = columns(
  "attestations",
  "workspace_id",
  "id",
  "provider",
  "schema_id",
  "wallet",
  "status",
  "open_until",
  "event_at",
  "event_rank",
  "event_decision",
  "claims",
  "wallet_proof_required",
  "wallet_proved_at",
  "held_at",
  "issued_at",
  "expires_at",
  "erased_at",
)
type Row = RowOf<typeof decidedColumns> & {
  mode: Mode
  validity_days: number
  /** Where its wallet is on a screening list, and nobody has cleared it. */
  listed: readonly ListedWallet[]
  /** Whether its tokens are frozen for what was found before, whatever lists are in use now. */
  frozen: boolean
}

/** A provider's decision about one session. */
export type SessionEvent = ProviderDecision & {
  /** By which a repeat is recognised. */
  eventId: string
  sessionId: string
}

type Decided = Omit<SessionEvent, "eventId" | "sessionId">

type VerifiedEvent = {
  event: SessionEvent
  /** Whose secret verifies the event, or who has answered it. */
  provider: string
  mode: Mode
}

/**
 * Records an authentic event and its effect, in one commit. It applies only to a session whose mode and provider
 * own the secret that verified it; null where there is no such session.
 */
export async function applyEvent({ event, provider, mode }: VerifiedEvent): Promise<EventResult | null> {
  if (!isId("sess", event.sessionId)) return null
  const now = clock.now()
  // A start of the same wallet may hold the counter that this one's end gives its unit back to.
  const [session] = await reads<{ workspace_id: string }[]>`
    select workspace_id from attestations where session_id = ${event.sessionId}`
  if (!session) return null
  // A provider reports for all customers from one address; connections are counted by the customer.
  const { outcome, workspaceId } = await onBehalfOf(session.workspace_id, () =>
    repeatOnDeadlock(() => record({ event, provider, mode, now })),
  )
  if (workspaceId !== null) {
    publish("ledger")
    publishActivity(workspaceId)
  }
  return outcome
}

/** Locks the session that a decision is about. */
async function lockDecided(sql: Queryable, which: Fragment): Promise<Row | null> {
  const [row] = await sql<Omit<Row, "listed">[]>`
    select ${sql(qualified("a", decidedColumns))}, w.mode, s.validity_days,
      exists (select from screening_hits h where h.workspace_id = a.workspace_id and h.wallet = a.wallet
        and h.frozen_at is not null and h.cleared_at is null and h.gone_at is null) as frozen
    from attestations a
    join workspaces w on w.id = a.workspace_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where ${which} for update of a`
  return row ? { ...row, listed: await findListed(sql, row.workspace_id, [row.wallet]) } : null
}

/** `workspaceId` is where something changed; null where nothing did. */
type Recorded =
  | { outcome: "applied"; workspaceId: string }
  | { outcome: "duplicate" | "ignored" | null; workspaceId: null }

const record = ({ event: told, provider, mode, now }: VerifiedEvent & { now: Date }): Promise<Recorded> =>
  sql.begin(async (sql): Promise<Recorded> => {
    // A decision from the future would hide all that comes until then, such as its withdrawal.
    const isFromFuture = secondsBetween(now, told.occurredAt) > TOLERANCE_SECONDS
    const event = isFromFuture ? { ...told, occurredAt: now } : told
    const row = await lockDecided(sql, sql`a.session_id = ${event.sessionId}`)
    if (!row || row.provider !== provider || row.mode !== mode) return { outcome: null, workspaceId: null }
    // Not even that it came is kept: its id is the vendor's words.
    if (row.erased_at !== null) return { outcome: "ignored", workspaceId: null }
    const effect = effectOn(row, event, now)
    const outcome: EventResult = effect === "ignore" ? "ignored" : "applied"
    const recorded = await sql`
      insert into webhook_events (mode, provider, event_id, workspace_id, attestation_id, outcome, received_at)
      values (${row.mode}, ${provider}, ${event.eventId}, ${row.workspace_id}, ${row.id}, ${outcome}, ${now})
      on conflict do nothing returning event_id`
    if (recorded.length === 0) return { outcome: "duplicate", workspaceId: null }
    if (effect === "ignore") return { outcome: "ignored", workspaceId: null }
    await takeEffect(sql, row, { event, effect, reviewId: null, now })
    return { outcome: "applied", workspaceId: row.workspace_id }
  })

/** What a person who decides in the vendor's place can come to. */
const manualEffects = {
  approved: "approve",
  rejected: "reject",
  resubmission_requested: "keep",
} as const satisfies Partial<Record<Decision, EventEffect>>

/**
 * A person's decision about a session that its vendor left in review: it has the effect of the vendor's own, in the
 * transaction that closes the review, and the record says that a person took it. False where there is nothing left to
 * decide. The caller publishes `ledger` and the activity after the commit. Errors: chain_unavailable.
 */
export async function applyManualDecision(
  sql: Queryable,
  {
    workspaceId,
    attestationId,
    reviewId,
    decision,
    ...event
  }: {
    workspaceId: string
    attestationId: string
    reviewId: string
    decision: keyof typeof manualEffects
  } & Pick<Decided, "claims" | "reason" | "publicReason">,
): Promise<boolean> {
  const now = clock.now()
  const row = await lockDecided(sql, sql`a.workspace_id = ${workspaceId} and a.id = ${attestationId}`)
  if (!row || statusAt(row, now) !== "pending" || isApproved(row)) return false
  const effect = decision === "approved" ? approvalOn(row, now, now) : manualEffects[decision]
  await takeEffect(sql, row, { event: { ...event, decision, occurredAt: now }, effect, reviewId, now })
  return true
}

/** Approved, and on its way to the chain or waiting for what `hold` waits for. To whatever comes next that is the same. */
const isApproved = ({ issued_at, held_at }: Row): boolean => issued_at !== null || held_at !== null

/** `hold` is an approval that waits for the proof of the wallet, or for a person who clears a wallet on a list. */
type Effect = EventEffect | "hold"

function effectOn(row: Row, event: SessionEvent, now: Date): Effect {
  // What has ended by its time has ended, whether or not the sweep has come by.
  if (statusAt(row, now) === "expired") return "ignore"
  const last = row.event_at === null ? null : { at: row.event_at, rank: row.event_rank ?? 0 }
  const effect = effectOf({ status: row.status, approved: isApproved(row), last }, event)
  return effect === "approve" ? approvalOn(row, event.occurredAt, now) : effect
}

/** An approval so old that its validity is over attests nothing; one that something is missing to waits for it. */
function approvalOn(row: Row, occurredAt: Date, now: Date): "approve" | "hold" | "expire" {
  if (addDays(issuedAt(occurredAt, now), row.validity_days) <= now) return "expire"
  const isProofMissing = row.wallet_proof_required && row.wallet_proved_at === null
  return isProofMissing || row.listed.length > 0 ? "hold" : "approve"
}

/** Time of the decision: the provider's own, to the second, never later than now. */
function issuedAt(occurredAt: Date, now: Date): Date {
  const decided = Math.min(occurredAt.getTime(), now.getTime())
  return new Date(Math.floor(decided / 1000) * 1000)
}

type Taking = {
  event: Decided
  effect: Exclude<Effect, "ignore">
  /** The review in which a person decided; null for a provider. */
  reviewId: string | null
  now: Date
}

async function takeEffect(sql: Queryable, row: Row, taking: Taking): Promise<void> {
  const { event, effect, now } = taking
  await noteEvent(sql, row, taking)
  if (row.event_decision === "in_review" && event.decision !== "in_review")
    await closeVendorReviews(sql, row.workspace_id, [row.id], "vendor")
  const ended = { workspaceId: row.workspace_id, attestationId: row.id, now }
  switch (effect) {
    case "approve":
      return approve(sql, row, event, now)
    case "hold":
      return hold(sql, row, event, now)
    case "reject":
      await endPending(sql, { ...ended, status: "rejected", reason: event.reason })
      return
    case "expire":
      await endPending(sql, { ...ended, status: "expired", reason: event.reason })
      return
    case "keep":
      // The first event of the provider opens the longer time; later ones do not stretch it.
      if (row.event_at === null) await keepOpen(sql, row, addSeconds(now, IN_REVIEW_SECONDS))
      if (event.decision === "in_review") await leaveInReview(sql, row, event)
      return
    case "revoke":
      await sql`
        update attestations set status = 'rejected', reason = ${event.reason}, revoked_at = ${now}, ended_at = ${now}
        where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'verified'`
      return revokeCredential(sql, row)
  }
}

/**
 * The vendor's page has done its work; whoever is to submit again is sent there anew. A person's decision leaves the
 * vendor's time as it is: what the vendor has decided since its last event, and is still on its way, must count.
 */
const noteEvent = (sql: Queryable, row: Row, { event, reviewId, now }: Taking) => sql`
  update attestations set event_at = ${reviewId === null ? event.occurredAt : row.event_at},
    event_rank = ${reviewId === null ? rankOf(event.decision) : row.event_rank},
    review_id = case when issued_at is null then ${reviewId} else review_id end,
    reviewed_at = case when issued_at is null then ${reviewId === null ? null : now}::timestamptz else reviewed_at end,
    event_decision = ${event.decision}, public_reason = ${event.publicReason}, provider_link = null,
    provider_link_until = null, asks = 0,
    ask_at = case when provider_reference is not null and ${event.decision === "in_review"}
      then ${addSeconds(now, ASK_AFTER_REVIEW_SECONDS)}::timestamptz end
  where workspace_id = ${row.workspace_id} and id = ${row.id}`

/** Keeps the approval as it was, sealed. The session goes on as after any first event, and the approval ends with it. */
async function hold(sql: Queryable, row: Row, { occurredAt, claims }: Decided, now: Date): Promise<void> {
  await sql`
    update attestations set held_at = ${occurredAt}, claims = ${sealClaims(row.id, claims)}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
  if (row.event_at === null) await keepOpen(sql, row, addSeconds(now, IN_REVIEW_SECONDS))
  await recordListed(sql, row)
}

/** The review in which a person clears the wallet, or ends its verification. */
async function recordListed(sql: Queryable, { workspace_id, listed }: Row): Promise<void> {
  for (const hit of listed) await recordHit(sql, workspace_id, hit)
}

/**
 * Applies the approval of a session that waited, if there is one and nothing is missing any more, in the transaction that
 * records the proof of the wallet, or clears it. It counts from when it was given. Errors: chain_unavailable.
 */
export async function applyHeld(
  sql: Queryable,
  of: { sessionId: string } | { workspaceId: string; attestationId: string },
  now: Date,
): Promise<void> {
  const which =
    "sessionId" in of
      ? sql`a.session_id = ${of.sessionId}`
      : sql`a.workspace_id = ${of.workspaceId} and a.id = ${of.attestationId}`
  const row = await lockDecided(sql, which)
  if (row?.status !== "pending" || row.held_at === null) return
  const claims = row.claims === null ? {} : openClaims(row.id, row.claims)
  const ended = { workspaceId: row.workspace_id, attestationId: row.id, now }
  switch (approvalOn(row, row.held_at, now)) {
    case "approve":
      return approve(sql, row, { occurredAt: row.held_at, claims }, now)
    case "hold":
      return recordListed(sql, row)
    case "expire":
      await endPending(sql, { ...ended, status: "expired", reason: null })
  }
}

async function keepOpen(sql: Queryable, row: Row, until: Date): Promise<void> {
  await sql`
    update attestations set open_until = ${until}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
}

/** What the vendor cannot decide, a person can (`reviews/`). */
async function leaveInReview(sql: Queryable, row: Row, event: Decided): Promise<void> {
  await openReview(sql, {
    workspaceId: row.workspace_id,
    kind: "vendor",
    about: { attestationId: row.id, wallet: row.wallet },
    finding: "in_review",
    detail: event.reason,
    claims: event.claims,
  })
}

/** Fixes what will be attested, and puts the attest into the ledger. */
async function approve(
  sql: Queryable,
  row: Row,
  { occurredAt, claims }: Pick<Decided, "occurredAt" | "claims">,
  now: Date,
): Promise<void> {
  const { workspace_id, id, schema_id, wallet } = row
  await refuseInQuarantine(sql, workspace_id)
  // Nobody would ever open them: the review of before is decided, and no list finds the wallet again.
  if (row.frozen) await reopenFrozen(sql, workspace_id, wallet)
  const issued = issuedAt(occurredAt, now)
  const expires = addDays(issued, row.validity_days)
  const salt = newSalt()
  const commitment = commitmentOf({
    attestation_id: id,
    schema: schema_id,
    user_pubkey: wallet,
    issued_at: toTimestamp(issued),
    expires_at: toTimestamp(expires),
    salt,
  })
  await ensureCredentialMint(sql, workspace_id, schema_id)
  const { mint, account } = credentialAccounts(workspace_id, schema_id, wallet)
  const operationId = await enqueue(sql, workspace_id, attest, {
    payload: { attestation_id: id, schema_id, wallet },
    writes: [account],
    reads: [mint],
  })
  await sql`
    update attestations
    set issued_at = ${issued}, expires_at = ${expires}, claims = ${sealClaims(id, claims)}, salt = ${salt},
      commitment = ${commitment}, operation_id = ${operationId}, open_until = null, held_at = null
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending'`
}
