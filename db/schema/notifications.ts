import { sql } from "drizzle-orm"
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { NotificationKind } from "#shared/notifications.ts"
import { workspaces } from "./accounts.ts"
import { time } from "./columns.ts"
import { users } from "./users.ts"

/** Mails to members, each sent once, or once a day while its reason lasts. */
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
    /** The subject, unique within a kind. */
    subject: text().notNull(),
    /** The facts for the mail. */
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    /** When it was recorded; renewed each day that it lasts. */
    createdAt: time("created_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.kind, t.subject] }),
    // The queue of mails
    index("notifications_due").on(t.nextAttemptAt).where(sql`sent_at is null`),
    // Notifications of a person who leaves
    index("notifications_user").on(t.userId),
  ],
)
