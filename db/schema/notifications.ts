import { sql } from "drizzle-orm"
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { NotificationKind } from "#shared/notifications.ts"
import { workspaces } from "./accounts.ts"
import { time } from "./columns.ts"
import { users } from "./users.ts"

/** What members are mailed about, each once, or once a day while it lasts. */
export const notifications = pgTable(
  "notifications",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text().$type<NotificationKind>().notNull(),
    /** What it is about: no two of a kind with the same. */
    subject: text().notNull(),
    /** What the mail says of it. */
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    /** When it was noted; anew each day that it lasts. */
    createdAt: time("created_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.kind, t.subject] }),
    // What is due
    index("notifications_due").on(t.nextAttemptAt).where(sql`sent_at is null`),
    // Those of a person who leaves
    index("notifications_user").on(t.userId),
  ],
)
