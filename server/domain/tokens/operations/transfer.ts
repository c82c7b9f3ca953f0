import { z } from "zod"
import type { Ending } from "#domain/token-investors"
import { defineOperation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { moveAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError, TokenError } from "#server/solana/program-error.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import type { ConfigRow } from "../config.ts"
import type { Holding } from "../holder-facts.ts"
import { allHolds, executeHolds, moveHolds, restoreHolds, takenOnChain } from "../holds/taken-holds.ts"
import type { LotMove } from "../lots/lot-book.ts"
import { grounds, noteForced, passedPause, passesPause, recovers, takenHolds } from "./forced.ts"
import {
  approvedBy,
  arrive,
  type Change,
  depart,
  expectUnits,
  leaveIfEmpty,
  lookUpTaking,
  movementEffects,
  planMovements,
  type SeenToTake,
  totalOf,
  uncovered,
  withCounters,
} from "./movement.ts"

const payload = z.object({
  mint_config: z.string(),
  wallet: storedAddress,
  from_wallet: storedAddress,
  amount: storedAmount,
  /** Whether the sender's holder slot goes with it. */
  handover: z.boolean().optional(),
  /** Whether the slot of the sender's investor goes with it (`token-investors/`). */
  investor_handover: z.boolean().optional(),
  /** Whether both wallets are one investor's, so that no one acquires anything. */
  keeps_lots: z.boolean().optional(),
  ...grounds,
  ...takenHolds,
  ...passesPause,
  ...approvedBy,
  ...recovers,
})

type Payload = z.output<typeof payload>

/** Moves tokens from one wallet to another, if the rules allow both. */
export const transfer = defineTransfer({ kind: "transfer", label: "Transfer" })

/** Moves tokens out of a wallet without the holder's consent. The rules bind only the receiver. */
export const forceTransfer = defineTransfer({ kind: "force_transfer", label: "Force transfer" })

function defineTransfer(about: { kind: "transfer" | "force_transfer"; label: string }) {
  const isForced = about.kind === "force_transfer"
  const memoOf = (id: string, recoveryId: string | undefined) =>
    operationMemo(id, recoveryId !== undefined ? `recover:${recoveryId}` : isForced ? "forced" : undefined)
  return defineOperation({
    ...about,
    isUrgent: false,
    payload,
    lookUp: lookUpTaking,

    plan: (sql, operations, issuer, seen: SeenToTake | null) =>
      planMovements(sql, operations, {
        kind: about.kind,
        issuer,
        seen,
        build({ id, payload: { wallet, from_wallet, amount, recovery_id } }, { asset, ...states }) {
          const between = { from: publicKeyOf(from_wallet), to: publicKeyOf(wallet) }
          return send(moveAsset(asset, { ...between, amount, ...states, memoText: memoOf(id, recovery_id) }))
        },
      }),

    async settle(sql, settled, workspaceId) {
      const change: Change<Payload> = ({ wallet, from_wallet, amount, handover }, config, holdingOf) => {
        const [from, to] = [holdingOf(from_wallet), holdingOf(wallet)]
        arrive(to, amount)
        depart(from, amount)
        if (handover) takePlace(to, config)
        leaveIfEmpty(from, config)
      }
      const acquiredAt = clock.now()
      const moves = settled.map(({ id, payload }): LotMove => {
        const { mint_config: config, from_wallet: from, wallet: to, amount: units, keeps_lots } = payload
        const move = { config, operationId: id, from, to, units }
        return isForced || keeps_lots ? { ...move, keepsLots: true } : { ...move, keepsLots: false, acquiredAt }
      })
      await withCounters(sql, workspaceId, settled, change, handedBy(settled, "landed"), moves)
      const { recoveries = [], others = [] } = Object.groupBy(settled, ({ payload: { recovery_id } }) =>
        recovery_id === undefined ? "others" : "recoveries",
      )
      await executeHolds(sql, workspaceId, others)
      await moveHolds(sql, workspaceId, recoveries)
      if (isForced) await noteForced(sql, workspaceId, about.kind, settled)
    },

    settleAgain: null,

    async release(sql, operations, workspaceId) {
      const change: Change<Payload> = ({ wallet, from_wallet, amount, handover }, config, holdingOf) => {
        const to = holdingOf(wallet)
        to.incoming -= amount
        const from = holdingOf(from_wallet)
        from.outgoing -= amount
        if (handover) takePlace(from, config)
        leaveIfEmpty(to, config)
      }
      await withCounters(sql, workspaceId, operations, change, handedBy(operations, "failed"))
      await restoreHolds(sql, workspaceId, operations)
    },

    memoId: ({ id }) => id,
    effects: movementEffects,

    async rebuild(sql, carried, { workspaceId, ownerOf }) {
      const { id, memo, instruction, accounts, more } = carried
      const [source, mint, target] = accounts
      const [from_wallet, wallet, amount] = [ownerOf(source!), ownerOf(target!), totalOf(carried)]
      const recovery_id = isForced ? recoveryIn(memo) : undefined
      if (instruction !== "TransferChecked" || memo !== memoOf(id, recovery_id)) return null
      if (from_wallet === null || wallet === null || amount === null) return null
      if (more.some(({ accounts: [from, , to] }) => ownerOf(from!) !== from_wallet || to !== target)) return null
      const config = await configOfMint(sql, workspaceId, mint!)
      if (config === null) return null
      const payload = { mint_config: config, wallet, from_wallet, amount, ...(recovery_id && { recovery_id }) }
      await withCounters(sql, workspaceId, [{ payload }], (_payload, config, holdingOf) => {
        holdingOf(from_wallet).outgoing += amount
        expectUnits(holdingOf(wallet), config, amount)
      })
      const key = { config, wallet: from_wallet }
      // It moves every hold with its tokens.
      const taken = recovery_id
        ? await allHolds(sql, workspaceId, key, id)
        : await takenOnChain(sql, workspaceId, key, carried)
      return taken && { ...payload, ...taken, ...passedPause(carried) }
    },

    attach: null,
    recover(error, { payload }, instruction) {
      // The first instruction creates a missing account and otherwise moves nothing.
      if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
      if (instruction > 0 && error.custom === TokenError.InsufficientFunds)
        return { do: "fail", refusal: uncovered(payload.from_wallet) }
      // An account is not in its expected state, so the next plan reads it from the chain.
      return { do: "retry" }
    },
  })
}

const handedBy = (ended: readonly { id: string; payload: Payload }[], ending: Ending) => ({
  ending,
  handed: ended.flatMap(({ id, payload: { mint_config: config, investor_handover } }) =>
    investor_handover ? [{ config, operationId: id }] : [],
  ),
})

/** A holder slot reaches its wallet. If the wallet got another one in the meantime, one is released. */
function takePlace(holding: Holding, config: ConfigRow): void {
  if (holding.hasSlot) config.holders -= 1
  holding.hasSlot = true
}

/** The recovery that a memo names; undefined if it names none. */
function recoveryIn(memo: string): string | undefined {
  const id = memo.split(":").at(-1)!
  return isId("rec", id) ? id : undefined
}
