import { sql } from "drizzle-orm"
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Finding, ReviewDecision, ReviewEnding, ReviewKind, ReviewState } from "#shared/reviews.ts"
import { workspaces } from "./accounts.ts"
import { attestations, investors } from "./attestations.ts"
import { bytes, time } from "./columns.ts"
import { users } from "./users.ts"

/** What a person has to decide, and what they decided. Who is named stays named when they leave the account. */
export const reviews = pgTable(
  "reviews",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    id: text().notNull(),
    /** Orders those that were opened at the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    kind: text().$type<ReviewKind>().notNull(),
    /** What it is about, in one column: the id of the attestation, the wallet, or the id of the investor. */
    subject: text().notNull(),
    attestationId: text("attestation_id"),
    wallet: text().$type<Address>(),
    investorId: text("investor_id"),
    openedAt: time("opened_at").notNull(),
    /** When something was found last. */
    foundAt: time("found_at").notNull(),
    /** Counts what changes the ground of a decision: nobody decides on what they have not seen. */
    version: integer().notNull().default(1),
    /** Claims that the vendor sent without a decision; sealed. */
    claims: bytes(),
    /** Claims of an approval that waits to be confirmed; sealed. */
    approvedClaims: bytes("approved_claims"),
    assignee: text().references(() => users.id, { onDelete: "set null" }),
    state: text().$type<ReviewState>().notNull().default("open"),

    decision: text().$type<ReviewDecision>(),
    /** Why, for the account's own people; sealed. */
    reason: bytes(),
    publicReason: text("public_reason").$type<PublicReason>(),
    /** Where two have to agree: who asked for the decision. */
    requestedBy: text("requested_by"),
    requestedAt: time("requested_at"),
    decidedBy: text("decided_by"),
    decidedAt: time("decided_at"),
    ending: text().$type<ReviewEnding>(),
    closedAt: time("closed_at"),
    /** When it was emptied with the person: nothing is written to it any more. */
    erasedAt: time("erased_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    foreignKey({
      columns: [t.workspaceId, t.attestationId],
      foreignColumns: [attestations.workspaceId, attestations.id],
    }),
    foreignKey({
      columns: [t.workspaceId, t.investorId],
      foreignColumns: [investors.workspaceId, investors.id],
    }),
    check("reviews_kind", sql`${t.kind} in ('vendor', 'screening', 'signal', 'reversal')`),
    check(
      "reviews_state",
      sql`case ${t.state} when 'open' then ${t.decision} is null and ${t.closedAt} is null
        when 'requested' then ${t.decision} is not null and ${t.requestedBy} is not null and ${t.closedAt} is null
        when 'closed' then ${t.closedAt} is not null and ${t.ending} is not null else false end`,
    ),
    // Whatever the code does: nobody confirms what they have asked for.
    check("reviews_four_eyes", sql`${t.decidedBy} <> ${t.requestedBy}`),
    check(
      "reviews_public_reason",
      sql`${t.publicReason} in ('documents_unreadable', 'information_mismatch', 'not_eligible', 'withdrawn', 'resubmit', 'unverifiable')`,
    ),
    // One open review of a subject and kind: what is found again joins it
    uniqueIndex("reviews_one_open").on(t.workspaceId, t.kind, t.subject).where(sql`state <> 'closed'`),
    // The queue, newest first; and the count in the menu
    index("reviews_newest").on(t.workspaceId, t.seq.desc()),
    index("reviews_waiting").on(t.workspaceId, t.seq.desc()).where(sql`state <> 'closed'`),
    // Those of a wallet, and of an attestation that ends
    index("reviews_wallet").on(t.workspaceId, t.wallet, t.seq.desc()),
    index("reviews_attestation").on(t.workspaceId, t.attestationId).where(sql`state <> 'closed'`),
  ],
)

/** What was found, and what people noted about it, in order. */
export const reviewEntries = pgTable(
  "review_entries",
  {
    workspaceId: text("workspace_id").notNull(),
    reviewId: text("review_id").notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    at: time("at").notNull(),
    /** Null for a note. */
    finding: text().$type<Finding>(),
    /** Who noted it, by the name of that time; null for a finding. */
    authorId: text("author_id"),
    authorName: text("author_name"),
    /** Sealed; null where the finding says all, and once erased. */
    text: bytes(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.reviewId, t.seq] }),
    foreignKey({ columns: [t.workspaceId, t.reviewId], foreignColumns: [reviews.workspaceId, reviews.id] }),
    check("review_entries_author", sql`(${t.finding} is null) = (${t.authorId} is not null)`),
  ],
)
