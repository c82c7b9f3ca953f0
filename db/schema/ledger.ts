import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { LedgerReport, LowPayer } from "#shared/ledger-report.ts"
import type { Mode } from "#shared/mode.ts"
import type { OperationStatus, TransactionStatus } from "#shared/statuses.ts"
import { ofWorkspace } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

/**
 * One intended effect on the chain. Inserted in the transaction of the change that needs it, and updated only by the
 * ledger. Old ones are in `archived_operations`, and their transactions in `archived_transactions`
 * (`server/ledger/archive.ts`). These inherit from the two main tables, which Drizzle cannot express: a statement on
 * `operations` reads both, one on `only operations` just the main table. New columns reach them automatically, indexes
 * do not.
 */
export const operations = pgTable(
  "operations",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    /** Order of operations on the same account. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    status: text().$type<OperationStatus>().notNull(),
    /** What the kind needs to build its instructions. */
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Accounts that it changes, and accounts that must not change under it (as in Sealevel). */
    writes: text().array().notNull(),
    reads: text().array().notNull(),
    /** For a token operation: its configuration, the recipient and the sender. */
    mintConfig: text("mint_config"),
    wallet: text().$type<Address>(),
    fromWallet: text("from_wallet").$type<Address>(),
    /** Signature of its current or last transaction. */
    signature: text(),
    attempts: integer().notNull().default(0),
    /** Whether it failed in a batch, and is now retried alone. */
    alone: boolean().notNull().default(false),
    /** Whether it takes rights away, and so goes before all others. */
    urgent: boolean().notNull().default(false),
    /** Whether it was confirmed before and vanished with its slot. Its effects in the database remain. */
    redo: boolean().notNull().default(false),
    /** How often its transaction expired and was signed again. */
    expiries: integer().notNull().default(0),
    /** The cost of its transactions so far, in lamports: its share of their fees, and its accounts' rent. */
    fee: bigint({ mode: "bigint" }),
    rent: bigint({ mode: "bigint" }),
    notBefore: time("not_before"),
    errorCode: text("error_code"),
    errorDetail: text("error_detail"),
    /** The span that queued it, as a W3C traceparent; null if it is not traced. */
    traceparent: text(),
    createdAt: time("created_at").notNull(),
    finishedAt: time("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("operations_status", sql`${t.status} in ('queued', 'submitted', 'confirmed', 'failed')`),
    check("operations_submitted", sql`${t.status} not in ('submitted') or ${t.signature} is not null`),
    // The queue: unfinished operations of a workspace in order
    index("operations_unfinished").on(t.workspaceId, t.seq).where(sql`status in ('queued', 'submitted')`),
    // Urgent operations
    index("operations_urgent").on(t.workspaceId, t.seq).where(sql`urgent and status in ('queued', 'submitted')`),
    // GET /token/operations: all, and those of a wallet on either side
    index("operations_tokens")
      .on(t.workspaceId, t.seq.desc())
      .where(sql`kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release')`),
    index("operations_wallet").on(t.workspaceId, t.wallet, t.seq.desc()).where(sql`wallet is not null`),
    index("operations_from_wallet").on(t.workspaceId, t.fromWallet, t.seq.desc()).where(sql`from_wallet is not null`),
    // Failed ones: few, and scattered
    index("operations_failed")
      .on(t.workspaceId, t.seq.desc())
      .where(sql`status = 'failed' and kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release')`),
    // Operations of a transaction, to settle them
    index("operations_signature").on(t.workspaceId, t.signature).where(sql`signature is not null`),
    // The operation of a payout: at most one that has not failed
    uniqueIndex("operations_payout")
      .on(t.workspaceId, sql`(payload ->> 'payout_id')`)
      .where(sql`payload ->> 'payout_id' is not null and status <> 'failed'`),
    // Operations to archive
    index("operations_ended").on(t.workspaceId, t.finishedAt).where(sql`finished_at is not null`),
  ],
)

/** A signed transaction. Saved before it is sent, and kept as evidence of what was signed. */
export const transactions = pgTable(
  "transactions",
  {
    signature: text().primaryKey(),
    workspaceId: ofWorkspace(),
    mode: text().$type<Mode>().notNull(),
    /** The exact bytes to send; null some time after it is finalized. */
    wire: bytes(),
    /** Number of instructions before those of the first operation (compute budget). */
    head: integer().notNull(),
    /** Instructions of each operation, in order: `[[operation_id, count], …]`. */
    layout: jsonb().$type<[operationId: string, instructions: number][]>().notNull(),
    /** The slot of its blockhash: it cannot have landed earlier. Null if a restore found it on the chain. */
    signedSlot: bigint("signed_slot", { mode: "number" }),
    lastValidBlockHeight: bigint("last_valid_block_height", { mode: "number" }).notNull(),
    /** Its cost in lamports once it lands, without rent. Null if a restore found it on the chain. */
    fee: bigint({ mode: "number" }),
    /** Rent in lamports: the maximum until it is counted, then the actual amount. */
    rent: bigint({ mode: "number" }),
    /** When its cost was allocated to its operations and month. */
    countedAt: time("counted_at"),
    status: text().$type<TransactionStatus>().notNull(),
    slot: bigint({ mode: "number" }),
    error: jsonb(),
    /** Why no node can say whether it landed, in a few words; null if it is not in doubt. */
    doubt: text(),
    createdAt: time("created_at").notNull(),
    settledAt: time("settled_at"),
    /** When it was found finalized. */
    finalizedAt: time("finalized_at"),
  },
  (t) => [
    check("transactions_status", sql`${t.status} in ('saved', 'confirmed', 'failed', 'expired')`),
    // The tracker: transactions that may still land
    index("transactions_pending").on(t.mode, t.createdAt).where(sql`status = 'saved'`),
    // Transactions that may still vanish
    index("transactions_unfinalized").on(t.mode, t.slot).where(sql`status = 'confirmed' and finalized_at is null`),
    // Transactions whose bytes can be dropped
    index("transactions_created").using("brin", t.createdAt),
    index("transactions_workspace").on(t.workspaceId, t.createdAt),
    // Transactions whose cost has not been counted
    index("transactions_uncounted")
      .on(t.mode, t.settledAt)
      .where(sql`status in ('confirmed', 'failed') and fee is not null and counted_at is null`),
  ],
)

