import { type Landed, lowerBound } from "../history.ts"
import { base58OfKey } from "../keys.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"
import { lagOf } from "../slots.ts"
import { transactionView } from "../transaction-view.ts"
import { memoOf } from "../wire.ts"
import type { Context } from "./context.ts"

const MAX_STATUSES = 256
const MAX_SIGNATURES = 1_000
/** How far back statuses are known without a search of history (`MAX_RECENT_BLOCKHASHES`). */
const RECENT_SLOTS = 300

/** What has landed. */
export function transactionMethods({ chain, withContext }: Context): Methods {
  const { slots, history } = chain
  return {
    getSignatureStatuses: ([signatures, given]) => {
      const search = param.config(given).searchTransactionHistory === true
      const oldest = search ? 0 : slots.slot() - RECENT_SLOTS
      const statuses = param.list(signatures, "signatures", MAX_STATUSES).map((one) => {
        const landed = history.find(known(one))
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
      const first = options.until ? positionAfter(indexes, options.until) : 0
      let position = options.before ? positionBefore(indexes, options.before) : indexes.length
      const found = []
      while (position > first && found.length < limit) {
        position -= 1
        const landed = history.at(indexes[position]!)
        if (slots.reached(landed.slot, commitment)) found.push(summaryOf(landed))
      }
      return found
    },
    getTransaction: ([signature, given]) => {
      // In its old form the second parameter is the encoding itself.
      const options = typeof given === "string" ? { encoding: given } : param.config(given)
      const commitment = param.settledCommitment(options.commitment)
      const landed = history.find(param.signature(signature))
      if (landed === null || !slots.reached(landed.slot, commitment)) return null
      return {
        slot: landed.slot,
        blockTime: history.unixSeconds(landed.index),
        ...transactionView(history.full(landed.index), options),
      }
    },
  }

  /** Landed signatures are found as they are; only others need to be looked at for being signatures at all. */
  function known(given: unknown): string {
    return typeof given === "string" && history.has(given) ? given : param.signature(given)
  }

  function statusOf({ slot, err }: Landed) {
    const age = slots.slot() - slot
    const finalized = age >= lagOf.finalized
    return {
      slot,
      confirmations: finalized ? null : age,
      err,
      status: err === null ? { Ok: null } : { Err: err },
      confirmationStatus: finalized ? "finalized" : age >= lagOf.confirmed ? "confirmed" : "processed",
    }
  }

  function summaryOf(landed: Landed) {
    return {
      signature: landed.signature,
      slot: landed.slot,
      err: landed.err,
      memo: memoOf(history.transaction(landed.index).message),
      blockTime: history.unixSeconds(landed.index),
      confirmationStatus: slots.reached(landed.slot, "finalized") ? "finalized" : "confirmed",
    }
  }

  function positionBefore(indexes: readonly number[], before: unknown): number {
    const landed = history.find(param.signature(before))
    return landed === null ? 0 : lowerBound(indexes, landed.index)
  }

  function positionAfter(indexes: readonly number[], until: unknown): number {
    const landed = history.find(param.signature(until))
    return landed === null ? 0 : lowerBound(indexes, landed.index + 1)
  }
}

const MAX_BLOCK_RANGE = 500_000

/** Blocks, as far as they can be told from what landed in them. Every slot has one. */
export function blockMethods({ chain }: Context): Methods {
  const { slots, history } = chain
  const firstSlot = slots.slotOfHeight(0)
  return {
    getFirstAvailableBlock: () => firstSlot,
    minimumLedgerSlot: () => firstSlot,
    getBlocks: ([from, to, given]) => {
      const options = param.config(typeof to === "object" ? to : given)
      const newest = slots.slot(param.settledCommitment(options.commitment))
      const first = Math.max(param.wholeNumber(from, "start slot"), firstSlot)
      const last = Math.min(typeof to === "number" ? param.wholeNumber(to, "end slot") : newest, newest)
      if (last - first > MAX_BLOCK_RANGE) throw invalidParams(`Slot range too large; max ${MAX_BLOCK_RANGE}`)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, position) => first + position)
    },
    getBlockTime: ([slot]) => timeOf(param.wholeNumber(slot, "slot")),
    getBlock: ([slotGiven, given]) => {
      const slot = param.wholeNumber(slotGiven, "slot")
      const options = typeof given === "string" ? { encoding: given } : param.config(given)
      if (slot < firstSlot || !slots.reached(slot, param.settledCommitment(options.commitment))) return null
      const height = slots.heightOfSlot(slot)
      return {
        blockhash: base58OfKey(slots.blockhash(height)),
        previousBlockhash: base58OfKey(slots.blockhash(height - 1)),
        parentSlot: slot - 1,
        blockHeight: height,
        blockTime: timeOf(slot),
        ...blockTransactions(slot, options),
        ...(options.rewards === false ? {} : { rewards: [] }),
      }
    },
  }

  function blockTransactions(slot: number, options: param.Config) {
    const indexes = history.ofSlots(slot, slot)
    switch (options.transactionDetails ?? "full") {
      case "none":
        return {}
      case "signatures":
        return { signatures: indexes.map((index) => history.at(index).signature) }
      default:
        return { transactions: indexes.map((index) => transactionView(history.full(index), options)) }
    }
  }

  /** The time of the last transaction up to that slot: empty blocks have no recorded time. */
  function timeOf(slot: number): number | null {
    if (!slots.reached(slot, "processed")) return null
    if (slot === slots.slot()) return chain.unixSeconds
    const until = history.countUpToSlot(slot)
    return until === 0 ? null : history.unixSeconds(until - 1)
  }
}
