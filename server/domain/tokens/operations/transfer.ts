import { z } from "zod"
import { defineOperation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { moveAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError, TokenError } from "#server/solana/program-error.ts"
import { type ConfirmedAccounts, lookUpToTransfer } from "../account-states.ts"
import { storedAmount } from "../amount.ts"
import type { ConfigRow } from "../config.ts"
import type { Holding } from "../holder-facts.ts"
import {
  configOfMint,
  expectUnits,
  leaveIfEmpty,
  movementEffects,
  planMovements,
  uncovered,
  withCounters,
} from "./movement.ts"

/** Moves tokens from one wallet to another, if the rules allow both. */
export const transfer = defineOperation({
  kind: "transfer",
  label: "Transfer",
  isUrgent: false,
  payload: z.object({
    mint_config: z.string(),
    wallet: storedAddress,
    from_wallet: storedAddress,
    amount: storedAmount,
    /** Whether the sender's holder slot goes with it. */
    handover: z.boolean().optional(),
  }),
  lookUp: lookUpToTransfer,

  plan: (sql, operations, issuer, seen: ConfirmedAccounts | null) =>
    planMovements(sql, operations, {
      issuer,
      seen,
      build({ id, payload }, { asset, config, before, after }) {
        const { wallet, from_wallet, amount } = payload
        // A single read is not enough to conclude that the account has nothing to take.
        if (config.transfer_mode === "holder" && before.from === "absent")
          return seen?.isSure({ id }) ? { do: "fail", refusal: uncovered(from_wallet) } : { do: "defer" }
        const between = { from: publicKeyOf(from_wallet), to: publicKeyOf(wallet) }
        const states = { before, after: { from: after, to: after } }
        return send(moveAsset(asset, { ...between, amount, ...states, memoText: operationMemo(id) }))
      },
    }),

  settle: (sql, settled, workspaceId) =>
    withCounters(sql, workspaceId, settled, ({ wallet, from_wallet, amount, handover }, config, holdingOf) => {
      const to = holdingOf(wallet)
      to.incoming -= amount
      to.balance += amount
      const from = holdingOf(from_wallet)
      from.outgoing -= amount
      from.balance -= amount
      if (handover) takePlace(to, config)
      leaveIfEmpty(from, config)
    }),

  settleAgain: null,

  release: (sql, operations, workspaceId) =>
    withCounters(sql, workspaceId, operations, ({ wallet, from_wallet, amount, handover }, config, holdingOf) => {
      const to = holdingOf(wallet)
      to.incoming -= amount
      const from = holdingOf(from_wallet)
      from.outgoing -= amount
      if (handover) takePlace(from, config)
      leaveIfEmpty(to, config)
    }),

  memoId: ({ id }) => id,
  effects: movementEffects,

  async rebuild(sql, { instruction, accounts: [source, mint, target], amount }, { workspaceId, ownerOf }) {
    const [from_wallet, wallet] = [ownerOf(source!), ownerOf(target!)]
    if (instruction !== "TransferChecked" || from_wallet === null || wallet === null || amount === null) return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config === null) return null
    const payload = { mint_config: config, wallet, from_wallet, amount }
    await withCounters(sql, workspaceId, [{ payload }], (_payload, config, holdingOf) => {
      holdingOf(from_wallet).outgoing += amount
      expectUnits(holdingOf(wallet), config, amount)
    })
    return payload
  },

  recover(error, { payload }, instruction) {
    // The first instruction creates a missing account and otherwise moves nothing.
    if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
    if (instruction > 0 && error.custom === TokenError.InsufficientFunds)
      return { do: "fail", refusal: uncovered(payload.from_wallet) }
    // An account is not in its expected state, so the next plan reads it from the chain.
    return { do: "retry" }
  },
})

/** A holder slot reaches its wallet. If the wallet got another one in the meantime, one is released. */
function takePlace(holding: Holding, config: ConfigRow): void {
  if (holding.hasSlot) config.holders -= 1
  holding.hasSlot = true
}
