import { columns, type RowOf } from "#db/rows.ts"

export const stagedColumns = columns("staged_events", "seq", "workspace_id", "type", "data", "occurred_at")

type Row = RowOf<typeof stagedColumns>

/** An event without a number in its workspace's sequence; without `seq` if it was found while numbers were assigned. */
export type Staged = Omit<Row, "seq"> & Partial<Pick<Row, "seq">>
