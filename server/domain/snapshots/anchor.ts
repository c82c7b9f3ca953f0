import { z } from "zod"
import { planByConfig } from "#domain/tokens"
import { defineOperation, send, unclearEffects } from "#server/ledger/index.ts"
import { isId } from "#server/lib/ids.ts"
import { hashInMemo, memo, snapshotMemo } from "#server/solana/memo.ts"

/**
 * Puts the hash of a snapshot on chain, in a memo that the token's authority signs. The memo names the snapshot, so a
 * restored database that lost this operation finds it.
 */
export const anchor = defineOperation({
  kind: "anchor",
  label: "Anchor snapshot",
  isUrgent: false,
  payload: z.object({ mint_config: z.string(), snapshot_id: z.string(), sha256: z.string() }),
  lookUp: null,

  plan: (sql, operations, issuer) =>
    planByConfig(sql, operations, issuer, ({ payload: { snapshot_id, sha256 } }, { asset }) =>
      send([memo(snapshotMemo(snapshot_id, sha256), [asset.authority])]),
    ),

  /** A snapshot that became ready before the backup knows its operation. One that was still scheduled learns it here. */
  async settle(sql, settled, workspaceId) {
    const ids = settled.map(({ id }) => id)
    const ofSnapshots = settled.map(({ payload: { snapshot_id } }) => snapshot_id)
    await sql`
      update snapshots s set operation_id = t.operation_id
      from unnest(${ids}::text[], ${ofSnapshots}::text[]) as t(operation_id, id)
      where s.workspace_id = ${workspaceId} and s.id = t.id and s.operation_id is null`
  },

  settleAgain: null,
  release: null,
  memoId: ({ payload }) => payload.snapshot_id,
  effects: unclearEffects,

  async rebuild(sql, { id, memo }, { workspaceId }) {
    const sha256 = hashInMemo(memo)
    if (!isId("snap", id) || sha256 === null) return null
    const [snapshot] = await sql<{ mint_config: string; operation_id: string | null }[]>`
      select mint_config, operation_id from snapshots where workspace_id = ${workspaceId} and id = ${id}`
    // Its request is lost as well, or it has an operation already.
    if (snapshot === undefined || snapshot.operation_id !== null) return "nothing"
    return { mint_config: snapshot.mint_config, snapshot_id: id, sha256 }
  },

  attach: null,
  recover: () => ({ do: "retry" }),
})
