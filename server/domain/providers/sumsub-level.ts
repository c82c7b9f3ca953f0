import { z } from "zod"
import { clock, secondsBetween } from "#server/lib/time.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import { type ReadAnswer, SUBMITTED } from "./provider.ts"
import { decide, vendorTime as time } from "./vendor-answers.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import type { PerSchema } from "./vendor-settings.ts"

/** The labels that an investor may see. They never see labels of fraud, lists and sanctions. */
const publicReasons: Record<string, PublicReason> = {
  UNSATISFACTORY_PHOTOS: "documents_unreadable",
  LOW_QUALITY: "documents_unreadable",
  INCOMPLETE_DOCUMENT: "documents_unreadable",
  DOCUMENT_DAMAGED: "documents_unreadable",
  PROBLEMATIC_APPLICANT_DATA: "information_mismatch",
  DB_DATA_MISMATCH: "information_mismatch",
  WRONG_ADDRESS: "information_mismatch",
  AGE_REQUIREMENT_MISMATCH: "not_eligible",
  REGULATIONS_VIOLATIONS: "not_eligible",
  WRONG_USER_REGION: "not_eligible",
}

/** Sumsub's level names may have spaces, but no commas. */
export const LEVEL = /^[^,=\s\p{Cc}](?:[^,=\p{Cc}]{0,98}[^,=\s\p{Cc}])?$/u

/** How long an approval must last to be final if the workflow may continue. Sumsub moves people on within seconds. */
const SETTLED_SECONDS = 600
/** How far Sumsub's clock may be behind. Its next decision must not look older than what Vouch read. */
const SKEW_MS = 10_000

/** What we read of an applicant. Everything else stays with Sumsub. */
export const applicant = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  externalUserId: z.string().optional(),
  /** Deactivated: treat the applicant as nonexistent. */
  deleted: z.boolean().optional(),
  info: z
    .object({
      country: z.string().optional(),
      dob: z.string().optional(),
      idDocs: z.array(z.object({ country: z.string().optional() })).optional(),
    })
    .optional(),
  review: z
    .object({
      levelName: z.string().optional(),
      reviewStatus: z.string().optional(),
      createDate: time.optional(),
      startDate: time.optional(),
      reviewDate: time.optional(),
      reviewResult: z
        .object({
          reviewAnswer: z.string().optional(),
          reviewRejectType: z.string().optional(),
          rejectLabels: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
})
export type Applicant = z.infer<typeof applicant>
type Review = NonNullable<Applicant["review"]>

/** Everything is submitted, and Sumsub or a reviewer is working on it. */
const atWork = new Set(["pending", "queued", "prechecked", "onHold", "awaitingService", "awaitingUser"])

/** `entry=final, entry=another`: the levels at which the workflow that begins at a level ends. */
export const finalLevels = z.string().transform((text, context): ReadonlyMap<string, ReadonlySet<string>> => {
  const pairs = text.split(",").map((part) => part.split("=").map((level) => level.trim()))
  if (!pairs.every((pair) => pair.length === 2 && pair.every((level) => LEVEL.test(level)))) {
    const message = "must be entry=final with names of levels, or several such pairs separated by commas"
    context.addIssue({ code: "custom", message })
    return z.NEVER
  }
  const byEntry = Map.groupBy(pairs, ([entry]) => entry!)
  return new Map([...byEntry].map(([entry, its]) => [entry, new Set(its.map(([, final]) => final!))]))
})

/** The levels that sessions start at, and the final levels of the workflows that begin there. */
export type Levels = { entries: readonly string[]; finals: ReadonlyMap<string, ReadonlySet<string>> }

export function wrongFinals(levels: PerSchema, finals: Levels["finals"]): string | null {
  const owners = new Map<string, string>()
  for (const [entry, ends] of finals) {
    if (!levels.all.includes(entry)) return `must begin each pair with a level of SUMSUB_LEVELS; ${entry} is not one`
    for (const end of ends) {
      if (end !== entry && levels.all.includes(end)) return `must not end at a level of SUMSUB_LEVELS; ${end} is one`
      if (owners.has(end)) return `must name each final level once; ${end} would end two workflows`
      owners.set(end, entry)
    }
  }
  return null
}

/**
 * The entry level of an applicant who is at this level now; null if that is not certain. An applicant is at one level
 * at a time. If there is only one workflow, a level that no setting names belongs to it.
 */
export function entryOf({ entries, finals }: Levels, level: string): string | null {
  if (entries.includes(level)) return level
  for (const [entry, ends] of finals) if (ends.has(level)) return entry
  const workflows = finals.size > 0 ? [...finals.keys()] : entries
  return workflows.length === 1 ? workflows[0]! : null
}

export type Question = {
  entry: string
  levels: Levels
  accredited: readonly string[]
  isFinal: boolean
  lastDecision: Decision | null
}

/** What an applicant's review means for the sessions that started at a level. */
export function decisionOf(found: Applicant, question: Question): ReadAnswer {
  const { deleted, review } = found
  const { entry, levels, lastDecision } = question
  const level = review?.levelName
  if (deleted === true || review === undefined || level === undefined) return null
  const owner = entryOf(levels, level)
  // Approved before, and moved on to a level where no session starts: leave it to a member.
  const hasMovedOn = lastDecision === "approved" && level !== entry && !levels.entries.includes(level)
  if (owner !== entry && !hasMovedOn) return null
  const { reviewStatus = "", createDate, startDate } = review
  if (owner === entry && atWork.has(reviewStatus)) return decide("in_review", startDate ?? createDate ?? null)
  if (owner === entry && reviewStatus === "completed") return reviewDecision(found, review, level, question)
  if (hasMovedOn) return decide("in_review", null)
  // Reset, asked for more documents, or moved on to a level with other steps.
  if (lastDecision === "in_review")
    return decide("resubmission_requested", new Date(clock.now().getTime() - SKEW_MS), { publicReason: "resubmit" })
  return null
}

function reviewDecision({ info }: Applicant, review: Review, level: string, question: Question): ReadAnswer {
  const { reviewResult, reviewDate } = review
  if (reviewDate === undefined) return null
  if (reviewResult?.reviewAnswer === "RED") {
    const labels = (reviewResult.rejectLabels ?? []).filter((label) => /^\w{1,60}$/.test(label))
    const [publicReason = null] = labels.flatMap((label) => publicReasons[label] ?? [])
    const reason = labels.slice(0, 10).join(", ") || null
    const decision = reviewResult.reviewRejectType === "RETRY" ? "resubmission_requested" : "rejected"
    return decide(decision, reviewDate, { reason, publicReason })
  }
  if (reviewResult?.reviewAnswer !== "GREEN") return null
  if (!isEnd(level, reviewDate, question)) return SUBMITTED
  const { entry, accredited } = question
  const claims = {
    ...countryFrom(info?.country ?? info?.idDocs?.[0]?.country),
    age_over_18: isOver18(info?.dob, clock.now()),
    accredited: accredited.includes(entry) || accredited.includes(level) || undefined,
  }
  return decide("approved", reviewDate, { claims })
}

/** Whether an approval at a level is final for a session that started at `entry`. */
function isEnd(level: string, reviewDate: Date, { entry, levels, isFinal }: Question): boolean {
  const ends = levels.finals.get(entry)
  if (ends === undefined && level === entry) return true
  if (ends !== undefined && !ends.has(level)) return false
  if (ends !== undefined && level !== entry) return true
  // The workflow may continue. It has ended if Sumsub says so, or if the applicant has stayed here long enough.
  return isFinal || secondsBetween(reviewDate, clock.now()) >= SETTLED_SECONDS
}
