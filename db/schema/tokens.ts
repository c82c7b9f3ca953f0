import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { HoldState } from "#shared/holds.ts"
import type { Exemption } from "#shared/lots.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import type { ReasonCode } from "#shared/movements.ts"
import type { AuditActor } from "#shared/statuses.ts"
import { ofWorkspace } from "./accounts.ts"
import { schemas } from "./attestations.ts"
import { refersTo, time } from "./columns.ts"

/** Base units of a token: more than a u64 can hold, because sums are stored, too. */
const baseUnits = <Name extends string>(name: Name) => numeric(name, { precision: 39, scale: 0 }).notNull().default("0")

/** A reading of a mint's transactions that goes back from the newest, so that each round is short. */
export type Walk = {
  /** The finalized slot up to which it reads, and the time of its block in Unix seconds. */
  asOf: number
  asOfTime: number
  /** The newest transaction, which is the next cursor. */
  newest: { signature: string; slot: number }
  /** The oldest slot that was read, and one of its transactions. */
  before: { signature: string; slot: number }
}

/** What a customer issues: an asset mint with its rules. */
export const mintConfigs = pgTable(
  "mint_configs",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    name: text().notNull(),
    symbol: text().notNull(),
    decimals: smallint().notNull(),
    requiredSchema: text("required_schema").notNull(),
    /** The mode that binds. `next_transfer_mode` follows once every hold is where that mode keeps it. */
    transferMode: text("transfer_mode").notNull(),
    nextTransferMode: text("next_transfer_mode"),
    /** As in the API, with amounts as decimal strings. */
    rules: jsonb().notNull(),
    paused: boolean().notNull().default(false),
    /** Address of the asset mint, once an operation to create it is in the ledger. */
    mint: text().$type<Address>(),
    /** The key with authority over the mint; null before the mint exists. */
    authority: text().$type<Address>(),
    /**
     * The mint's extensions, recorded before it is created. Null if no worker has begun, or if version 0.1.0 created it:
     * then it has at most Pausable, and `pausable` says whether. Later versions still write that for 0.1.0.
     */
    extensions: text().array().$type<MintExtension[]>(),
    pausable: boolean().notNull().default(false),
    /** When the mint was confirmed on chain. */
    mintedAt: time("minted_at"),
    /** Base units that are minted or reserved, limited by max_supply. */
    issued: baseUnits("issued"),
    /** Base units that are minted. */
    supply: baseUnits("supply"),
    /** Wallets that hold units or are about to, limited by max_holders. */
    holders: integer().notNull().default(0),
    /**
     * Investors who hold units or are about to, by what limits count: all, of a country, not accredited. Null unless a rule
     * of the token counts investors.
     */
    investors: jsonb(),
    /** The last wallet reconciled after a change of rules or mode, empty at first. Null if nothing is left. */
    alignedUpTo: text("aligned_up_to"),
    /** Progress of reading balances back from the chain, after holders could move tokens themselves. */
    countedUpTo: text("counted_up_to"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(schemas, t.workspaceId, t.requiredSchema),
    check("mint_configs_decimals", sql`${t.decimals} between 0 and 9`),
    check("mint_configs_transfer_mode", sql`${t.transferMode} in ('agent', 'holder')`),
    check(
      "mint_configs_next_mode",
      sql`${t.nextTransferMode} is null or (${t.nextTransferMode} = 'holder' and ${t.transferMode} = 'agent')`,
    ),
    check("mint_configs_counters", sql`${t.supply} >= 0 and ${t.issued} >= ${t.supply} and ${t.holders} >= 0`),
    // Configurations of a wallet's schema, to follow its attestation
    index("mint_configs_schema").on(t.workspaceId, t.requiredSchema).where(sql`transfer_mode = 'holder'`),
    // Accounts to reconcile
    index("mint_configs_changing")
      .on(t.workspaceId)
      .where(sql`aligned_up_to is not null or counted_up_to is not null or next_transfer_mode is not null`),
  ],
)

