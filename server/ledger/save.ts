import { background as sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { SignedTransaction } from "#server/solana/transaction.ts"
import type { Mode } from "#shared/mode.ts"
import type { Lease } from "./lease.ts"
import type { Planned } from "./pack.ts"

/** A transaction that is signed, with the operations that it carries. */
export type Signed = { batch: Planned[]; transaction: SignedTransaction }

/**
 * Saves signed transactions and binds their operations to them. Returns the signatures of those that are saved, and no
 * other may be sent. Null when the lease is not as it was, and nothing is saved.
 *
 * One statement closes all races. It holds the lease's row until it commits: a change that voids plans waits for that,
 * or has been seen. It takes operations that are still queued, so that no two workers save the same one, of whatever
 * version they are. A transaction whose operations are not all there any more is left out, and so are bytes that have
 * been saved before (the same operations under the same blockhash): they failed then. It waits for no lock.
 */
export async function save(
  lease: Lease,
  signed: readonly Signed[],
  about: { mode: Mode; head: number; lastValidBlockHeight: number },
): Promise<Set<string> | null> {
  const { workspaceId, token, version } = lease
  const { mode, head, lastValidBlockHeight } = about
  const layouts = signed.map(({ batch }) =>
    JSON.stringify(batch.map(({ operation, instructions }) => [operation.id, instructions.length])),
  )
  const carried = signed.flatMap(({ batch, transaction }) =>
    batch.map(({ operation }) => ({ id: operation.id, signature: transaction.signature })),
  )
  const ids = carried.map((one) => one.id)
  const [row] = await sql<{ is_held: boolean; saved: string[] }[]>`
    with lease as (
      select from ledger_leases where workspace_id = ${workspaceId} and token = ${token} and version = ${version}
      for share skip locked
    ), carried as (
      select * from unnest(${ids}::text[], ${carried.map((one) => one.signature)}::text[]) as t(id, signature)
    ), still as (
      select o.id from operations o
      where exists (select from lease) and o.workspace_id = ${workspaceId} and o.id = any(${ids}) and o.status = 'queued'
      order by o.id for update skip locked
    ), whole as (
      select c.signature from carried c left join still s on s.id = c.id
      group by c.signature having count(*) = count(s.id)
    ), saved as (
      insert into transactions
        (signature, workspace_id, mode, wire, layout, head, last_valid_block_height, status, created_at)
      select signature, ${workspaceId}, ${mode}, decode(wire, 'base64'), layout::jsonb, ${head}, ${lastValidBlockHeight},
        'saved', ${clock.now()}
      from unnest(${signed.map((one) => one.transaction.signature)}::text[],
          ${signed.map((one) => one.transaction.wire.toString("base64"))}::text[], ${layouts}::text[])
        as t(signature, wire, layout) join whole using (signature)
      on conflict do nothing returning signature
    ), bound as (
      update operations o set status = 'submitted', signature = c.signature
      from carried c join saved using (signature) where o.workspace_id = ${workspaceId} and o.id = c.id
    )
    select exists (select from lease) as is_held, array(select signature from saved) as saved`
  return row!.is_held ? new Set(row!.saved) : null
}
