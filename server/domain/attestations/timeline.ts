import type { TableRow } from "#db/rows.ts"
import type { Flow } from "#domain/providers"
import { toTimestamp } from "#server/lib/time.ts"
import type { AttestationStatus, AuditActor } from "#shared/statuses.ts"

/** An event in an attestation's life. */
export type TimelineEvent = {
  event:
    | "started"
    | "submitted"
    | "consented"
    | "wallet_proved"
    | "decided"
    | "signed"
    | "confirmed"
    | "cancelled"
    | "revoked"
    | "expired"
    | "superseded"
    | "burnt"
  at: string
  /** The decision, or the reason why it ended. */
  detail: string | null
  /** The member or key that did it. Requests of keys are in the request log. */
  by: { kind: AuditActor; name: string | null } | null
  request_id: string | null
  signature: string | null
  slot: number | null
}

type Trace = Pick<TimelineEvent, "by" | "request_id">

/** The facts of an attestation's life. Times of what has not happened are null. */
export type Life = Pick<
  TableRow<"attestations">,
  | "created_at"
  | "consented_at"
  | "wallet_proved_at"
  | "issued_at"
  | "verified_at"
  | "revoked_at"
  | "ended_at"
  | "open_until"
  | "expires_at"
  | "reason"
> & {
  status: AttestationStatus
  flow: Flow["kind"]
  decision: { at: Date; result: string } | null
  issuing: Landed | null
  burning: Landed | null
  /** Who did what, according to the audit log and the request log. */
  traces: { [What in "started" | "approved" | "decided" | "cancellation" | "revoked"]?: Trace | undefined }
}

/** A transaction of the ledger. */
export type Landed = { signature: string; signed_at: Date; settled_at: Date | null; slot: number | null }

type Moment = Pick<TimelineEvent, "event"> & { at: Date } & Partial<Omit<TimelineEvent, "event" | "at">>

/** The events of an attestation's life, in order. */
export function timelineOf(life: Life): TimelineEvent[] {
  const { issuing, burning, wallet_proved_at, consented_at, verified_at, traces } = life
  const none = { detail: null, by: null, request_id: null, signature: null, slot: null }
  const moments: Moment[] = [
    { event: "started", at: life.created_at, ...traces.started },
    ...event("wallet_proved", wallet_proved_at),
    // The investor consents with the form, or before they go to the vendor's page.
    ...event(life.flow === "form" ? "submitted" : "consented", consented_at),
    ...decisions(life),
    ...(issuing ? landing(issuing, verified_at) : []),
    ...ending(life),
    ...(burning ? event("burnt", burning.settled_at, { signature: burning.signature, slot: burning.slot }) : []),
  ]
  // Sorting is stable: events at the same time keep this order.
  return moments
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map((moment) => ({ ...none, ...moment, at: toTimestamp(moment.at) }))
}

const event = (event: TimelineEvent["event"], at: Date | null, more: Partial<Moment> = {}): Moment[] =>
  at ? [{ ...more, event, at }] : []

function decisions({ issued_at, decision, consented_at, created_at, traces }: Life): Moment[] {
  // The approval's time is cut to the second, so it could come before the submission that it decides.
  const approvedAt = decision?.result === "approved" ? decision.at : issued_at
  const first = consented_at ?? created_at
  const at = approvedAt && approvedAt < first ? first : approvedAt
  const approved = issued_at ? event("decided", at, { detail: "approved", ...traces.approved }) : []
  if (decision === null || decision.result === "approved") return approved
  return [...approved, ...event("decided", decision.at, { detail: decision.result, ...traces.decided })]
}

function landing({ signature, signed_at, settled_at, slot }: Landed, confirmedAt: Date | null): Moment[] {
  return [
    { event: "signed", at: signed_at, signature },
    ...event("confirmed", confirmedAt ?? settled_at, { signature, slot }),
  ]
}

/** How it ended, from its current status. An expired attestation ended at its expiry, even if it is not swept yet. */
function ending(life: Life): Moment[] {
  const { status, reason: detail, revoked_at, ended_at, traces } = life
  if (revoked_at && traces.cancellation) return event("cancelled", revoked_at, { detail, ...traces.cancellation })
  if (revoked_at) return event("revoked", revoked_at, { detail, ...traces.revoked })
  if (status !== "expired") return []
  const due = life.verified_at || life.issued_at ? life.expires_at : life.open_until
  if (detail === "superseded" && ended_at) return event("superseded", ended_at)
  // A provider may have ended it early. A sweep records that a little later.
  const at = due && ended_at && ended_at < due ? ended_at : (due ?? ended_at)
  return event("expired", at, { detail })
}
