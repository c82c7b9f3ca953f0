import { z } from "zod"
import { fail } from "#shared/errors.ts"
import type { ProviderEvent, Signal } from "./provider.ts"
import { digestOf } from "./signatures.ts"
import { entryOf, LEVEL, type Levels } from "./sumsub-level.ts"
import { readBody, vendorTime as time } from "./vendor-answers.ts"
import { vendorId } from "./vendor-api.ts"

/** An event, without personal data. */
const event = z.object({
  // Becomes the reason of the decision.
  type: vendorId,
  externalUserId: vendorId.nullish(),
  levelName: z.string().regex(LEVEL).nullish(),
  previousLevelName: z.string().regex(LEVEL).nullish(),
  createdAtMs: time.nullish(),
  createdAt: time.nullish(),
  // Older examples have "true" in quotes.
  testMode: z.unknown().optional(),
})

/** Events after which Vouch reads the applicant. */
export const changes = [
  "applicantReviewed",
  "applicantPending",
  "applicantOnHold",
  "applicantAwaitingService",
  "applicantAwaitingUser",
  "applicantLevelChanged",
  "applicantReset",
  "applicantWorkflowCompleted",
  "applicantWorkflowFailed",
]

const ends = ["applicantWorkflowCompleted", "applicantWorkflowFailed"]

/** Events about an applicant approved before. Monitoring that finds something puts an applicant on hold. */
const afterApproval = new Map<string, Signal>([
  ["applicantOnHold", "case_opened"],
  ["applicantLevelChanged", "case_opened"],
])

/** Signals to subscribe to. */
export const SIGNALS = [
  "applicantDeactivated",
  "applicantDeleted",
  "applicantPersonalDataDeleted",
  "amlCaseRejected",
  "amlCaseOnHold",
]

function signalOf(type: string): Signal | null {
  if (type === "applicantDeactivated" || type === "applicantDeleted") return "person_deactivated"
  if (type === "applicantPersonalDataDeleted") return "data_deleted"
  if (type === "amlCaseRejected") return "watchlist_match"
  return type.startsWith("amlCase") && type !== "amlCaseApproved" ? "case_opened" : null
}

/** Events that never decide anything about a session. */
const SILENT =
  /^(?:applicant(?:Created|Activated|Prechecked|PersonalInfoChanged|TagsChanged|MemberOf\w*|Kyt\w*|Action\w*)|videoIdent\w+|amlCaseApproved)$/

/**
 * Sumsub keeps people, not sessions: an applicant is our investor, at one level at a time. A reference is the investor
 * and the level that a session started at, so a decision applies to all sessions that the person started at that level.
 */
export const referenceOf = (userId: string, entry: string): string => `${userId} ${entry}`

export function readReference(reference: string): { userId: string; entry: string } {
  const at = reference.indexOf(" ")
  return { userId: reference.slice(0, at), entry: reference.slice(at + 1) }
}

/** https://docs.sumsub.com/docs/user-verification-webhooks. Errors: as `readEvent` of `Adapter`. */
export function readEvent(body: Buffer, levels: Levels): ProviderEvent | null {
  const { type, externalUserId, levelName, previousLevelName, testMode, ...times } = readBody(event, body)
  // Sumsub's dashboard can send samples.
  if (String(testMode) === "true" || !externalUserId || SILENT.test(type)) return null
  const eventId = digestOf(body)
  const occurredAt = times.createdAtMs ?? times.createdAt
  if (changes.includes(type)) {
    const named = [levelName, previousLevelName].filter((level) => typeof level === "string")
    const entries = named.length === 0 ? levels.entries : entriesOf(named, levels)
    const signal = afterApproval.get(type)
    return {
      eventId,
      about: { references: entries.map((entry) => referenceOf(externalUserId, entry)) },
      says: {
        kind: "changed",
        isFinal: ends.includes(type),
        ...(signal && occurredAt ? { occurredAt, afterApproval: signal } : {}),
      },
    }
  }
  const signal = signalOf(type)
  if (signal === null || !occurredAt) return fail("validation_failed", `type: Vouch does not know this Sumsub event.`)
  const names = new Set([...levels.entries, ...(levelName ? [levelName] : [])])
  const references = [...names].map((entry) => referenceOf(externalUserId, entry))
  return { eventId, about: { references }, says: { kind: "signal", signal, occurredAt, reason: type } }
}

/** The entry levels whose workflows include these levels. */
function entriesOf(named: readonly string[], levels: Levels): string[] {
  const entries = new Set(named.map((level) => entryOf(levels, level)).filter((entry) => entry !== null))
  if (entries.size > 0) return [...entries]
  return fail(
    "validation_failed",
    "levelName: no setting names this level. If a workflow leads there, set VOUCH_SUMSUB_FINAL_LEVELS.",
  )
}
