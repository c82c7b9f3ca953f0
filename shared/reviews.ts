/** Why a person has to look at something. `decisions` are what they may come to, in the order of their buttons. */
export const reviewKinds = {
  vendor: {
    label: "Vendor review",
    summary: "The KYC vendor left this verification in review.",
    decisions: ["approve", "request_resubmission", "reject"],
  },
  screening: {
    label: "Wallet list match",
    summary: "The wallet was found on a screening list.",
    decisions: ["clear", "revoke"],
  },
  signal: {
    label: "Vendor signal",
    summary: "The KYC vendor reported something after its decision.",
    decisions: ["clear", "revoke"],
  },
  reversal: {
    label: "Vendor reversal",
    summary: "The KYC vendor approved a person whom it had rejected.",
    decisions: ["approve", "keep_rejected"],
  },
} as const satisfies Record<string, { label: string; summary: string; decisions: readonly string[] }>

export type ReviewKind = keyof typeof reviewKinds
export const allReviewKinds = Object.keys(reviewKinds) as ReviewKind[]

/** `told`: the investor learns of it, by a public reason code. */
export const reviewDecisions = {
  approve: { label: "Approve", past: "Approved", told: false },
  request_resubmission: { label: "Request resubmission", past: "Resubmission requested", told: true },
  reject: { label: "Reject", past: "Rejected", told: true },
  keep_rejected: { label: "Keep rejected", past: "Kept rejected", told: false },
  clear: { label: "Clear", past: "Cleared", told: false },
  revoke: { label: "Revoke", past: "Revoked", told: true },
} as const satisfies Record<
  (typeof reviewKinds)[ReviewKind]["decisions"][number],
  { label: string; past: string; told: boolean }
>

export type ReviewDecision = keyof typeof reviewDecisions
export const allReviewDecisions = Object.keys(reviewDecisions) as ReviewDecision[]

/** What was found, as people read it. Whatever else there is to say is the review's detail. */
export const findings = {
  in_review: "The vendor could not decide",
  reversed: "The vendor approved after its rejection",
  wallet_listed: "The wallet was found on a list",
  watchlist_match: "Watchlist match",
  case_opened: "The vendor opened a case",
  person_deactivated: "The vendor deactivated the person",
  data_deleted: "The vendor deleted the person’s data",
} as const satisfies Record<string, string>

export type Finding = keyof typeof findings

/** `requested`: somebody has decided, and another member has to confirm it. */
export type ReviewState = "open" | "requested" | "closed"

/** Why a review closed: by a person's decision, or because there was nothing left to decide. */
export const reviewEndings = {
  decided: "Decided",
  vendor: "Closed: the vendor decided",
  expired: "Closed: the session expired",
  revoked: "Closed: the verification was ended",
  erased: "Closed: the data was erased",
  unlisted: "Closed: the wallet left the list",
} as const satisfies Record<string, string>

export type ReviewEnding = keyof typeof reviewEndings
export const allReviewEndings = Object.keys(reviewEndings) as ReviewEnding[]

export const isReviewDecision = (value: unknown): value is ReviewDecision =>
  typeof value === "string" && Object.hasOwn(reviewDecisions, value)
