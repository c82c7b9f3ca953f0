import type { Queryable } from "#db/client.ts"

/** The operations of payouts that have not failed, also those that a restore found on chain. By payout. */
export async function operationsOfPayouts(
  sql: Queryable,
  workspaceId: string,
  payoutIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ payout_id: string; id: string }[]>`
    select payload ->> 'payout_id' as payout_id, id from operations
    where workspace_id = ${workspaceId} and status <> 'failed' and payload ->> 'payout_id' = any(${payoutIds as string[]})`
  return new Map(rows.map(({ payout_id, id }) => [payout_id, id]))
}
