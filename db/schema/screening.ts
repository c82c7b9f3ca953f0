import { sql } from "drizzle-orm"
import { bigint, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import { ofWorkspace } from "./accounts.ts"
import { bytes, refersTo, time } from "./columns.ts"
import { reviews } from "./reviews.ts"

/** Screening lists that every process uses, as last loaded from a file. */
export const screeningLists = pgTable("screening_lists", {
  /** The file's name, without its folder. */
  name: text().primaryKey(),
  /** SHA-256 of the file, in hexadecimal. */
  digest: text().notNull(),
  entries: integer().notNull(),
  loadedAt: time("loaded_at").notNull(),
})

/** Addresses of a list, 32 bytes each, in parts that are small enough to send. */
export const screeningListParts = pgTable(
  "screening_list_parts",
  { name: text().notNull(), part: integer().notNull(), keys: bytes().notNull() },
  (t) => [primaryKey({ columns: [t.name, t.part] })],
)

/** How far a workspace's wallets have been compared with a list. */
export const screenings = pgTable(
  "screenings",
  {
    workspaceId: ofWorkspace(),
    list: text().notNull(),
    /** The list's version being compared. */
    digest: text().notNull(),
    /** The table being compared, and its last finished row; null when done. */
    step: text().$type<"attestations" | "holdings" | "hits">(),
    upTo: text("up_to").notNull().default(""),
    /** The worker that compares, and until when it alone does. */
    token: text(),
    claimedUntil: time("claimed_until"),
    /** Rows that were compared, and new matches among them. */
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
    workspaceId: ofWorkspace(),
    wallet: text().$type<Address>().notNull(),
    list: text().notNull(),
    /** The list's version of the match. */
    digest: text().notNull(),
    entries: integer().notNull(),
    loadedAt: time("loaded_at").notNull(),
    foundAt: time("found_at").notNull(),
    reviewId: text("review_id"),
    /** Since when its tokens are frozen because of it; null if they are not. */
    frozenAt: time("frozen_at"),
    /** When a member cleared the match as false: the wallet is served again. */
    clearedAt: time("cleared_at"),
    /** When the wallet left the list. A later match is new. */
    goneAt: time("gone_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.wallet, t.list] }),
    refersTo(reviews, t.workspaceId, t.reviewId),
    // Matches of a list, to find wallets that have left it
    index("screening_hits_list").on(t.workspaceId, t.list, t.wallet),
  ],
)
