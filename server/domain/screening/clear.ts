import type { Queryable } from "#db/client.ts"
import { type Author, type Change, recordChange, vouch } from "#domain/audit-log"
import { closeReviews } from "#domain/reviews"
import { followFreeze } from "#domain/token-accounts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"

/**
 * Clears a wallet that a member decided is a false match, for the lists of this review, in the transaction that closes
 * it. Decisions of other reviews about other lists stay.
 */
export async function clearHits(
  sql: Queryable,
  { workspaceId, wallet, reviewId, author }: { workspaceId: string; wallet: Address; reviewId: string; author: Author },
): Promise<void> {
  const cleared = await sql<{ list: string; frozen_at: Date | null }[]>`
    update screening_hits set cleared_at = ${clock.now()}
    where workspace_id = ${workspaceId} and wallet = ${wallet} and review_id = ${reviewId} and cleared_at is null
      and gone_at is null
    returning list, frozen_at`
  if (cleared.length === 0) return
  if (cleared.some(({ frozen_at }) => frozen_at !== null))
    await followFreeze(sql, { workspaceId, wallet, mintConfig: null })
  const detail = { lists: cleared.map(({ list }) => list).sort(), review: reviewId }
  await recordChange(sql, workspaceId, { author, action: "wallet.cleared", subject: wallet, detail })
}

/**
 * Ends the match of a wallet that has left a list. If the wallet returns to the list, it is matched again, even if it
 * was cleared. A review without another reason closes. Returns whether anything ended.
 */
export async function endHit(
  sql: Queryable,
  { workspaceId, wallet, list }: { workspaceId: string; wallet: Address; list: string },
): Promise<boolean> {
  const [gone] = await sql<{ frozen: boolean }[]>`
    update screening_hits set gone_at = ${clock.now()}
    where workspace_id = ${workspaceId} and wallet = ${wallet} and list = ${list} and gone_at is null
    returning frozen_at is not null and cleared_at is null as frozen`
  if (!gone) return false
  if (gone.frozen) await followFreeze(sql, { workspaceId, wallet, mintConfig: null })
  const change: Change = { author: vouch, action: "wallet.left_list", subject: wallet, detail: { list } }
  await recordChange(sql, workspaceId, change)
  const withoutHit = sql`wallet = ${wallet} and kind = 'screening' and not exists (
    select from screening_hits h where h.workspace_id = ${workspaceId} and h.wallet = ${wallet}
      and h.cleared_at is null and h.gone_at is null)`
  await closeReviews(sql, workspaceId, withoutHit, "unlisted")
  return true
}
