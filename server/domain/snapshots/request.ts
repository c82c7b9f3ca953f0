import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { budgetRefusal } from "#domain/accounts"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { requireConfig, secondOf } from "#domain/tokens"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { readSnapshot } from "./read.ts"
import type { SnapshotRecord } from "./snapshot.ts"

export type SnapshotRequest = Command & { mintConfig: string; recordAt: Date; name: string }

/** Asks for a snapshot, which is ready once its record date is final. Errors: unknown_mint_config, sol_budget_exceeded. */
export async function createSnapshot({ mintConfig, name, ...command }: SnapshotRequest): Promise<SnapshotRecord> {
  const recordAt = secondOf(command.recordAt)
  const { principal, requestId, idempotency } = command
  const { workspaceId } = principal
  if (idempotency?.begun) return readSnapshot(principal, idempotency.begun)
  await requireConfig(workspaceId, mintConfig)
  const id = newId("snap")
  await sql.begin(async (sql) => {
    const refusal = await budgetRefusal(sql, workspaceId)
    if (refusal) fail(refusal.code, refusal.detail)
    if (idempotency) await claimKey(sql, idempotency, id)
    await sql`
      insert into snapshots (workspace_id, id, mint_config, name, record_at, created_at)
      values (${workspaceId}, ${id}, ${mintConfig}, ${name}, ${recordAt}, ${clock.now()})`
    const detail = { mint_config: mintConfig, name, record_at: recordAt.toISOString() }
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: "snapshot.created",
      subject: id,
      detail,
    })
  })
  publishActivity(workspaceId)
  return readSnapshot(principal, id)
}
