import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { timestamp } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { type RecoveryReason, recoveryReasons } from "#shared/recoveries.ts"

/** SQL: the recoveries for which a wallet is barred, because it was reported as lost. */
export const barsOf = (sql: Queryable, workspaceId: string, wallet: Address) => sql`
  select from recoveries r where r.workspace_id = ${workspaceId} and r.lost_wallet = ${wallet} and r.barred_at is not null`

/** Whether a wallet was reported as lost. */
export async function isBarred(sql: Queryable, workspaceId: string, wallet: Address): Promise<boolean> {
  const rows = await sql`${barsOf(sql, workspaceId, wallet)} limit 1`
  return rows.length > 0
}

/**
 * Whether another investor than this one is getting a lost wallet's tokens with this wallet. Until that has ended, it stays
 * theirs. The wallet's owner is locked (`lockOwners`).
 */
export async function isReceiving(
  sql: Queryable,
  workspaceId: string,
  { wallet, attestationId }: { wallet: Address; attestationId: string },
): Promise<boolean> {
  const rows = await sql`
    select from recoveries r join investors i on i.workspace_id = r.workspace_id and i.id = r.investor_id
      join attestations a on a.workspace_id = r.workspace_id and a.id = ${attestationId}
    where r.workspace_id = ${workspaceId} and r.new_wallet = ${wallet} and r.state = 'in_progress'
      and a.investor_id <> coalesce(i.merged_into, i.id) limit 1`
  return rows.length > 0
}

/** That a wallet was reported as lost, for members. */
export const shownBar = z
  .object({
    recovery_id: z.string(),
    since: timestamp,
    reason_code: z.enum(recoveryReasons),
    reference: z.string(),
  })
  .nullable()
type ShownBar = z.infer<typeof shownBar>

type BarRow = { wallet: Address; id: string; reason_code: RecoveryReason; reference: string; barred_at: Date }

/** Which wallets are barred, by the newest of their recoveries. */
export async function readBars(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
): Promise<(wallet: Address) => ShownBar> {
  const rows = await sql<BarRow[]>`
    select distinct on (lost_wallet) lost_wallet as wallet, id, reason_code, reference, barred_at from recoveries
    where workspace_id = ${workspaceId} and lost_wallet = any(${wallets as Address[]}) and barred_at is not null
    order by lost_wallet, seq desc`
  const bars = new Map(
    rows.map(({ wallet, id, barred_at, ...why }) => [
      wallet,
      { recovery_id: id, since: toTimestamp(barred_at), ...why },
    ]),
  )
  return (wallet) => bars.get(wallet) ?? null
}
