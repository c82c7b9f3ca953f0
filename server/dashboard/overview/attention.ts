import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { WORKER_SILENT_SECONDS } from "#domain/health"
import type { Principal } from "#domain/requests"
import { countReviews } from "#domain/reviews"
import type { LowPayer } from "#shared/ledger-report.ts"
import type { Issuer } from "./issuer.ts"

/** What needs a member's attention. Expiring verifications are counted in `expiring.ts`. */
export type Attention = {
  /** Waiting reviews, up to a hundred. Null if the reader does not decide reviews. */
  reviews: number | null
  /** Webhook endpoints whose attempts all fail, and those disabled for that. */
  endpoints: { failing: number; disabled: number }
  /** The workspace's fee payer while it needs SOL: its balance, and how long that lasts if known. */
  low_sol: { address: string; sol: number; hours_left: number | null } | null
}

export async function readAttention(principal: Principal, issuer: Issuer | null): Promise<Attention> {
  const { workspaceId, scopes } = principal
  const [reviews, endpoints, payers] = await Promise.all([
    scopes.has("review:write") ? countReviews(principal) : null,
    sql<Attention["endpoints"][]>`
      select count(*) filter (where disabled_at is null and failing_since is not null)::int as failing,
        count(*) filter (where disabled_reason in ('gone', 'failing'))::int as disabled
      from webhook_endpoints where workspace_id = ${workspaceId} and deleted_at is null`,
    issuer === null ? [] : lowPayersOf(principal, issuer.fee_payer),
  ])
  const [payer] = payers
  const low = payer ?? (issuer?.low && issuer.sol !== null ? { sol: issuer.sol, hours_left: null } : null)
  return {
    reviews: reviews?.waiting ?? null,
    endpoints: only(endpoints),
    low_sol: issuer && low && { address: issuer.fee_payer, sol: low.sol, hours_left: low.hours_left },
  }
}

/** The workers' report about a fee payer. */
const lowPayersOf = ({ mode }: Principal, address: string) => sql<Pick<LowPayer, "sol" | "hours_left">[]>`
  select p.sol, p.hours_left
  from workers w cross join lateral jsonb_to_recordset(w.low_payers)
    as p(mode text, address text, sol double precision, hours_left double precision)
  where w.seen_at > now() - make_interval(secs => ${WORKER_SILENT_SECONDS}) and p.mode = ${mode} and p.address = ${address}
  order by w.seen_at desc limit 1`
