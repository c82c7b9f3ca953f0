import { index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core"
import type { FilteredList } from "#shared/saved-filters.ts"
import { workspaces } from "./accounts.ts"
import { time } from "./columns.ts"
import { users } from "./users.ts"

/** What a person filters a list by again and again, under a name of their own. */
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
    /** As the page's address has it. */
    filter: jsonb().$type<Record<string, string>>().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.id] }),
    uniqueIndex("saved_filters_name").on(t.workspaceId, t.userId, t.list, t.name),
    // Those of a person who leaves
    index("saved_filters_user").on(t.userId),
  ],
)
