import { onBehalfOf, type Queryable, reads, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { sealClaims } from "#server/domain/attestations/claims.ts"
import { commitmentOf, newSalt } from "#server/domain/attestations/commitment.ts"
import { ensureCredentialMint } from "#server/domain/attestations/credential.ts"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { endPending } from "#server/domain/attestations/end.ts"
import { attest } from "#server/domain/attestations/operations/attest.ts"
import { revokeCredential } from "#server/domain/attestations/revoke-credential.ts"
import { statusAt } from "#server/domain/attestations/status.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { isId } from "#server/lib/ids.ts"
import { addDays, addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { type Effect, effectOf, rankOf } from "./decide.ts"
import type { ProviderEvent } from "./providers/provider.ts"

export type EventResult = "applied" | "duplicate" | "ignored"

/** How long a session stays open once its provider has taken it up. */
const IN_REVIEW_SECONDS = 30 * 86_400

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
  "issued_at",
  "expires_at",
)
type Row = RowOf<typeof decidedColumns> & { mode: Mode; validity_days: number }

type VerifiedEvent = {
  event: ProviderEvent
  provider: string
  /** The modes whose secrets verify the event. */
  verifiedFor: readonly Mode[]
}

/**
 * Records an authentic event and its effect, in one commit. It applies only to a session whose mode and provider
 * own the secret that verified it; everything else is ignored.
 */
export async function applyEvent({ event, provider, verifiedFor }: VerifiedEvent): Promise<EventResult> {
  if (!isId("sess", event.sessionId)) return "ignored"
  const now = clock.now()
  // A start of the same wallet may hold the counter that this one's end gives its unit back to.
  const [session] = await reads<{ workspace_id: string }[]>`
    select workspace_id from attestations where session_id = ${event.sessionId}`
  if (!session) return "ignored"
  // A provider reports for all customers from one address; connections are counted by the customer.
  const { outcome, workspaceId } = await onBehalfOf(session.workspace_id, () =>
    repeatOnDeadlock(() => record({ event, provider, verifiedFor, now })),
  )
  if (workspaceId !== null) {
    publish("ledger")
    publishActivity(workspaceId)
  }
  return outcome
}

/** `workspaceId` is where something changed; null where nothing did. */
type Recorded =
  | { outcome: "applied"; workspaceId: string }
  | { outcome: "duplicate" | "ignored"; workspaceId: null }

const IGNORED: Recorded = { outcome: "ignored", workspaceId: null }

const record = ({ event, provider, verifiedFor, now }: VerifiedEvent & { now: Date }): Promise<Recorded> =>
  sql.begin(async (sql): Promise<Recorded> => {
    const [row] = await sql<Row[]>`
      select ${sql(qualified("a", decidedColumns))}, w.mode, s.validity_days
      from attestations a
      join workspaces w on w.id = a.workspace_id
      join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
      where a.session_id = ${event.sessionId} for update of a`
    if (!row || row.provider !== provider || !verifiedFor.includes(row.mode)) return IGNORED
    const effect = effectOn(row, event, now)
    const outcome: EventResult = effect === "ignore" ? "ignored" : "applied"
    const recorded = await sql`
      insert into webhook_events (mode, provider, event_id, workspace_id, attestation_id, outcome, received_at)
      values (${row.mode}, ${provider}, ${event.eventId}, ${row.workspace_id}, ${row.id}, ${outcome}, ${now})
      on conflict do nothing returning event_id`
    if (recorded.length === 0) return { outcome: "duplicate", workspaceId: null }
    if (effect === "ignore") return IGNORED
    await takeEffect(sql, { row, event, effect, now })
    return { outcome: "applied", workspaceId: row.workspace_id }
  })

function effectOn(row: Row, event: ProviderEvent, now: Date): Effect {
  // What has ended by its time has ended, whether or not the sweep has come by.
  if (statusAt(row, now) === "expired") return "ignore"
  const last = row.event_at === null ? null : { at: row.event_at, rank: row.event_rank ?? 0 }
  const effect = effectOf({ status: row.status, approved: row.issued_at !== null, last }, event)
  // An approval so old that its validity is over attests nothing.
  if (effect === "approve" && addDays(issuedAt(event, now), row.validity_days) <= now) return "expire"
  return effect
}

/** Time of the decision: the provider's own, to the second, never later than now. */
function issuedAt(event: ProviderEvent, now: Date): Date {
  const decided = Math.min(event.occurredAt.getTime(), now.getTime())
  return new Date(Math.floor(decided / 1000) * 1000)
}

async function takeEffect(
  sql: Queryable,
  {
    row,
    event,
    effect,
    now,
  }: { row: Row; event: ProviderEvent; effect: Exclude<Effect, "ignore">; now: Date },
): Promise<void> {
  await noteEvent(sql, row, event)
  const ended = { workspaceId: row.workspace_id, attestationId: row.id, now }
  switch (effect) {
    case "approve":
      return approve(sql, row, event, now)
    case "reject":
      await endPending(sql, { ...ended, status: "rejected", reason: event.reason })
      return
    case "expire":
      await endPending(sql, { ...ended, status: "expired", reason: event.reason })
      return
    case "keep":
      // The first event of the provider opens the longer time; later ones do not stretch it.
      if (row.event_at === null) await keepOpen(sql, row, addSeconds(now, IN_REVIEW_SECONDS))
      return
    case "revoke":
      await sql`
        update attestations set status = 'rejected', reason = ${event.reason}, revoked_at = ${now}, ended_at = ${now}
        where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'verified'`
      return revokeCredential(sql, row)
  }
}

/** The vendor's page has done its work; whoever is to submit again is sent there anew. */
const noteEvent = (sql: Queryable, row: Row, { decision, occurredAt, publicReason }: ProviderEvent) => sql`
  update attestations set event_at = ${occurredAt}, event_rank = ${rankOf(decision)}, event_decision = ${decision},
    public_reason = ${publicReason}, provider_link = null, provider_link_until = null
  where workspace_id = ${row.workspace_id} and id = ${row.id}`

async function keepOpen(sql: Queryable, row: Row, until: Date): Promise<void> {
  await sql`
    update attestations set open_until = ${until}
    where workspace_id = ${row.workspace_id} and id = ${row.id} and status = 'pending'`
}

/** Fixes what will be attested, and puts the attest into the ledger. */
async function approve(sql: Queryable, row: Row, event: ProviderEvent, now: Date): Promise<void> {
  const { workspace_id, id, schema_id, wallet } = row
  const issued = issuedAt(event, now)
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
    set issued_at = ${issued}, expires_at = ${expires}, claims = ${sealClaims(id, event.claims)}, salt = ${salt},
      commitment = ${commitment}, operation_id = ${operationId}, open_until = null
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending'`
}
