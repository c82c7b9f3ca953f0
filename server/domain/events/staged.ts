import { columns, type RowOf } from "#db/rows.ts"

export const stagedColumns = columns("staged_events", "seq", "workspace_id", "type", "data", "occurred_at")

/** An event that has no place in its workspace's sequence yet. */
export type Staged = Omit<RowOf<typeof stagedColumns>, "seq">
