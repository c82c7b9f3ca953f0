import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import { refersTo, time } from "./columns.ts"
import { mintConfigs } from "./tokens.ts"

/** Who holds a token on a record date. Its holders are the sums of postings, which do not change once they are final. */
export const snapshots = pgTable(
  "snapshots",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    mintConfig: text("mint_config").notNull(),
    name: text().notNull(),
    /** A whole second, and everything that landed in it counts. */
    recordAt: time("record_at").notNull(),
    /** Null until the record date is final. */
    holders: integer(),
    /** Base units of all holders. */
    supply: numeric({ precision: 39, scale: 0 }),
    /** SHA-256 of the holders' CSV, base64url. */
    sha256: text(),
    /** Whether the books have everything that moved. */
    complete: boolean(),
    /** The operation that puts the hash on chain. After a restore, it may be known before the snapshot is ready. */
    operationId: text("operation_id"),
    createdAt: time("created_at").notNull(),
    readyAt: time("ready_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    refersTo(mintConfigs, t.workspaceId, t.mintConfig),
    check(
      "snapshots_ready",
      sql`num_nulls(${t.readyAt}, ${t.holders}, ${t.supply}, ${t.sha256}, ${t.complete}) in (0, 5)
        and (${t.readyAt} is null or ${t.operationId} is not null)`,
    ),
    // Those whose record date may be final
    index("snapshots_scheduled").on(t.recordAt).where(sql`ready_at is null`),
    // The list, newest first
    index("snapshots_newest").on(t.workspaceId, t.seq.desc()),
  ],
)
