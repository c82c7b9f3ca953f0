import { onBehalfOf, type Queryable, repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"

/**
 * Runs a transaction that counts towards a session's workspace, because a provider reports for all workspaces from one
 * address. Repeats it after a deadlock, such as with a start that holds the quota counter.
 */
export const transactionFor = <T>(workspaceId: string, work: (sql: Transaction) => Promise<T>): Promise<T> =>
  onBehalfOf(workspaceId, () => repeatOnDeadlock(() => sql.begin(work) as Promise<T>))

type Recorded = Record<"provider" | "eventId" | "workspaceId" | "attestationId" | "outcome", string> & { mode: Mode }

/** Records an event's outcome. False if the event is recorded already. */
export async function recordEvent(
  sql: Queryable,
  { mode, provider, eventId, workspaceId, attestationId, outcome }: Recorded,
): Promise<boolean> {
  const recorded = await sql`
    insert into webhook_events (mode, provider, event_id, workspace_id, attestation_id, outcome, received_at)
    values (${mode}, ${provider}, ${eventId}, ${workspaceId}, ${attestationId}, ${outcome}, ${clock.now()})
    on conflict do nothing returning event_id`
  return recorded.length > 0
}
