import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Mode } from "#shared/mode.ts"
import type { OperationStatus, TransactionStatus } from "#shared/statuses.ts"
import { workspaces } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

/**
 * One intended effect on the chain. Inserted in the transaction of the change of state that wants it,
 * moved along by the ledger alone.
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
    wallet: text(),
    fromWallet: text("from_wallet"),
    /** Signature of the transaction that carries it now, or that carried it. */
    signature: text(),
    attempts: integer().notNull().default(0),
    /** Whether it failed in a batch, and is retried alone from now on. */
    alone: boolean().notNull().default(false),
    notBefore: time("not_before"),
    errorCode: text("error_code"),
    errorDetail: text("error_detail"),
    createdAt: time("created_at").notNull(),
    finishedAt: time("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("operations_status", sql`${t.status} in ('queued', 'submitted', 'confirmed', 'failed')`),
    check("operations_submitted", sql`${t.status} not in ('submitted') or ${t.signature} is not null`),
    // The queue: unfinished operations of a workspace in their order
    index("operations_unfinished").on(t.workspaceId, t.seq).where(sql`status in ('queued', 'submitted')`),
    // GET /token/operations: all, and those of a wallet on either side
    index("operations_tokens").on(t.workspaceId, t.seq.desc()).where(sql`kind in ('mint', 'transfer')`),
    index("operations_wallet").on(t.workspaceId, t.wallet, t.seq.desc()).where(sql`wallet is not null`),
    index("operations_from_wallet")
      .on(t.workspaceId, t.fromWallet, t.seq.desc())
      .where(sql`from_wallet is not null`),
    // Operations of a transaction, to settle them
    index("operations_signature").on(t.workspaceId, t.signature).where(sql`signature is not null`),
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
    /** The exact bytes that are sent and resent. */
    wire: bytes().notNull(),
    /** Instructions before those of the first operation (compute budget). */
    head: integer().notNull(),
    /** Instructions of each operation, in their order: `[[operation_id, count], …]`. */
    layout: jsonb().$type<[operationId: string, instructions: number][]>().notNull(),
    lastValidBlockHeight: bigint("last_valid_block_height", { mode: "number" }).notNull(),
    status: text().$type<TransactionStatus>().notNull(),
    slot: bigint({ mode: "number" }),
    error: jsonb(),
    createdAt: time("created_at").notNull(),
    settledAt: time("settled_at"),
  },
  (t) => [
    check("transactions_status", sql`${t.status} in ('saved', 'confirmed', 'failed', 'expired')`),
    // The tracker: transactions that may still land
    index("transactions_pending").on(t.mode, t.createdAt).where(sql`status = 'saved'`),
    index("transactions_workspace").on(t.workspaceId, t.createdAt),
  ],
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
})

/** Workers that are alive, for /health of processes that run none. */
export const workers = pgTable("workers", {
  id: text().primaryKey(),
  seenAt: time("seen_at").notNull(),
  /** What keeps it from working, in a few words; null when nothing does. */
  trouble: text(),
})
