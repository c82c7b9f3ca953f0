import { sql } from "drizzle-orm"
import { bigint, check, index, integer, numeric, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { DistributionState, Settlement } from "#shared/distributions.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { refersTo, time } from "./columns.ts"
import { snapshots } from "./snapshots.ts"
import { mintConfigs } from "./tokens.ts"

/** Base units. A sum may exceed what a token account can hold. */
const units = <Name extends string>(name: Name) => numeric(name, { precision: 39, scale: 0 })

/** What is paid to the holders in a snapshot. Its amounts never change. */
export const distributions = pgTable(
  "distributions",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    /** Its holders are paid. */
    snapshotId: text("snapshot_id").notNull(),
    /** The snapshot's token. */
    mintConfig: text("mint_config").notNull(),
    settlement: text().$type<Settlement>().notNull(),
    /** For `stablecoin` only. */
    paymentMint: text("payment_mint").$type<Address>(),
    /** Decimals of the amounts. */
    decimals: integer().notNull(),
    /** Whole payment tokens for each whole token, as sent; null if the request named a total. */
    perUnit: text("per_unit"),
    minimum: units("minimum").notNull(),
    exclude: text().$type<Address>().array().notNull(),
    total: units("total").notNull(),
    allocated: units("allocated").notNull(),
    remainder: units("remainder").notNull(),
    /** Base units of the token that the payouts count. */
    units: units("units").notNull(),
    payouts: integer().notNull(),
    reasonCode: text("reason_code").$type<ReasonCode>().notNull(),
    reference: text().notNull(),
    /** While it is `awaiting_approval`, what comes of the approval decides. */
    state: text().$type<DistributionState>().notNull(),
    approvalId: text("approval_id"),
    /** Why Vouch paused it; null if a caller did. */
    pauseCode: text("pause_code"),
    pauseDetail: text("pause_detail"),
    createdAt: time("created_at").notNull(),
    startedAt: time("started_at"),
    endedAt: time("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(snapshots, t.workspaceId, t.snapshotId),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check(
      "distributions_state",
      sql`${t.state} in ('draft', 'awaiting_approval', 'paying', 'paused', 'completed', 'cancelled') and (${t.state} in ('completed', 'cancelled')) = (${t.endedAt} is not null)`,
    ),
    check(
      "distributions_settlement",
      sql`${t.settlement} in ('in_kind', 'stablecoin', 'external') and (${t.settlement} = 'stablecoin') = (${t.paymentMint} is not null)`,
    ),
    check("distributions_sum", sql`${t.allocated} + ${t.remainder} = ${t.total}`),
    // Those to carry on with
    index("distributions_paying").on(t.workspaceId, t.seq).where(sql`state = 'paying'`),
    // The list, newest first
    index("distributions_newest").on(t.workspaceId, t.seq.desc()),
  ],
)

/**
 * What a distribution owes one wallet. Its status is its operation's, unless it is withheld or was paid
 * elsewhere.
 */
export const payouts = pgTable(
  "payouts",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    distributionId: text("distribution_id").notNull(),
    /** The holder on the record date, and who it was then. */
    wallet: text().$type<Address>().notNull(),
    investorId: text("investor_id"),
    units: units("units").notNull(),
    amount: units("amount").notNull(),
    /** The newest operation that pays it. */
    operationId: text("operation_id"),
    /** The wallet that it went to, if the holder's was lost and recovered. */
    paidTo: text("paid_to").$type<Address>(),
    /** Why nothing has begun; null if nothing keeps it. */
    withheldCode: text("withheld_code"),
    withheldDetail: text("withheld_detail"),
    /** When and with which reference it was paid elsewhere. */
    paidAt: time("paid_at"),
    externalReference: text("external_reference"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(distributions, t.workspaceId, t.distributionId),
    check("payouts_amount", sql`${t.amount} > 0`),
    check("payouts_withheld", sql`(${t.withheldCode} is null) = (${t.withheldDetail} is null)`),
    check(
      "payouts_external",
      sql`(${t.paidAt} is null) = (${t.externalReference} is null) and (${t.paidAt} is null or num_nonnulls(${t.operationId}, ${t.withheldCode}) = 0)`,
    ),
    // One for each wallet, in the order of the list
    uniqueIndex("payouts_wallet").on(t.workspaceId, t.distributionId, t.wallet),
    // Those to begin
    index("payouts_pending")
      .on(t.workspaceId, t.distributionId, t.wallet)
      .where(sql`operation_id is null and withheld_code is null and paid_at is null`),
  ],
)
