import { sql } from "drizzle-orm"
import { bigint, check, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { RecoveryReason, RecoveryState } from "#shared/recoveries.ts"
import type { AuditActor } from "#shared/statuses.ts"
import { ofWorkspace } from "./accounts.ts"
import { time } from "./columns.ts"

/** Wallets that were reported as lost, and what moves their tokens to other wallets of their investors. */
export const recoveries = pgTable(
  "recoveries",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    /** The investor who had both wallets at the request. They may have been merged into another one since. */
    investorId: text("investor_id").notNull(),
    lostWallet: text("lost_wallet").$type<Address>().notNull(),
    /** Null until the request names one. */
    newWallet: text("new_wallet").$type<Address>(),
    reasonCode: text("reason_code").$type<RecoveryReason>().notNull(),
    reference: text().notNull(),
    /** base64url */
    documentSha256: text("document_sha256"),
    /** While it is `awaiting_approval`, what comes of the approval decides. */
    state: text().$type<RecoveryState>().notNull(),
    /** Since when the lost wallet is barred because of this recovery; null if it is not. */
    barredAt: time("barred_at"),
    approvalId: text("approval_id"),
    /** Why it failed or was rejected. */
    errorCode: text("error_code"),
    errorDetail: text("error_detail"),
    /** Who requested it, as in the audit log. */
    actor: text().$type<AuditActor>().notNull(),
    actorId: text("actor_id"),
    createdAt: time("created_at").notNull(),
    /** When the tokens began to move. */
    begunAt: time("begun_at"),
    endedAt: time("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check(
      "recoveries_state",
      sql`${t.state} in ('barred', 'awaiting_approval', 'in_progress', 'completed', 'rejected', 'failed') and (${t.state} in ('barred', 'awaiting_approval', 'in_progress')) = (${t.endedAt} is null)`,
    ),
    check("recoveries_new_wallet", sql`${t.newWallet} is not null or ${t.state} in ('barred', 'rejected')`),
    // A wallet's bar, which every mint and transfer reads
    index("recoveries_barred").on(t.workspaceId, t.lostWallet).where(sql`barred_at is not null`),
    // One at a time for each lost wallet
    uniqueIndex("recoveries_open")
      .on(t.workspaceId, t.lostWallet)
      .where(sql`state in ('barred', 'awaiting_approval', 'in_progress')`),
    // Those to carry on with
    index("recoveries_in_progress").on(t.workspaceId, t.seq).where(sql`state = 'in_progress'`),
    // An investor's, newest first
    index("recoveries_of_investor").on(t.workspaceId, t.investorId, t.seq.desc()),
  ],
)
