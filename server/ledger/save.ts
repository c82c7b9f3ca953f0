import type { Fragment } from "postgres"
import { background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import { FEE_PER_TRANSACTION, feePayerIn, type SignedTransaction } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import type { Lease } from "./lease.ts"
import type { Planned } from "./pack.ts"
import { serverRun } from "./restore/state.ts"

/** The blockhash that a transaction is signed with, and the slot as of which it was read. */
export type Blockhash = { blockhash: string; lastValidBlockHeight: number; slot: number }

/** A transaction that may be sent: its bytes are saved. */
export type Saved = {
  signature: string
  workspaceId: string
  wire: Buffer
  feePayer: Address
  /** The slot as of which its blockhash was read; null if a restore found it on the chain. */
  signedSlot: number | null
  lastValidBlockHeight: number
  /** What it costs once it lands, apart from rent. */
  fee_lamports: number
}

export type Signed = {
  operations: Planned[]
  transaction: SignedTransaction
  fee_lamports: number
  rent_lamports: number
  /** The number of instructions before those of its operations. */
  head: number
}

/**
 * Saves signed transactions and binds their operations to them. Returns the signatures of the saved ones: no other may
 * be sent. Null, with nothing saved, if the lease has changed, or if this is not the database that was compared with
 * the chain.
 *
 * One statement closes all races. It locks the lease's row until it commits, so a change that voids plans either
 * commits before it and is seen, or waits for it. It takes only operations that are still queued, so that no two
 * workers of any version save the same one. It leaves out a transaction if one of its operations is no longer queued,
 * and bytes that were saved before (the same operations under the same blockhash), because those failed. It waits for
 * no lock.
 */
export async function save(
  lease: Lease,
  signed: readonly Signed[],
  about: { mode: Mode; blockhash: Blockhash },
): Promise<Set<string> | null> {
  const { workspaceId, token, version } = lease
  const { mode, blockhash } = about
  const layouts = signed.map(({ operations }) =>
    JSON.stringify(operations.map(({ operation, instructions }) => [operation.id, instructions.length])),
  )
  const carried = signed.flatMap(({ operations, transaction }) =>
    operations.map(({ operation }) => ({ id: operation.id, signature: transaction.signature })),
  )
  const ids = carried.map((one) => one.id)
  const [row] = await sql<{ is_held: boolean; saved: string[] }[]>`
    with lease as (
      select from ledger_leases where workspace_id = ${workspaceId} and token = ${token} and version = ${version}
      for share skip locked
    ), compared as (
      select from chains where mode = ${mode} and server = ${serverRun(sql)}
    ), carried as (
      select * from unnest(${ids}::text[], ${carried.map((one) => one.signature)}::text[]) as t(id, signature)
    ), still as (
      select o.id from operations o
      where exists (select from lease) and exists (select from compared) and o.workspace_id = ${workspaceId} and o.id = any(${ids}) and o.status = 'queued'
      order by o.id for update skip locked
    ), whole as (
      select c.signature from carried c left join still s on s.id = c.id
      group by c.signature having count(*) = count(s.id)
    ), saved as (
      insert into transactions
        (signature, workspace_id, mode, wire, layout, head, signed_slot, last_valid_block_height, fee, rent, status, created_at)
      select signature, ${workspaceId}, ${mode}, decode(wire, 'base64'), layout::jsonb, head, ${blockhash.slot},
        ${blockhash.lastValidBlockHeight}, fee, rent, 'saved', ${clock.now()}
      from unnest(${signed.map((one) => one.transaction.signature)}::text[],
          ${signed.map((one) => one.transaction.wire.toString("base64"))}::text[], ${layouts}::text[],
          ${signed.map((one) => one.fee_lamports)}::bigint[], ${signed.map((one) => one.rent_lamports)}::bigint[],
          ${signed.map((one) => one.head)}::int[])
        as t(signature, wire, layout, fee, rent, head) join whole using (signature)
      on conflict do nothing returning signature
    ), bound as (
      update operations o set status = 'submitted', signature = c.signature
      from carried c join saved using (signature) where o.workspace_id = ${workspaceId} and o.id = c.id
    )
    select exists (select from lease) and exists (select from compared) as is_held, array(select signature from saved) as saved`
  return row!.is_held ? new Set(row!.saved) : null
}

const savedColumns = columns(
  "transactions",
  "signature, workspace_id, wire, signed_slot, last_valid_block_height, fee, doubt, created_at, slot",
)
type SavedRow = RowOf<typeof savedColumns, { wire: Buffer }>

/** Seconds after its confirmation at which a transaction that is not final counts as late. */
const LATE_SECONDS = 120
export const isLateSince = () => sql`settled_at < now() - make_interval(secs => ${LATE_SECONDS})`

/** The transactions that `those` selects, to follow them. */
export async function readFollowed(those: Fragment) {
  const rows = await sql<(SavedRow & { is_late: boolean | null })[]>`
    select ${sql(savedColumns)}, ${isLateSince()} as is_late from transactions where ${those}`
  return rows.map(({ signature, wire, doubt, ...row }) => ({
    signature,
    workspaceId: row.workspace_id,
    wire,
    feePayer: feePayerIn(wire),
    signedSlot: row.signed_slot === null ? null : Number(row.signed_slot),
    lastValidBlockHeight: Number(row.last_valid_block_height),
    fee_lamports: Number(row.fee ?? FEE_PER_TRANSACTION),
    /** Why its outcome is unknown, if a worker noted a reason. */
    doubt,
    savedAt: row.created_at,
    slot: Number(row.slot),
    isLate: row.is_late === true,
  }))
}
