import { sql } from "drizzle-orm"
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import { workspaces } from "./accounts.ts"
import { bytes, time } from "./columns.ts"
import { reviews } from "./reviews.ts"

/** Lists of wallets that every process screens by, as last loaded from a file. */
export const screeningLists = pgTable("screening_lists", {
  /** The file's name, without its folder. */
  name: text().primaryKey(),
  /** SHA-256 of the file, in hexadecimal. */
  digest: text().notNull(),
  entries: integer().notNull(),
  loadedAt: time("loaded_at").notNull(),
})

/** What is on a list: addresses of 32 bytes each, in parts that are small enough to send. */
export const screeningListParts = pgTable(
  "screening_list_parts",
  {
    name: text().notNull(),
    part: integer().notNull(),
    keys: bytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.part] })],
)

/** How far a workspace's wallets have been compared with a list. */
export const screenings = pgTable(
  "screenings",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    list: text().notNull(),
    /** The list's version that they are compared with. */
    digest: text().notNull(),
    /** What is walked, and the last of it that is done; null once all is. */
    step: text().$type<"attestations" | "holdings" | "hits">(),
    upTo: text("up_to").notNull().default(""),
    /** Whoever walks, and until when nobody else does. */
    token: text(),
    claimedUntil: time("claimed_until"),
    /** Rows that were compared, and wallets among them that were found for the first time. */
    compared: bigint({ mode: "bigint" }).notNull().default(sql`0`),
    found: integer().notNull().default(0),
    startedAt: time("started_at").notNull(),
    finishedAt: time("finished_at"),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.list] })],
)

/** A wallet of a workspace that is on a list. */
export const screeningHits = pgTable(
  "screening_hits",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    wallet: text().$type<Address>().notNull(),
    list: text().notNull(),
    /** The list's version in which it was found. */
    digest: text().notNull(),
    entries: integer().notNull(),
    loadedAt: time("loaded_at").notNull(),
    foundAt: time("found_at").notNull(),
    reviewId: text("review_id"),
    /** Since when its tokens are frozen for it; null where they are not. */
    frozenAt: time("frozen_at"),
    /** When a person decided that it is a false match: the wallet is served again. */
    clearedAt: time("cleared_at"),
    /** When the wallet left the list. What is found later is found anew. */
    goneAt: time("gone_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.wallet, t.list] }),
    foreignKey({ columns: [t.workspaceId, t.reviewId], foreignColumns: [reviews.workspaceId, reviews.id] }),
    // Those of a list, to find which have left it
    index("screening_hits_list").on(t.workspaceId, t.list, t.wallet),
  ],
)
