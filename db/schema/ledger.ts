import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { LedgerReport, LowPayer } from "#shared/ledger-report.ts"
import type { Mode } from "#shared/mode.ts"
import type { OperationStatus, TransactionStatus } from "#shared/statuses.ts"
import { workspaces } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

/**
 * One intended effect on the chain. Inserted in the transaction of the change of state that wants it, moved along
 * by the ledger alone.
 *
 * What ended long ago is in `archived_operations`, and its transactions are in `archived_transactions`
 * (`server/ledger/archive.ts`). They inherit from these two, which Drizzle cannot say: a statement that names
 * `operations` has both, one that names `only operations` the rest. New columns come to them by themselves, indexes do not.
 */
export const operations = pgTable(
  "operations",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    id: text().notNull(),
    /** Order of operations that touch the same account. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    status: text().$type<OperationStatus>().notNull(),
    /** What the kind needs to build its instructions. */
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Accounts that it changes, and accounts that must not change under it (as in Sealevel). */
    writes: text().array().notNull(),
    reads: text().array().notNull(),
    /** For a token's operation: its configuration, the recipient, and the sender. */
    mintConfig: text("mint_config"),
    wallet: text().$type<Address>(),
    fromWallet: text("from_wallet").$type<Address>(),
    /** Signature of the transaction that carries it now, or that carried it. */
    signature: text(),
    attempts: integer().notNull().default(0),
    /** Whether it failed in a batch, and is retried alone from now on. */
    alone: boolean().notNull().default(false),
    /** Whether it takes rights away, and so goes before all that do not. */
    urgent: boolean().notNull().default(false),
    /** Whether it was confirmed before, and vanished with the slot that had it: what it did here stands. */
    redo: boolean().notNull().default(false),
    /** How often its transaction expired, and was signed anew. */
    expiries: integer().notNull().default(0),
    /** Lamports that its transactions cost so far: its share of their fees, and the rent of what it created. */
    fee: bigint({ mode: "bigint" }),
    rent: bigint({ mode: "bigint" }),
    notBefore: time("not_before"),
    errorCode: text("error_code"),
    errorDetail: text("error_detail"),
    /** The span that queued it, as W3C's traceparent; null where that is not traced. */
    traceparent: text(),
    createdAt: time("created_at").notNull(),
    finishedAt: time("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("operations_status", sql`${t.status} in ('queued', 'submitted', 'confirmed', 'failed')`),
    check("operations_submitted", sql`${t.status} not in ('submitted') or ${t.signature} is not null`),
    // The queue: unfinished operations of a workspace in their order
    index("operations_unfinished").on(t.workspaceId, t.seq).where(sql`status in ('queued', 'submitted')`),
    // Those that go first
    index("operations_urgent")
      .on(t.workspaceId, t.seq)
      .where(sql`urgent and status in ('queued', 'submitted')`),
    // GET /token/operations: all, and those of a wallet on either side
    index("operations_tokens").on(t.workspaceId, t.seq.desc()).where(sql`kind in ('mint', 'transfer')`),
    index("operations_wallet").on(t.workspaceId, t.wallet, t.seq.desc()).where(sql`wallet is not null`),
    index("operations_from_wallet")
      .on(t.workspaceId, t.fromWallet, t.seq.desc())
      .where(sql`from_wallet is not null`),
    // Those that failed: few, and anywhere among the others
    index("operations_failed")
      .on(t.workspaceId, t.seq.desc())
      .where(sql`status = 'failed' and kind in ('mint', 'transfer')`),
    // Operations of a transaction, to settle them
    index("operations_signature").on(t.workspaceId, t.signature).where(sql`signature is not null`),
    // What goes to the archive
    index("operations_ended").on(t.workspaceId, t.finishedAt).where(sql`finished_at is not null`),
  ],
)

/** A signed transaction. Saved before it is sent, and kept as the proof of what was signed. */
export const transactions = pgTable(
  "transactions",
  {
    signature: text().primaryKey(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    mode: text().$type<Mode>().notNull(),
    /** The exact bytes that are sent and resent; null some time after it is there for good. */
    wire: bytes(),
    /** Instructions before those of the first operation (compute budget). */
    head: integer().notNull(),
    /** Instructions of each operation, in their order: `[[operation_id, count], …]`. */
    layout: jsonb().$type<[operationId: string, instructions: number][]>().notNull(),
    /** As of which slot its blockhash was read: it cannot have landed before. Null where a version before signed it. */
    signedSlot: bigint("signed_slot", { mode: "number" }),
    lastValidBlockHeight: bigint("last_valid_block_height", { mode: "number" }).notNull(),
    /** Lamports that it costs once it lands, apart from rent. Null where a version before signed it. */
    fee: bigint({ mode: "number" }),
    /** Lamports of rent: at most so many until it is counted, and from then on what it was. */
    rent: bigint({ mode: "number" }),
    /** When its operations and its month were told what it cost. */
    countedAt: time("counted_at"),
    status: text().$type<TransactionStatus>().notNull(),
    slot: bigint({ mode: "number" }),
    error: jsonb(),
    /** Why nobody can say whether it has landed, in a few words, while that is so. */
    doubt: text(),
    createdAt: time("created_at").notNull(),
    settledAt: time("settled_at"),
    /** When it was found on chain for good. */
    finalizedAt: time("finalized_at"),
  },
  (t) => [
    check("transactions_status", sql`${t.status} in ('saved', 'confirmed', 'failed', 'expired')`),
    // The tracker: transactions that may still land
    index("transactions_pending").on(t.mode, t.createdAt).where(sql`status = 'saved'`),
    // Those that may still vanish
    index("transactions_unfinalized")
      .on(t.mode, t.slot)
      .where(sql`status = 'confirmed' and finalized_at is null`),
    // Bytes to drop
    index("transactions_created").using("brin", t.createdAt),
    index("transactions_workspace").on(t.workspaceId, t.createdAt),
    // Those that cost something nobody has counted yet
    index("transactions_uncounted")
      .on(t.mode, t.settledAt)
      .where(sql`status in ('confirmed', 'failed') and fee is not null and counted_at is null`),
  ],
)

/** What a workspace's transactions of a calendar month (UTC) cost, in lamports. */
export const chainCosts = pgTable(
  "chain_costs",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    /** First day of the month, `YYYY-MM-01`. */
    period: text().notNull(),
    transactions: bigint({ mode: "bigint" }).notNull(),
    fee: bigint({ mode: "bigint" }).notNull(),
    rent: bigint({ mode: "bigint" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.period] })],
)

