import { z } from "zod"
import { defineOperation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { burnAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { TokenError } from "#server/solana/program-error.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import { extensionsOf } from "../config.ts"
import { executeHolds, restoreHolds, takenOnChain } from "../holds/taken-holds.ts"
import { grounds, noteForced, passedPause, passesPause, takenHolds } from "./forced.ts"
import {
  approvedBy,
  type Change,
  depart,
  leaveIfEmpty,
  lookUpTaking,
  movementEffects,
  planMovements,
  plus,
  type SeenToTake,
  totalOf,
  uncovered,
  withCounters,
} from "./movement.ts"

const INSTRUCTIONS = ["BurnChecked", "PermissionedBurnChecked"]

const payload = z.object({
  mint_config: z.string(),
  from_wallet: storedAddress,
  amount: storedAmount,
  holder_consent: z.boolean(),
  ...grounds,
  ...takenHolds,
  ...passesPause,
  ...approvedBy,
})

const memoOf = (id: string, { holder_consent }: { holder_consent: boolean }) =>
  operationMemo(id, holder_consent ? undefined : "forced")

/** Burns a wallet's tokens, whatever the rules say about their holder. */
export const burn = defineOperation({
  kind: "burn",
  label: "Redeem",
  isUrgent: false,
  payload,
  lookUp: lookUpTaking,

  plan: (sql, operations, issuer, seen: SeenToTake | null) =>
    planMovements(sql, operations, {
      kind: "burn",
      issuer,
      seen,
      build({ id, payload }, { asset, config, before, after, held, isPaused }) {
        const { from_wallet, amount } = payload
        return send(
          burnAsset(asset, {
            wallet: publicKeyOf(from_wallet),
            amount,
            // In agent mode, an account that holds tokens is frozen. In holder mode it was found on chain.
            before: before.from === "thawed" ? "thawed" : "frozen",
            after: after.from,
            memoText: memoOf(id, payload),
            held,
            isPaused,
            isPermissioned: extensionsOf(config).includes("permissioned_burn"),
          }),
        )
      },
    }),

  async settle(sql, settled, workspaceId) {
    const change: Change<z.output<typeof payload>> = ({ from_wallet, amount }, config, holdingOf) => {
      const from = holdingOf(from_wallet)
      depart(from, amount)
      config.supply = plus(config.supply, -amount)
      config.issued = plus(config.issued, -amount)
      leaveIfEmpty(from, config)
    }
    const moves = settled.map(({ id, payload: { mint_config: config, from_wallet: from, amount: units } }) => ({
      ...{ config, operationId: id, from, to: null, units },
    }))
    await withCounters(sql, workspaceId, settled, change, undefined, moves)
    await executeHolds(sql, workspaceId, settled)
    await noteForced(sql, workspaceId, "burn", settled)
  },

  settleAgain: null,

  async release(sql, operations, workspaceId) {
    await withCounters(sql, workspaceId, operations, ({ from_wallet, amount }, _config, holdingOf) => {
      holdingOf(from_wallet).outgoing -= amount
    })
    await restoreHolds(sql, workspaceId, operations)
  },

  memoId: ({ id }) => id,
  effects: movementEffects,

  async rebuild(sql, carried, { workspaceId, ownerOf }) {
    const { id, memo, instruction, accounts, more } = carried
    const [account, mint] = accounts
    const [from_wallet, amount] = [ownerOf(account!), totalOf(carried)]
    if (!INSTRUCTIONS.includes(instruction) || from_wallet === null || amount === null) return null
    if (more.some((one) => ownerOf(one.accounts[0]!) !== from_wallet)) return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config === null) return null
    const payload = { mint_config: config, from_wallet, amount, holder_consent: memo === operationMemo(id) }
    await withCounters(sql, workspaceId, [{ payload }], (_payload, _config, holdingOf) => {
      holdingOf(from_wallet).outgoing += amount
    })
    const taken = await takenOnChain(sql, workspaceId, { config, wallet: from_wallet }, carried)
    return taken && { ...payload, ...taken, ...passedPause(carried) }
  },

  attach: null,
  recover: (error, { payload }) =>
    error.custom === TokenError.InsufficientFunds
      ? { do: "fail", refusal: uncovered(payload.from_wallet) }
      : { do: "retry" },
})