/** A wallet's balance of a configuration, confirmed and pending, in base units. */
export const holdings = pgTable(
  "holdings",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    /** The balance after confirmed operations. In holder mode the chain may differ. */
    balance: baseUnits("balance"),
    incoming: baseUnits("incoming"),
    outgoing: baseUnits("outgoing"),
    /** The sum of what its active holds still hold, including those that have expired and were not ended yet. */
    held: baseUnits("held"),
    /** The sum of its lots: its balance, or zero if that is negative. Less if version 0.1.0 changed the balance since. */
    lotted: baseUnits("lotted"),
    /** Whether it uses one of the holder slots that `holders` counts. */
    counted: boolean().notNull().default(false),
    /**
     * The person whose holding it is, if the token counts investors: an investor, or the wallet itself if no one is known to
     * stand behind it.
     */
    investor: text(),
    /** How many postings it has. A change of its balance that leaves this unchanged is posted by a trigger. */
    posted: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.wallet] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check("holdings_in_flight", sql`${t.incoming} >= 0 and ${t.outgoing} >= 0`),
    check("holdings_held", sql`${t.held} >= 0`),
    // What all wallets of an investor hold
    index("holdings_investor").on(t.workspaceId, t.investor, t.mintConfig).where(sql`investor is not null`),
  ],
)

/**
 * Every change of a holding's balance or of what is held of it, in the order in which the books made it. Their sums are
 * the holding's. A posting does not change, except that one whose transaction becomes final is dated then
 * (`server/domain/tokens/postings/`).
 */
export const postings = pgTable(
  "postings",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    /** Counts from 1 for each holding. */
    seq: bigint({ mode: "bigint" }).notNull(),
    delta: baseUnits("delta"),
    heldDelta: baseUnits("held_delta"),
    /** The holding after it. */
    balance: baseUnits("balance"),
    held: baseUnits("held"),
    /** The operation whose effect it is; null for a change in the books alone. */
    operationId: text("operation_id"),
    /** Where its transaction landed, once that is final; always null if it has none. */
    slot: bigint({ mode: "number" }),
    /** The time of that block, or when the books changed if it has no transaction. Null until that is final. */
    landedAt: time("landed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.wallet, t.seq] }),
    check("postings_dated", sql`${t.slot} is null or ${t.landedAt} is not null`),
    // Postings to date
    index("postings_undated").on(t.workspaceId, t.operationId).where(sql`landed_at is null`),
  ],
)

/**
 * When holders could move a token themselves, and how far their movements are recorded
 * (`server/domain/tokens/holder-movements/`). A trigger writes its beginning and end. After `until`, balances have been read
 * back from the chain.
 */
export const holderPeriods = pgTable(
  "holder_periods",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    since: time("since").notNull(),
    until: time("until"),
    /** Every movement up to this slot is recorded, and the time of its block. Null until a worker has begun. */
    followedSlot: bigint("followed_slot", { mode: "number" }),
    followedAt: time("followed_at"),
    /** The newest of the mint's transactions that counts as read. A history that lacks it is not complete. */
    cursorSignature: text("cursor_signature"),
    cursorSlot: bigint("cursor_slot", { mode: "number" }),
    /** How far a reading has come that takes several rounds, from the newest transaction back to the cursor (`Walk`). */
    walk: jsonb().$type<Walk>(),
    /** Since when nodes lack a part of the history, and when that was last seen. Null if they have it. */
    missingSince: time("missing_since"),
    missingSeenAt: time("missing_seen_at"),
    /** From when movements are unknown, because no node has them. Nothing is recorded any more. */
    lostAt: time("lost_at"),
    /** The last slot before that. Null if none was followed. */
    lostSlot: bigint("lost_slot", { mode: "number" }),
    /** The slot as of which balances are counted at the end. Later periods leave out everything up to it. */
    countedSlot: bigint("counted_slot", { mode: "number" }),
    /** When a worker last read, or until when one is reading. The database's time, which orders the tokens. */
    checkedAt: time("checked_at").notNull().default(sql`'-infinity'`),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.since] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    // Those to follow, longest ago first
    index("holder_periods_followed").on(t.checkedAt).where(sql`until is null and lost_at is null`),
  ],
)

/**
 * What holders moved themselves, on top of the postings. After a count of balances, which includes all of it, a row without a
 * slot takes the sum back. Rows do not change.
 */
export const holderMovements = pgTable(
  "holder_movements",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    delta: baseUnits("delta"),
    slot: bigint({ mode: "number" }),
    /** The time of its block, or when balances were counted. */
    landedAt: time("landed_at").notNull(),
    signature: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.wallet, t.seq] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check("holder_movements_landed", sql`num_nulls(${t.slot}, ${t.signature}) in (0, 2)`),
    // A transaction is recorded once for each wallet
    uniqueIndex("holder_movements_signature").on(t.workspaceId, t.mintConfig, t.wallet, t.signature),
  ],
)

/**
 * The slots of investors among those that `mint_configs.investors` counts. Changed under the lock of the configuration.
 * While an investor gives everything away at a limit, the receiver has the slot of both.
 */
