import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { defineOperation, send, unclearEffects } from "#server/ledger/index.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { auditMemo, memo, readAuditMemo } from "#server/solana/memo.ts"
import type { Address } from "#shared/address.ts"

/**
 * Puts a hash of the audit log's chain on chain, in a memo that the workspace's authority signs. The memo has the place in
 * the chain, so it contradicts any other entry that is later shown there.
 */
export const anchorAuditLog = defineOperation({
  kind: "anchor_audit_log",
  label: "Anchor audit log",
  isUrgent: false,
  payload: z.object({ anchor_id: z.string(), place: z.number(), hash: z.string() }),
  lookUp: null,

  async plan(sql, operations, issuer) {
    const rows = await sql<{ authority: Address }[]>`
      select authority from workspaces where id = ${issuer.workspaceId}`
    const { publicKey } = issuer.authority(only(rows).authority)
    return new Map(
      operations.map(({ id, payload: { anchor_id, place, hash } }) => [
        id,
        send([memo(auditMemo(anchor_id, place, hash), [publicKey])]),
      ]),
    )
  },

  settle: noteTransactions,
  settleAgain: noteTransactions,

  /** The next pass makes another one. */
  async release(sql, operations, workspaceId) {
    await sql`
      delete from audit_anchors
      where workspace_id = ${workspaceId} and id = any(${operations.map(({ payload }) => payload.anchor_id)})`
  },

  memoId: ({ payload }) => payload.anchor_id,
  effects: unclearEffects,

  /** A restored database may have lost the anchor, and perhaps the entries that it covers. */
  async rebuild(sql, { id, memo }, { workspaceId }) {
    const anchored = readAuditMemo(memo)
    if (!isId("anch", id) || anchored === null) return null
    const { place, hash } = anchored
    const added = await sql`
      insert into audit_anchors (workspace_id, id, place, hash, state, created_at)
      values (${workspaceId}, ${id}, ${place}, ${Buffer.from(hash, "hex")}, 'found', ${clock.now()})
      on conflict do nothing returning id`
    return added.length === 0 ? "nothing" : { anchor_id: id, place, hash }
  },

  attach: null,
  recover: () => ({ do: "retry" }),
})

type Settled = { payload: { anchor_id: string }; landing: { signature: string } | null }

async function noteTransactions(sql: Queryable, settled: readonly Settled[], workspaceId: string): Promise<void> {
  const landed = settled.flatMap(({ payload, landing }) =>
    landing === null ? [] : [{ id: payload.anchor_id, signature: landing.signature }],
  )
  await sql`
    update audit_anchors a set signature = l.signature
    from unnest(${landed.map(({ id }) => id)}::text[], ${landed.map((one) => one.signature)}::text[]) as l(id, signature)
    where a.workspace_id = ${workspaceId} and a.id = l.id`
}
