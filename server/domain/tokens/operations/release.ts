import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { defineOperation, type Operation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { releaseAsset } from "#server/solana/asset-hold.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import { storedAmount } from "../amount.ts"
import { executeHolds, restoreHolds, takeFromAccount } from "../holds/taken-holds.ts"
import { loadReopenings } from "../reopenings.ts"
import { grounds, takenHolds } from "./forced.ts"
import {
  failIfPaused,
  holdEffects,
  holdIn,
  keyOf,
  lookUpHolds,
  type OfHold,
  planHolds,
  type SeenHolds,
} from "./held-account.ts"
import { withCounters } from "./movement.ts"

const payload = z.object({
  mint_config: z.string(),
  wallet: storedAddress,
  amount: storedAmount,
  hold_id: z.string(),
  holds: takenHolds.holds.unwrap(),
  /** Why the hold ends: someone released it, or its time has come. */
  ends_as: z.enum(["released", "expired"]),
  ...grounds,
})
type Release = Operation<z.output<typeof payload>>

const memoOf = ({ id, payload }: Release) => operationMemo(id, `release:${payload.hold_id}`)

/** Moves what a hold still holds back to its wallet's main account, in holder mode. */
export const release = defineOperation({
  kind: "release",
  label: "Release a hold",
  isUrgent: false,
  payload,
  lookUp: lookUpHolds,

  async plan(sql, operations, issuer, seen: SeenHolds | null) {
    const closed = operations.filter((one) => seen?.accountOf(keyOf(one))?.state === "absent")
    const reopening = await loadReopenings(
      sql,
      issuer.workspaceId,
      closed.map((one) => ({ ...keyOf(one), id: one.id })),
    )
    const isOnChain = await loadOnChain(sql, issuer.workspaceId, operations)
    return planHolds(sql, operations, {
      issuer,
      seen,
      // The mode has changed since, and the books alone hold it.
      decide: (operation, config) =>
        operation.redo || isOnChain(operation) ? failIfPaused(operation, config) : { do: "finish" },
      build(operation, { asset, hold, before, after }) {
        const waits = reopening(operation.id)
        if (waits) return waits
        const { wallet, amount } = (operation as Release).payload
        const about = { wallet: publicKeyOf(wallet), hold: publicKeyOf(hold.account), amount, before, after }
        return send(releaseAsset(asset, { ...about, memoText: memoOf(operation as Release) }))
      },
    })
  },

  async settle(sql, settled, workspaceId) {
    // Holds change under the locks of their holdings.
    await withCounters(sql, workspaceId, settled, () => {})
    for (const one of settled) await executeHolds(sql, workspaceId, [one], one.payload.ends_as)
  },

  settleAgain: null,

  async release(sql, operations, workspaceId) {
    await withCounters(sql, workspaceId, operations, () => {})
    await restoreHolds(sql, workspaceId, operations)
  },

  memoId: ({ id }) => id,
  effects: (operations, at) => holdEffects(operations, at, ({ payload }) => -payload.amount),

  async rebuild(sql, { id, memo, instruction, accounts: [source], amount, more }, { workspaceId }) {
    const hold_id = holdIn(memo, id, "release")
    if (hold_id === null || instruction !== "TransferChecked" || amount === null || more.length > 0) return null
    const [row] = await sql<{ mint_config: string; wallet: Address; expires_at: Date | null }[]>`
      select mint_config, wallet, expires_at from holds
      where workspace_id = ${workspaceId} and id = ${hold_id} and account = ${source!}`
    if (!row) return null
    const { mint_config, wallet, expires_at } = row
    const key = { config: mint_config, wallet }
    const about = { account: source!, amount, operationId: id, only: hold_id }
    const holds = await takeFromAccount(sql, workspaceId, key, about)
    const ends_as: "expired" | "released" = expires_at !== null && expires_at <= clock.now() ? "expired" : "released"
    return holds && { mint_config, wallet, amount, hold_id, holds, ends_as }
  },

  attach: null,
  recover(error, _operation, instruction) {
    // The first instruction creates a missing account and otherwise moves nothing.
    if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
    return { do: "retry" }
  },
})

/** Which holds are in hold accounts. */
async function loadOnChain(sql: Queryable, workspaceId: string, operations: readonly Operation<OfHold>[]) {
  const rows = await sql<{ id: string }[]>`
    select id from holds where workspace_id = ${workspaceId} and id = any(${operations.map((one) => one.payload.hold_id)})
      and account is not null`
  const ids = new Set(rows.map(({ id }) => id))
  return ({ payload }: Operation<OfHold>) => ids.has(payload.hold_id)
}