/** Cost of a workspace's transactions in a calendar month (UTC), in lamports. */
export const chainCosts = pgTable(
  "chain_costs",
  {
    workspaceId: ofWorkspace(),
    /** First day of the month, `YYYY-MM-01`. */
    period: text().notNull(),
    transactions: bigint({ mode: "bigint" }).notNull(),
    fee: bigint({ mode: "bigint" }).notNull(),
    rent: bigint({ mode: "bigint" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.period] })],
)

/** Token accounts whose rent was paid. The holder who closes an empty account keeps its rent. */
export const paidAccounts = pgTable(
  "paid_accounts",
  {
    workspaceId: ofWorkspace(),
    account: text().notNull(),
    /** How often the rent was paid. */
    times: integer().notNull(),
    /** The month of the last payment, and the payments in it, not counting the very first one. */
    period: text().notNull(),
    reopened: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.account] })],
)

/** The worker that processes a workspace's queue, and until when, by the database's time. */
export const ledgerLeases = pgTable("ledger_leases", {
  workspaceId: ofWorkspace().primaryKey(),
  /** Changes each time the lease is taken. What was signed under an older one is not saved. */
  token: text().notNull().default(""),
  until: time("until").notNull().default(sql`'-infinity'`),
  /** Increases with each change that invalidates operations being signed (`server/ledger/lease.ts`). */
  version: integer().notNull().default(0),
})

/** The chain that each mode has been bound to since its first use. */
export const chains = pgTable("chains", {
  mode: text().$type<Mode>().primaryKey(),
  genesisHash: text("genesis_hash").notNull(),
  /** Everything that this database has no record of landed in or after this slot (`server/ledger/restore/`). */
  seenSlot: bigint("seen_slot", { mode: "number" }),
  /** The run of the database's server that was last compared with the chain, and its timeline. */
  server: text(),
  lineage: text(),
  /** Why another run has not been compared yet, in a few words. */
  waitsFor: text("waits_for"),
})

/** Keys that pay for a mode or once did. */
export const feePayers = pgTable(
  "fee_payers",
  {
    mode: text().$type<Mode>().notNull(),
    address: text().$type<Address>().notNull(),
    /** URI of the signer (`server/solana/signers/`). */
    uri: text().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.mode, t.address] })],
)

/** Public keys derived from VOUCH_SIGNER by purpose, except workspaces': web processes have no VOUCH_SIGNER. */
export const derivedKeys = pgTable("derived_keys", {
  purpose: text().primaryKey(),
  address: text().$type<Address>().notNull(),
})

/** The key that a service returned at first. A different one is never accepted. */
export const signerKeys = pgTable("signer_keys", {
  uri: text().primaryKey(),
  address: text().$type<Address>().notNull(),
  pinnedAt: time("pinned_at").notNull(),
})

/** Workspaces in quarantine: nothing is signed, because the chain shows transactions that their rows do not explain. */
export const quarantines = pgTable("quarantines", {
  workspaceId: ofWorkspace().primaryKey(),
  since: time("since").notNull(),
  differences: jsonb().$type<Unexplained[]>().notNull(),
})

/** When each workspace was last compared with the chain, up to which slot, and the number of differences. */
export const audits = pgTable("audits", {
  workspaceId: ofWorkspace().primaryKey(),
  /** Everything before it was compared once it was finalized. */
  slot: bigint({ mode: "number" }),
  at: time("at"),
  differences: integer().notNull().default(0),
  /** When all of it, with accounts, was compared without a difference. */
  fullAt: time("full_at"),
  /** Until when one worker has it, by the database's time. */
  claimedUntil: time("claimed_until"),
})

/** Landed transactions that no row explains. A person decides; an account that is empty again needs no decision. */
export type Unexplained = {
  signature: string
  /** The id in its memo, and the memo. */
  id: string
  memo: string
  instruction: string
  detail: string
  mint: string | null
  account: string | null
  wallet: string | null
}

/** Workers that are alive, for /health of processes without workers. */
export const workers = pgTable("workers", {
  id: text().primaryKey(),
  seenAt: time("seen_at").notNull(),
  /** What stops it from working, in a few words; null if nothing does. */
  trouble: text(),
  /** The state of its ledgers. */
  report: jsonb().$type<LedgerReport[]>(),
  /** Fee payers that need SOL. */
  lowPayers: jsonb("low_payers").$type<LowPayer[]>(),
  /** Digests of its screening lists by name; null if it screens nothing. */
  lists: jsonb().$type<Record<string, string>>(),
})
