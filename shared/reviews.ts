import type { ReviewDecision } from "./review-decisions.ts"

/** The kinds of reviews. `decisions` lists the possible decisions in the order of their buttons. */
export const reviewKinds = {
  vendor: {
    label: "Provider review",
    summary: "The KYC provider left this verification in review.",
    decisions: ["approve", "request_resubmission", "reject"],
  },
  screening: {
    label: "Wallet list match",
    summary: "The wallet was found on a screening list.",
    decisions: ["clear", "revoke"],
  },
  signal: {
    label: "Provider signal",
    summary: "The KYC provider reported something after its decision.",
    decisions: ["clear", "revoke"],
  },
  reversal: {
    label: "Provider reversal",
    summary: "The KYC provider approved a person it had rejected before.",
    decisions: ["approve", "keep_rejected"],
  },
  limit: {
    label: "Investor limit",
    summary: "An investor is above a limit of a token.",
    decisions: ["clear"],
  },
} as const satisfies Record<string, { label: string; summary: string; decisions: readonly ReviewDecision[] }>

export type ReviewKind = keyof typeof reviewKinds
export const allReviewKinds = Object.keys(reviewKinds) as ReviewKind[]

/** The findings in words. The review's detail has the rest. */
export const findings = {
  in_review: "The provider could not decide",
  reversed: "The provider approved after its rejection",
  wallet_listed: "The wallet was found on a list",
  watchlist_match: "Watchlist match",
  case_opened: "The provider opened a case",
  person_deactivated: "The provider deactivated the person",
  data_deleted: "The provider deleted the person’s data",
  over_limit: "Above a limit of a token",
} as const satisfies Record<string, string>

export type Finding = keyof typeof findings

/** The longest text of a finder that is shown as a heading. */
const LONGEST_HEADLINE = 120

type Headed = { said: string | null; finding: Finding }

/** A finder's words, or their first sentence if they are long. Null if that is long too, or only an event's name. */
export function shortWords(said: string | null): string | null {
  const [sentence] =
    said !== null && said.length > LONGEST_HEADLINE ? (/^.*?(?=[.!?]\s)/s.exec(said) ?? [said]) : [said]
  return sentence?.includes(" ") && sentence.length <= LONGEST_HEADLINE ? sentence : null
}

/** Why the review exists: its finder's words, or ours. */
export const headlineOf = ({ said, finding }: Headed): string => shortWords(said) ?? findings[finding]

/** `requested`: a member has decided, and another one has to confirm. */
export type ReviewState = "open" | "requested" | "closed"

/** Why a review closed: a member decided, or nothing was left to decide. */
export const reviewEndings = {
  decided: "Decided",
  vendor: "Closed: the provider decided",
  expired: "Closed: the session expired",
  revoked: "Closed: the verification was ended",
  erased: "Closed: the data was erased",
  unlisted: "Closed: the wallet left the list",
} as const satisfies Record<string, string>

export type ReviewEnding = keyof typeof reviewEndings
export const allReviewEndings = Object.keys(reviewEndings) as ReviewEnding[]

export const reviewPriorities = {
  urgent: "Urgent",
  high: "High",
  normal: "Normal",
} as const satisfies Record<string, string>

export type ReviewPriority = keyof typeof reviewPriorities
export const allReviewPriorities = Object.keys(reviewPriorities) as ReviewPriority[]

const DAY_MS = 86_400_000

type Found = {
  kind: ReviewKind
  finding: Finding
  /** The finding in its finder's words. */
  said: string | null
  openedAt: Date
  sessionOpenUntil: Date | null
}

/** Vendors report matches in free text, such as "PEP screening: 1 possible match" or "OFAC Sanctions List". */
export const SCREENING = /sanction|\bpeps?\b|politically[ -]exposed|watch[ -]?list|adverse[ -]media/i

/**
 * From when a review is of high priority, and from when it is urgent. Urgent: the person may be on a list, or the
 * session closes within two days. High: a vendor names a sanctions, PEP, watchlist or adverse media screening, or has
 * changed its mind about a person who may hold tokens, or the review is a week old. What is urgent is high, too.
 */
export function priorityTimesOf({ kind, finding, said, openedAt, sessionOpenUntil }: Found): {
  highFrom: Date
  urgentFrom: Date | null
} {
  const isListed = kind === "screening" || finding === "watchlist_match"
  const closing = sessionOpenUntil && new Date(sessionOpenUntil.getTime() - 2 * DAY_MS)
  const urgentFrom = isListed ? openedAt : closing
  const isScreening = said !== null && SCREENING.test(said.replaceAll("_", " "))
  const isHigh = kind === "signal" || kind === "reversal" || isScreening
  const highFrom = isHigh ? openedAt : new Date(openedAt.getTime() + 7 * DAY_MS)
  return { highFrom: urgentFrom !== null && urgentFrom < highFrom ? urgentFrom : highFrom, urgentFrom }
}

/** How soon a waiting review needs a decision. */
export function priorityAt(
  { high_from, urgent_from }: { high_from: string | null; urgent_from: string | null },
  now: number,
): ReviewPriority {
  const hasCome = (time: string | null) => time !== null && Date.parse(time) <= now
  return hasCome(urgent_from) ? "urgent" : hasCome(high_from) ? "high" : "normal"
}
