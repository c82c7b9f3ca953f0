import { z } from "zod"
import { defineOperation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { mintAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import { lookUpAccounts } from "../account-states.ts"
import { storedAmount } from "../amount.ts"
import {
  approvedBy,
  arrive,
  configOfMint,
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
  payload: z.object({ mint_config: z.string(), wallet: storedAddress, amount: storedAmount, ...approvedBy }),
  lookUp: lookUpAccounts,

  plan: (sql, operations, issuer, seen) =>
    planMovements(sql, operations, {
      kind: "mint",
      issuer,
      seen,
      build({ id, payload: { wallet: address, amount } }, { asset, before, after }) {
        const wallet = publicKeyOf(address)
        const memoText = operationMemo(id)
        return send(mintAsset(asset, { wallet, amount, before: before.to, after: after.to, memoText }))
      },
    }),

  settle: (sql, settled, workspaceId) =>
    withCounters(sql, workspaceId, settled, ({ wallet, amount }, config, holdingOf) => {
      arrive(holdingOf(wallet), amount)
      config.supply = plus(config.supply, amount)
    }),

  settleAgain: null,

  release: (sql, operations, workspaceId) =>
    withCounters(sql, workspaceId, operations, ({ wallet, amount }, config, holdingOf) => {
      const to = holdingOf(wallet)
      to.incoming -= amount
      config.issued = plus(config.issued, -amount)
      leaveIfEmpty(to, config)
    }),

  memoId: ({ id }) => id,
  effects: movementEffects,

  async rebuild(sql, { instruction, accounts: [mint, account], amount }, { workspaceId, ownerOf }) {
    const wallet = ownerOf(account!)
    if (instruction !== "MintToChecked" || wallet === null || amount === null) return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config === null) return null
    const payload = { mint_config: config, wallet, amount }
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
