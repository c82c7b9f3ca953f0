import type postgres from "postgres"
import { background as sql } from "./client.ts"
import type { TableName } from "./rows.ts"

/**
 * Does `work` for the rows of a statement, `size` at a time, without holding all of them in memory. The library's own
 * cursor never settles the statement, so it is unknown when its connection is free again, and it does not wait for the
 * last callback.
 */
export async function forEachBatch<Row extends postgres.MaybeRow>(
  statement: postgres.PendingQuery<Row[]>,
  size: number,
  work: (batch: Row[]) => Promise<void> | void,
): Promise<void> {
  let last: Promise<void> = Promise.resolve()
  await statement.cursor(size, (batch) => {
    last = last.then(() => work(batch as unknown as Row[]))
    return last as unknown as Promise<undefined>
  })
  await last
}

/** Deletes the rows of a table whose `ctid`s a statement selects, a batch at a time until none are left. */
export async function deleteRows(table: TableName, select: () => postgres.Fragment, batch = 5000): Promise<void> {
  const remove = () => sql`delete from ${sql(table)} where ctid in (${select()} limit ${batch})`
  while ((await remove()).count === batch);
}
