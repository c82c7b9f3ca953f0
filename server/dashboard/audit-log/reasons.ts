import type { AuditAction } from "#domain/audit-log"
import { unseal } from "#domain/deployment"
import { reasonOwner } from "#domain/reviews"
import { isReasonCode, reasonNames } from "#shared/movements.ts"
import type { Told } from "./objects.ts"
import { text } from "./phrases.ts"

type Reason = (told: Told, mayReview: boolean) => string | null | undefined

/** As the caller gave it: `Court order, 4 O 123/26`. */
const grounds: Reason = ({ detail: { reason_code: code, reference, reason } }) =>
  [isReasonCode(code) ? reasonNames[code] : "", text(reference), text(reason)].filter(Boolean).join(", ")

const ofAttestation: Reason = ({ names, subject, detail }) =>
  detail.erasure ? "The data was erased." : names("attestation", subject)?.reason

const ofApproval: Reason = ({ names, detail }) => names("approval", detail.approval)?.reason

/** Reasons of reviews are for those who decide them. */
const ofReview =
  (idOf: (told: Told) => string): Reason =>
  (told, mayReview) => {
    const id = idOf(told)
    const sealed = mayReview ? told.names("review", id)?.reason : null
    return sealed && unseal(reasonOwner(id), Buffer.from(sealed, "base64"))
  }

/** Reasons that are not in the log, because nothing can be erased from it, by where they are kept. */
const kept: Partial<Record<AuditAction, Reason>> = {
  "approval.rejected": ofApproval,
  "approval.void": ofApproval,
  "approval.withdrawn": ofApproval,
  "attestation.decided_manually": ofReview(({ detail }) => text(detail.review)),
  "attestation.revoked": ofAttestation,
  "bulk_revocation.started": ({ names, subject }) => names("bulk", subject)?.reason,
  "recovery.failed": ({ names, subject }) => names("recovery", subject)?.reason,
  "review.decided": ofReview(({ subject }) => subject),
  "session.cancelled": ofAttestation,
}

/** Why it was done, read where it is kept now; null if no one gave a reason, or it was erased. */
export const reasonOf = (action: string, told: Told, mayReview: boolean): string | null =>
  ((kept as Record<string, Reason | undefined>)[action] ?? grounds)(told, mayReview) || null
