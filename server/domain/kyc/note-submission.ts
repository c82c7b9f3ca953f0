import { publishActivity } from "#db/pubsub.ts"
import { statusAt } from "#domain/attestations"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { keepOpen } from "./approve.ts"
import { isApproved, lockDecided } from "./decided-session.ts"
import { recordEvent, transactionFor } from "./recorded-event.ts"

/** The event that reported it; null if the provider was asked. */
type Source = { eventId: string; mode: Mode; provider: string } | null

/**
 * Notes that the investor has submitted at the vendor: the provider's first event, so the session gets 30 days. It does
 * not order decisions: otherwise a decision that arrives later could look outdated.
 */
export async function noteSubmission(
  { workspace_id, attestation_id }: { workspace_id: string; attestation_id: string },
  source: Source,
): Promise<"applied" | "duplicate" | "ignored"> {
  // A separate id: the same event may also bring a decision once the vendor's API has it.
  const eventId = source && `${source.eventId} submitted`
  const outcome = await transactionFor(workspace_id, async (sql) => {
    const now = clock.now()
    const row = await lockDecided(sql, sql`a.workspace_id = ${workspace_id} and a.id = ${attestation_id}`)
    const isFirst = row?.event_at === null && row.submitted_at === null
    if (!isFirst || statusAt(row, now) !== "pending" || isApproved(row)) {
      if (source === null) return "ignored"
      const [repeat] = await sql`
        select from webhook_events where mode = ${source.mode} and provider = ${source.provider} and event_id = ${eventId}`
      return repeat ? "duplicate" : "ignored"
    }
    const about = { workspaceId: workspace_id, attestationId: attestation_id, outcome: "applied" }
    if (source) await recordEvent(sql, { ...source, ...about, eventId: eventId! })
    await keepOpen(sql, row, now)
    await sql`
      update attestations set submitted_at = ${now} where workspace_id = ${workspace_id} and id = ${attestation_id}`
    return "applied"
  })
  if (outcome === "applied") publishActivity(workspace_id)
  return outcome
}
