import { bigint, foreignKey, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import { investors } from "./attestations.ts"
import { bytes, time } from "./columns.ts"

/** Members' notes about an investor, for each other. */
export const investorNotes = pgTable(
  "investor_notes",
  {
    workspaceId: text("workspace_id").notNull(),
    id: text().notNull(),
    /** Orders notes of the same time; the cursor of lists. */
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    investorId: text("investor_id").notNull(),
    /** Sealed with the data key. */
    body: bytes().notNull(),
    /** The member and their name at that time: members leave, and notes stay. */
    authorId: text("author_id").notNull(),
    authorName: text("author_name").notNull(),
    createdAt: time("created_at").notNull(),
    editedAt: time("edited_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    foreignKey({
      columns: [t.workspaceId, t.investorId],
      foreignColumns: [investors.workspaceId, investors.id],
    }),
    // An investor's notes, newest first
    index("investor_notes_newest").on(t.workspaceId, t.investorId, t.seq.desc()),
  ],
)
