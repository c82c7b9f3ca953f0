import { index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { FilteredList } from "#shared/saved-filters.ts"
import { workspaces } from "./accounts.ts"
import { time } from "./columns.ts"
import { users } from "./users.ts"

/** A person's named filter of a list. */
export const savedFilters = pgTable(
  "saved_filters",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    id: text().notNull(),
    list: text().$type<FilteredList>().notNull(),
    name: text().notNull(),
    /** In the form of the page's address. */
    filter: jsonb().$type<Record<string, string>>().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.id] }),
    uniqueIndex("saved_filters_name").on(t.workspaceId, t.userId, t.list, t.name),
    // Filters of a person who leaves
    index("saved_filters_user").on(t.userId),
  ],
)
