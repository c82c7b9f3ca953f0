import { deleteRows } from "#db/batches.ts"
import { background as sql } from "#db/client.ts"
import { certainNow } from "#db/clock.ts"
import { dropOldBulkRevocations } from "#domain/attestations"
import { dropOldEvents } from "#domain/events"
import { forgetAddresses } from "#domain/kyc"
import { dropOldNotifications } from "#domain/notifications"
import { cleanPeople } from "#domain/people"
import { isExpired } from "#domain/requests"
import { dropOldDeliveries } from "#domain/webhooks"
import { dropOldBytes } from "#server/ledger/index.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import { keptDays } from "#shared/retention.ts"

/** How long after expiry a wallet that signs too late still gets that error. */
const CHALLENGES_SECONDS = 3600

/** Deletes what is past its retention, in batches until nothing is left. Does nothing while the clock is in doubt. */
export async function clean(): Promise<void> {
  const now = await certainNow()
  if (now === null) return
  const recognised = addDays(now, -keptDays.webhookEvents)
  const logged = addDays(now, -keptDays.requests)
  const unsigned = addSeconds(now, -CHALLENGES_SECONDS)
  const ended = await Promise.allSettled([
    deleteRows("idempotency_records", () => sql`select ctid from idempotency_records where ${isExpired(sql)}`),
    deleteRows("webhook_events", () => sql`select ctid from webhook_events where received_at <= ${recognised}`),
    deleteRows("wallet_challenges", () => sql`select ctid from wallet_challenges where expires_at <= ${unsigned}`),
    deleteRows("key_usage", () => sql`select ctid from key_usage where day <= ${logged}`),
    deleteRows("api_requests", () => sql`select ctid from api_requests where at <= ${logged} order by at`),
    cleanPeople(),
    forgetAddresses(),
    dropOldBytes(now),
    dropOldBulkRevocations(now),
    dropOldEvents(now),
    dropOldDeliveries(now),
    dropOldNotifications(now),
    sql`delete from workers where seen_at <= ${addDays(now, -1)}`,
  ])
  // A failing sweep does not stop the others.
  for (const one of ended) if (one.status === "rejected") throw one.reason
}