export const investorSlots = pgTable(
  "investor_slots",
  {
    workspaceId: text("workspace_id").notNull(),
    mintConfig: text("mint_config").notNull(),
    /** As in `holdings`. */
    investor: text().notNull(),
    /** The attestation whose claims say where the investor counts. Null: in every country, and as not accredited. */
    attestationId: text("attestation_id"),
    /** The operation with which the slot changes hands; null if none does. */
    lentBy: text("lent_by"),
    /** Who gives everything away with it, and gets the slot back if it fails. */
    lender: text(),
    lenderAttestationId: text("lender_attestation_id"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.mintConfig, t.investor] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check("investor_slots_lent", sql`(${t.lentBy} is null) = (${t.lender} is null)`),
    // The slot of an investor who gives everything away
    index("investor_slots_lender").on(t.workspaceId, t.mintConfig, t.lender).where(sql`lender is not null`),
  ],
)

/** Wallets that a workspace has frozen. Lifting a freeze deletes its row; the audit log keeps both. */
export const walletFreezes = pgTable(
  "wallet_freezes",
  {
    workspaceId: ofWorkspace(),
    wallet: text().$type<Address>().notNull(),
    /** The token's configuration; `*` for every token, including later ones. */
    mintConfig: text("mint_config").notNull(),
    reasonCode: text("reason_code").$type<ReasonCode>().notNull(),
    reference: text().notNull(),
    /** Who froze it, as in the audit log. */
    actor: text().$type<AuditActor>().notNull(),
    actorId: text("actor_id"),
    frozenAt: time("frozen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.wallet, t.mintConfig] })],
)

/**
 * Parts of a wallet's balance that cannot move until they are released or taken. In agent mode they are only here,
 * because the chain holds every balance. Changed under the lock of the holding.
 */
export const holds = pgTable(
  "holds",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    amount: baseUnits("amount"),
    /** What it still holds. What it held when it ended remains here. */
    remaining: baseUnits("remaining"),
    /** What unfinished operations take out of it, and give back if they fail. */
    taking: baseUnits("taking"),
    state: text().$type<HoldState>().notNull(),
    reasonCode: text("reason_code").$type<ReasonCode>().notNull(),
    reference: text().notNull(),
    /** When it ends unless it has ended before; null for never. */
    expiresAt: time("expires_at"),
    /** The token account that holds the units on chain; null if the books alone hold them. */
    account: text().$type<Address>(),
    /**
     * The account that an unfinished operation moves it into, after a change of mode or to another wallet; null if none
     * does.
     */
    nextAccount: text("next_account").$type<Address>(),
    /** The newest operation that placed it, released it, took from it or moved it to another wallet. */
    operationId: text("operation_id"),
    createdAt: time("created_at").notNull(),
    endedAt: time("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check(
      "holds_amounts",
      sql`${t.remaining} >= 0 and ${t.taking} >= 0 and ${t.remaining} + ${t.taking} <= ${t.amount}`,
    ),
    check(
      "holds_state",
      sql`${t.state} in ('pending', 'active', 'released', 'executed', 'expired', 'failed') and (${t.state} in ('pending', 'active')) = (${t.endedAt} is null)`,
    ),
    // The list, newest first
    index("holds_newest").on(t.workspaceId, t.seq.desc()),
    // Those that bind a wallet
    index("holds_open").on(t.workspaceId, t.mintConfig, t.wallet).where(sql`state in ('pending', 'active')`),
    // Those to end when their time has come
    index("holds_expiring").on(t.workspaceId, t.expiresAt).where(sql`state = 'active' and expires_at is not null`),
  ],
)

/**
 * When and under which exemption a wallet acquired the units that it holds. Those of a wallet add up to its balance. Changed
 * under the lock of the holding. What is used up is deleted.
 */
export const lots = pgTable(
  "lots",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    mintConfig: text("mint_config").notNull(),
    wallet: text().$type<Address>().notNull(),
    units: baseUnits("units"),
    /** Null if it is not known. */
    acquiredAt: time("acquired_at"),
    exemption: text().$type<Exemption>().notNull(),
    /** The lot that it was split from, which may be used up. */
    parent: text(),
    /** The operation with which the wallet got it; null if none is known. */
    operationId: text("operation_id"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check("lots_units", sql`${t.units} > 0`),
    // The oldest first, those without a date last
    index("lots_oldest").on(t.workspaceId, t.mintConfig, t.wallet, t.acquiredAt, t.seq),
  ],
)