/** Token accounts of wallets that rent was paid for. Whoever closes an empty one keeps its rent. */
export const paidAccounts = pgTable(
  "paid_accounts",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    account: text().notNull(),
    /** How often it was paid for. */
    times: integer().notNull(),
    /** The month in which that was the last time, and how often in it, not counting the very first time. */
    period: text().notNull(),
    reopened: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.account] })],
)

/** Which worker gives a workspace its turns, and until when, by the database's time. */
export const ledgerLeases = pgTable("ledger_leases", {
  workspaceId: text("workspace_id")
    .primaryKey()
    .references(() => workspaces.id),
  /** New each time the lease is taken: what was signed under an older one is not saved. */
  token: text().notNull().default(""),
  until: time("until").notNull().default(sql`'-infinity'`),
  /** Goes up with each change that operations being signed must not outrun (`server/ledger/lease.ts`). */
  version: integer().notNull().default(0),
})

/** The chain that each mode is bound to since its first use. */
export const chains = pgTable("chains", {
  mode: text().$type<Mode>().primaryKey(),
  genesisHash: text("genesis_hash").notNull(),
  /** Whatever this database does not know of has landed in or after this slot (`server/ledger/restore/`). */
  seenSlot: bigint("seen_slot", { mode: "number" }),
  /** The run of the database's server that was last compared with the chain, and the line of its history. */
  server: text(),
  lineage: text(),
  /** Why another run has not been compared yet, in a few words. */
  waitsFor: text("waits_for"),
})

/** Keys that pay for a mode, or have. */
export const feePayers = pgTable(
  "fee_payers",
  {
    mode: text().$type<Mode>().notNull(),
    address: text().$type<Address>().notNull(),
    /** Where it is (`server/solana/signers/`). */
    uri: text().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.mode, t.address] })],
)

/** Public keys that derive from VOUCH_SIGNER, by their purpose, without those of workspaces: web processes have no VOUCH_SIGNER. */
export const derivedKeys = pgTable("derived_keys", {
  purpose: text().primaryKey(),
  address: text().$type<Address>().notNull(),
})

/** The key that a service had when it was first asked for it. Another one is never accepted. */
export const signerKeys = pgTable("signer_keys", {
  uri: text().primaryKey(),
  address: text().$type<Address>().notNull(),
  pinnedAt: time("pinned_at").notNull(),
})

/** Workspaces for which nothing is signed, because the chain shows what their rows do not. */
export const quarantines = pgTable("quarantines", {
  workspaceId: text("workspace_id")
    .primaryKey()
    .references(() => workspaces.id),
  since: time("since").notNull(),
  differences: jsonb().$type<Unexplained[]>().notNull(),
})

/** When each workspace was last compared with the chain, up to which slot, and how many differences there were. */
export const audits = pgTable("audits", {
  workspaceId: text("workspace_id")
    .primaryKey()
    .references(() => workspaces.id),
  /** Everything before it has been compared for good. */
  slot: bigint({ mode: "number" }),
  at: time("at"),
  differences: integer().notNull().default(0),
  /** When all of it was compared, with accounts, if nothing differed. */
  fullAt: time("full_at"),
  /** Until when one worker has it, by the database's time. */
  claimedUntil: time("claimed_until"),
})

/** What has landed and no row explains. A person decides; an account that is empty by now needs no decision. */
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

/** Workers that are alive, for /health of processes that run none. */
export const workers = pgTable("workers", {
  id: text().primaryKey(),
  seenAt: time("seen_at").notNull(),
  /** What keeps it from working, in a few words; null when nothing does. */
  trouble: text(),
  /** How its ledgers are doing. */
  report: jsonb().$type<LedgerReport[]>(),
  /** Fee payers that need SOL. */
  lowPayers: jsonb("low_payers").$type<LowPayer[]>(),
  /** Digests of the screening lists that it goes by, by name; null where it screens nothing. */
  lists: jsonb().$type<Record<string, string>>(),
})
