import type { Flow } from "#domain/providers"
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

/** The facts of an attestation's life. Times of what has not happened are null. */
export type Life = {
  status: AttestationStatus
  started_at: Date
  /** The investor's consent: with the form, or before they go to the vendor's page. */
  consented_at: Date | null
  flow: Flow["kind"]
  /** When the investor proved that they own the wallet. */
  wallet_proved_at: Date | null
  decision: { at: Date; result: string } | null
  /** Time of the approval, which a later decision does not undo. */
  approved_at: Date | null
  issuing: Landed | null
  verified_at: Date | null
  revoked_at: Date | null
  ended_at: Date | null
  open_until: Date | null
  expires_at: Date | null
  reason: string | null
  burning: Landed | null
  /** Who did what, according to the audit log and the request log. */
  traces: Partial<
    Record<"started" | "approved" | "decided" | "cancellation" | "revoked", Pick<TimelineEvent, "by" | "request_id">>
  >
}

/** A transaction of the ledger. */
export type Landed = { signature: string; signed_at: Date; settled_at: Date | null; slot: number | null }

type Moment = Pick<TimelineEvent, "event"> & { at: Date } & Partial<Omit<TimelineEvent, "event" | "at">>

/** The events of an attestation's life, in order. */
export function timelineOf(life: Life, format: (at: Date) => string): TimelineEvent[] {
  const moments: Moment[] = [
    { event: "started", at: life.started_at, ...life.traces.started },
    ...(life.wallet_proved_at ? [{ event: "wallet_proved" as const, at: life.wallet_proved_at }] : []),
    ...consent(life),
    ...decisions(life),
    ...(life.issuing ? landing(life.issuing, "confirmed", life.verified_at) : []),
    ...ending(life),
    ...(life.burning?.settled_at ? [burn(life.burning, life.burning.settled_at)] : []),
  ]
  return moments
    .map((moment, n) => ({ moment, n }))
    .sort((a, b) => a.moment.at.getTime() - b.moment.at.getTime() || a.n - b.n)
    .map(({ moment: { event, at, ...more } }) => ({
      event,
      at: format(at),
      detail: more.detail ?? null,
      by: more.by ?? null,
      request_id: more.request_id ?? null,
      signature: more.signature ?? null,
      slot: more.slot ?? null,
    }))
}

const consent = ({ consented_at: at, flow }: Life): Moment[] =>
  at === null ? [] : [{ event: flow === "form" ? "submitted" : "consented", at }]

function decisions({ approved_at, decision, consented_at, started_at, traces }: Life): Moment[] {
  // The approval's time is cut to the second, so it could come before the submission that it decides.
  const approvedAt = decision?.result === "approved" ? decision.at : approved_at
  const first = consented_at ?? started_at
  const at = approvedAt && approvedAt < first ? first : approvedAt
  const approved: Moment[] = approved_at ? [{ event: "decided", at: at!, detail: "approved", ...traces.approved }] : []
  if (decision === null || decision.result === "approved") return approved
  return [...approved, { event: "decided", at: decision.at, detail: decision.result, ...traces.decided }]
}

function landing(landed: Landed, event: "confirmed", confirmedAt: Date | null): Moment[] {
  const { signature, signed_at, settled_at, slot } = landed
  const at = confirmedAt ?? settled_at
  return [{ event: "signed", at: signed_at, signature }, ...(at ? [{ event, at, signature, slot }] : [])]
}

const burn = ({ signature, slot }: Landed, at: Date): Moment => ({ event: "burnt", at, signature, slot })

/** How it ended, from its current status. An expired attestation ended at its expiry, even if it is not swept yet. */
function ending(life: Life): Moment[] {
  const { status, reason, revoked_at, ended_at, traces } = life
  if (revoked_at && traces.cancellation)
    return [{ event: "cancelled", at: revoked_at, detail: reason, ...traces.cancellation }]
  if (revoked_at) return [{ event: "revoked", at: revoked_at, detail: reason, ...traces.revoked }]
  if (status !== "expired") return []
  const due = life.verified_at || life.approved_at ? life.expires_at : life.open_until
  if (reason === "superseded" && ended_at) return [{ event: "superseded", at: ended_at }]
  // A provider may have ended it early. A sweep records that a little later.
  const at = due && ended_at && ended_at < due ? ended_at : (due ?? ended_at)
  return at ? [{ event: "expired", at, detail: reason }] : []
}
