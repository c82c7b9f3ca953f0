import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { VendorRedaction } from "#shared/statuses.ts"
import { bytes, refersTo, time } from "./columns.ts"

/** Records that a person's data was erased, and when. Contains only wallet addresses. */
export const erasures = pgTable(
  "erasures",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    /** Orders the erasures of one investor. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    investorId: text("investor_id").notNull(),
    wallets: text().array().$type<Address[]>().notNull(),
    /** Attestations that were emptied, and how many of them were in force and revoked by it. */
    attestations: integer().notNull(),
    revoked: integer().notNull(),
    erasedAt: time("erased_at").notNull(),
    /** Requests that arrived until then and name the person are not logged. Null for erasures of earlier versions. */
    requestsUntil: time("requests_until"),
    /** Whether the last of these that were being logged during the erasure are deleted. */
    requestsCleared: boolean("requests_cleared").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    // The last erasure of an investor
    index("erasures_investor").on(t.workspaceId, t.investorId, t.seq.desc()),
    // Erasures that a request arrived before
    index("erasures_requests").on(t.workspaceId, t.requestsUntil),
    // Erasures whose requests are to be deleted a last time
    index("erasures_uncleared").on(t.erasedAt).where(sql`not requests_cleared`),
  ],
)

/** Data that a vendor keeps of an erased person, until it has deleted it. */
export const vendorRedactions = pgTable(
  "vendor_redactions",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    erasureId: text("erasure_id").notNull(),
    provider: text().notNull(),
    /** The vendor's id of it, sealed with the data key; null once nothing is left to delete. */
    reference: bytes(),
    status: text().$type<VendorRedaction>().notNull(),
    attempts: integer().notNull().default(0),
    /** When to ask the vendor next. */
    nextAttemptAt: time("next_attempt_at").notNull(),
    doneAt: time("done_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(erasures, t.workspaceId, t.erasureId),
    check("vendor_redactions_status", sql`${t.status} in ('requested', 'done', 'not_supported', 'kept')`),
    // Redactions of one erasure
    index("vendor_redactions_erasure").on(t.workspaceId, t.erasureId),
    // Vendors to ask
    index("vendor_redactions_due").on(t.nextAttemptAt).where(sql`status = 'requested'`),
  ],
)
