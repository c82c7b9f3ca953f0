import { z } from "zod"
import { defineOperation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { mintAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import { lookUpAccounts } from "../account-states.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import type { LotMove } from "../lots/lot-book.ts"
import { storedLot } from "../lots/mint-lot.ts"
import { operationsOfPayouts } from "../payout-operations.ts"
import {
  approvedBy,
  arrive,
  type Change,
  expectUnits,
  leaveIfEmpty,
  movementEffects,
  planMovements,
  plus,
  withCounters,
} from "./movement.ts"

/** Mints tokens to a wallet that the rules allow. */
export const mint = defineOperation({
  kind: "mint",
  label: "Mint",
  isUrgent: false,
  payload: z.object({
    mint_config: z.string(),
    wallet: storedAddress,
    amount: storedAmount,
    /** What is recorded about the units. Absent if nothing was given, or if a restored database has lost it. */
    lot: storedLot.optional(),
    /** The payout of a distribution that it pays. The memo names it, so the chain shows each payout at most once. */
    payout_id: z.string().optional(),
    ...approvedBy,
  }),
  lookUp: lookUpAccounts,

  plan: (sql, operations, issuer, seen) =>
    planMovements(sql, operations, {
      kind: "mint",
      issuer,
      seen,
      build({ id, payload: { wallet: address, amount, payout_id } }, { asset, before, after }) {
        const wallet = publicKeyOf(address)
        const memoText = operationMemo(payout_id ?? id)
        return send(mintAsset(asset, { wallet, amount, before: before.to, after: after.to, memoText }))
      },
    }),

  settle(sql, settled, workspaceId) {
    const now = clock.now()
    const moves = settled.map(({ id, payload: { mint_config: config, wallet: to, amount: units, lot } }): LotMove => {
      const acquiredAt = lot?.acquired_at === undefined ? now : new Date(lot.acquired_at)
      return { config, operationId: id, from: null, to, units, acquiredAt, exemption: lot?.exemption ?? "none" }
    })
    const change: Change<{ wallet: Address; amount: bigint }> = ({ wallet, amount }, config, holdingOf) => {
      arrive(holdingOf(wallet), amount)
      config.supply = plus(config.supply, amount)
    }
    return withCounters(sql, workspaceId, settled, change, undefined, moves)
  },

  settleAgain: null,

  release: (sql, operations, workspaceId) =>
    withCounters(sql, workspaceId, operations, ({ wallet, amount }, config, holdingOf) => {
      const to = holdingOf(wallet)
      to.incoming -= amount
      config.issued = plus(config.issued, -amount)
      leaveIfEmpty(to, config)
    }),

  memoId: ({ id, payload: { payout_id } }) => payout_id ?? id,
  effects: movementEffects,

  async rebuild(sql, { id, instruction, accounts: [mint, account], amount }, { workspaceId, ownerOf }) {
    const wallet = ownerOf(account!)
    if (instruction !== "MintToChecked" || wallet === null || amount === null) return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config === null) return null
    const payout = isId("pay", id) ? { payout_id: id } : {}
    // Another transaction has paid it: a person must decide.
    if ((await operationsOfPayouts(sql, workspaceId, [id])).size > 0) return null
    const payload = { mint_config: config, wallet, amount, ...payout }
    await withCounters(sql, workspaceId, [{ payload }], (_payload, config, holdingOf) => {
      config.issued = plus(config.issued, amount)
      expectUnits(holdingOf(wallet), config, amount)
    })
    return payload
  },

  // The first instruction creates a missing account and otherwise does nothing. If an account is not in its expected
  // state, the next plan reads it from the chain.
  attach: null,
  recover: (error, _operation, instruction) =>
    instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports ? { do: "wait" } : { do: "retry" },
})
