import type { Fragment } from "postgres"
import type { Queryable } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { findListed, type ListedWallet } from "#domain/screening"
import type { Mode } from "#shared/mode.ts"

const decidedColumns = columns(
  "attestations",
  "workspace_id, id, provider, schema_id, wallet, investor_id, status, open_until, submitted_at, event_at",
  "event_rank, event_decision, claims, wallet_proof_required, wallet_proved_at, held_at, issued_at, expires_at",
  "ended_at, review_id, erased_at",
)
export type DecidedSession = RowOf<typeof decidedColumns> & {
  mode: Mode
  validity_days: number
  /** Matches of its wallet on screening lists that no member has cleared. */
  listed: readonly ListedWallet[]
  /** Whether another person proved the wallet, and this one has not proved it since, in any session. */
  is_proved_by_another: boolean
  /** Whether its tokens are frozen because of an earlier match, whichever lists are in use now. */
  frozen: boolean
}

export async function lockDecided(sql: Queryable, which: Fragment): Promise<DecidedSession | null> {
  const [row] = await sql<Omit<DecidedSession, "listed">[]>`
    select ${sql(qualified("a", decidedColumns))}, w.mode, s.validity_days,
      exists (select from screening_hits h where h.workspace_id = a.workspace_id and h.wallet = a.wallet
        and h.frozen_at is not null and h.cleared_at is null and h.gone_at is null) as frozen,
      exists (select from attestations o where o.workspace_id = a.workspace_id and o.wallet = a.wallet
        and o.investor_id <> a.investor_id and o.erased_at is null
        and o.wallet_proved_at > coalesce((select max(m.wallet_proved_at) from attestations m
          where m.workspace_id = a.workspace_id and m.wallet = a.wallet and m.investor_id = a.investor_id), '-infinity')
      ) as is_proved_by_another
    from attestations a
    join workspaces w on w.id = a.workspace_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where ${which} for update of a`
  return row ? { ...row, listed: await findListed(sql, row.workspace_id, [row.wallet]) } : null
}

/** Approved: either on its way to the chain or held. Later events treat both alike. */
export const isApproved = ({ issued_at, held_at }: DecidedSession): boolean => issued_at !== null || held_at !== null

/** Whether the vendor rejected it. The vendor cannot reverse a member's rejection. */
export const isRejectedByVendor = ({ status, event_decision, review_id, issued_at }: DecidedSession): boolean =>
  status === "rejected" && event_decision === "rejected" && (review_id === null || issued_at !== null)
