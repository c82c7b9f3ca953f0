import { sql } from "drizzle-orm"
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { ReviewDecision } from "#shared/review-decisions.ts"
import type { Finding, ReviewEnding, ReviewKind, ReviewState } from "#shared/reviews.ts"
import { ofWorkspace } from "./accounts.ts"
import { attestations, investors } from "./attestations.ts"
import { bytes, refersTo, time } from "./columns.ts"
import { users } from "./users.ts"

/** What a person has to decide, and the decision. Names in it stay after a member leaves the account. */
export const reviews = pgTable(
  "reviews",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    /** Orders reviews of the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    kind: text().$type<ReviewKind>().notNull(),
    /** The subject, in one column: the id of the attestation, the wallet, or the id of the investor. */
    subject: text().notNull(),
    attestationId: text("attestation_id"),
    wallet: text().$type<Address>(),
    investorId: text("investor_id"),
    openedAt: time("opened_at").notNull(),
    /** When the last finding was added. */
    foundAt: time("found_at").notNull(),
    /** From when it is at least of high priority. Null until `fillPriorities` has read what an older version opened. */
    highFrom: time("high_from"),
    /** From when it is urgent, never before `highFrom`. Null if never. */
    urgentFrom: time("urgent_from"),
    /** Increases with every change that matters to a decision, so that no one decides on facts they have not seen. */
    version: integer().notNull().default(1),
    /** Claims that the vendor sent without a decision; sealed. */
    claims: bytes(),
    /** Claims of an approval that waits for confirmation; sealed. */
    approvedClaims: bytes("approved_claims"),
    assignee: text().references(() => users.id, { onDelete: "set null" }),
    state: text().$type<ReviewState>().notNull().default("open"),

    decision: text().$type<ReviewDecision>(),
    /** The reason, for members only; sealed. */
    reason: bytes(),
    publicReason: text("public_reason").$type<PublicReason>(),
    /** Who asked for a decision that needed the approval of further members. */
    requestedBy: text("requested_by"),
    requestedAt: time("requested_at"),
    decidedBy: text("decided_by"),
    decidedAt: time("decided_at"),
    ending: text().$type<ReviewEnding>(),
    closedAt: time("closed_at"),
    /** When it was emptied because the person was erased. Nothing more is written to it. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(attestations, t.workspaceId, t.attestationId),
    refersTo(investors, t.workspaceId, t.investorId),
    check("reviews_kind", sql`${t.kind} in ('vendor', 'screening', 'signal', 'reversal', 'limit')`),
    check(
      "reviews_state",
      sql`case ${t.state} when 'open' then ${t.decision} is null and ${t.closedAt} is null
        when 'requested' then ${t.decision} is not null and ${t.requestedBy} is not null and ${t.closedAt} is null
        when 'closed' then ${t.closedAt} is not null and ${t.ending} is not null else false end`,
    ),
    // A safeguard below the code: no one confirms their own request.
    check("reviews_four_eyes", sql`${t.decidedBy} <> ${t.requestedBy}`),
    check(
      "reviews_public_reason",
      sql`${t.publicReason} in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable')`,
    ),
    // One open review per subject and kind: new findings join it
    uniqueIndex("reviews_one_open").on(t.workspaceId, t.kind, t.subject).where(sql`state <> 'closed'`),
    // The queue, newest first; and the count in the menu
    index("reviews_newest").on(t.workspaceId, t.seq.desc()),
    index("reviews_waiting").on(t.workspaceId, t.seq.desc()).where(sql`state <> 'closed'`),
    // The queue by priority: each priority is a range of `high_from`
    index("reviews_priority").on(t.workspaceId, t.highFrom, t.urgentFrom, t.seq).where(sql`state <> 'closed'`),
    // The search for what they are about
    index("reviews_subject").on(t.workspaceId, t.subject),
    // Reviews of a wallet, and of an attestation that ends
    index("reviews_wallet").on(t.workspaceId, t.wallet, t.seq.desc()),
    index("reviews_attestation").on(t.workspaceId, t.attestationId).where(sql`state <> 'closed'`),
  ],
)

/** Findings and members' notes, in order. */
export const reviewEntries = pgTable(
  "review_entries",
  {
    workspaceId: text("workspace_id").notNull(),
    reviewId: text("review_id").notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    at: time("at").notNull(),
    /** Null for a note. */
    finding: text().$type<Finding>(),
    /** The note's author by their name at that time; null for a finding. */
    authorId: text("author_id"),
    authorName: text("author_name"),
    /** Sealed; null if the finding says everything, and after an erasure. */
    text: bytes(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.reviewId, t.seq] }),
    refersTo(reviews, t.workspaceId, t.reviewId),
    check("review_entries_author", sql`(${t.finding} is null) = (${t.authorId} is not null)`),
  ],
)
