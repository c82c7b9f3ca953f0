import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { clock } from "#server/lib/time.ts"

/** Notes that the investor has opened the page of an open session. Only the first time counts. */
export async function noteOpening({ workspace_id, id }: { workspace_id: string; id: string }): Promise<void> {
  const noted = await sql`
    update attestations set opened_at = ${clock.now()}
    where workspace_id = ${workspace_id} and id = ${id} and status = 'pending' and opened_at is null returning id`
  if (noted.length > 0) publishActivity(workspace_id)
}
