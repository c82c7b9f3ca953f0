import { columns, type RowOf } from "#db/rows.ts"

export const stagedColumns = columns("staged_events", "seq", "workspace_id", "type", "data", "occurred_at")

type Row = RowOf<typeof stagedColumns>

/** An event that has no place in its workspace's sequence yet; without `seq` if it was found while places were given. */
export type Staged = Omit<Row, "seq"> & Partial<Pick<Row, "seq">>
