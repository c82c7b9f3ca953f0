import type { Queryable } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { clock, secondsLeftToday, startOfDay } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { AuditActor } from "#shared/statuses.ts"
import type { AuditAction } from "./actions.ts"

/**
 * What a key may always do. It either ends something, which the number of starts limits and compliance must never wait
 * for, or it moves tokens, which fees on chain limit.
 */
const unlimited: ReadonlySet<string> = new Set<AuditAction>([
  "attestation.revoked",
  "session.cancelled",
  "wallet.erased",
  "investor.erased",
  "mint_config.paused",
  "webhook.deleted",
  "webhook.disabled",
  "token.mint_requested",
  "token.transfer_requested",
  "token.burn_requested",
  "token.force_transfer_requested",
  "wallet.frozen",
  "wallet.barred",
  "recovery.requested",
])

/**
 * Counts a workspace's changes by API keys against its limit for this day (UTC), across all processes. Audit entries
 * stay permanently, so without a limit a key could fill the database. Errors: rate_limited.
 */
export async function countChanges(
  sql: Queryable,
  workspaceId: string,
  changes: readonly { actor: AuditActor; action: string }[],
): Promise<void> {
  const count = changes.filter(({ actor, action }) => actor === "key" && !unlimited.has(action)).length
  if (count === 0) return
  const most = deployment.settings.VOUCH_MAX_CHANGES_PER_DAY
  const now = clock.now()
  const counted = await sql`
    insert into change_counts as c (workspace_id, day, count)
    select ${workspaceId}, ${startOfDay(now)}, ${count}::int where ${count}::int <= ${most}::int
    on conflict (workspace_id) do update set day = greatest(c.day, excluded.day),
      count = excluded.count + case when c.day >= excluded.day then c.count else 0 end
      where c.day < excluded.day or c.count + excluded.count <= ${most}::int
    returning workspace_id`
  if (counted.length === 0)
    fail(
      "rate_limited",
      `The API keys of this workspace have made ${most} changes today, which is the limit (VOUCH_MAX_CHANGES_PER_DAY). They can still revoke, cancel, erase, freeze, pause, disable and delete, and members can change anything. Retry after midnight (UTC).`,
      { retryAfterSeconds: secondsLeftToday(now) },
    )
}
