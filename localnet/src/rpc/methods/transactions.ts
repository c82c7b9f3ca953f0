import { type Landed, lowerBound } from "../../chain/history.ts"
import { memoOf } from "../../chain/wire.ts"
import { transactionView } from "../../views/transaction-view.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import type { Context } from "./context.ts"

const MAX_STATUSES = 256
const MAX_SIGNATURES = 1_000
/** How far back a status is found without searching history (`MAX_RECENT_BLOCKHASHES`). */
const RECENT_SLOTS = 300

/** Transactions that landed. */
export function transactionMethods({ chain, withContext }: Context): Methods {
  const { slots, history } = chain
  return {
    getSignatureStatuses: ([signatures, given]) => {
      const search = param.config(given).searchTransactionHistory === true
      // A node that pruned its ledger still has its cache of recent statuses.
      const recent = slots.slot() - RECENT_SLOTS
      const oldest = search ? Math.min(chain.forgottenBefore, recent) : recent
      const statuses = param.list(signatures, "signatures", MAX_STATUSES).map((one) => {
        const landed = history.find(signatureOf(one))
        return landed === null || landed.slot < oldest ? null : statusOf(landed)
      })
      return withContext(statuses)
    },
    getSignaturesForAddress: ([address, given]) => {
      const options = param.config(given)
      const commitment = param.settledCommitment(options.commitment)
      param.requireMinContextSlot(slots, options, commitment)
      const limit = param.optionalNumber(options.limit, "limit") ?? MAX_SIGNATURES
      if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`)
      const indexes = history.ofAddress(param.address(address))
      const first = options.until ? lowerBound(indexes, indexOf(options.until) + 1) : 0
      let position = options.before ? lowerBound(indexes, indexOf(options.before)) : indexes.length
      const found = []
      while (position > first && found.length < limit) {
        position -= 1
        const landed = history.at(indexes[position]!)
        if (landed.slot < chain.forgottenBefore) break
        if (slots.reached(landed.slot, commitment)) found.push(summaryOf(landed))
      }
      return found
    },
    getTransaction: ([signature, given]) => {
      // Old clients pass the encoding itself as the second parameter.
      const options = typeof given === "string" ? { encoding: given } : param.config(given)
      const commitment = param.settledCommitment(options.commitment)
      const landed = history.find(param.signature(signature))
      if (landed === null || landed.slot < chain.forgottenBefore) return null
      if (!slots.reached(landed.slot, commitment)) return null
      return {
        slot: landed.slot,
        blockTime: history.unixSeconds(landed.index),
        transactionIndex: indexInBlock(landed),
        ...transactionView(history.full(landed.index), options),
      }
    },
  }

  function indexInBlock({ index, slot }: Landed): number {
    return index - history.countUpToSlot(slot - 1)
  }

  /** A signature that landed needs no check. Others must be valid. */
  function signatureOf(given: unknown): string {
    return typeof given === "string" && history.has(given) ? given : param.signature(given)
  }

  function statusOf({ slot, err }: Landed) {
    const finalized = slots.reached(slot, "finalized")
    return {
      slot,
      confirmations: finalized ? null : slots.height() - slots.heightOfSlot(slot),
      err,
      status: err === null ? { Ok: null } : { Err: err },
      confirmationStatus: finalized ? "finalized" : slots.reached(slot, "confirmed") ? "confirmed" : "processed",
    }
  }

  function summaryOf(landed: Landed) {
    return {
      signature: landed.signature,
      slot: landed.slot,
      transactionIndex: indexInBlock(landed),
      err: landed.err,
      memo: memoOf(history.transaction(landed.index).message),
      blockTime: history.unixSeconds(landed.index),
      confirmationStatus: slots.reached(landed.slot, "finalized") ? "finalized" : "confirmed",
    }
  }

  function indexOf(given: unknown): number {
    const signature = param.signature(given)
    const landed = history.find(signature)
    if (landed === null || landed.slot < chain.forgottenBefore)
      throw new RpcError(-32020, `Transaction ${signature} not found`)
    return landed.index
  }
}
