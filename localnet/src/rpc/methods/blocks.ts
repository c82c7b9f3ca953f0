import { base58OfKey } from "../../chain/keys.ts"
import type { Commitment } from "../../chain/slots.ts"
import { accountsView, transactionView } from "../../views/transaction-view.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import type { Context } from "./context.ts"

const MAX_BLOCK_RANGE = 500_000

/** Blocks, assembled from the transactions that landed in them. */
export function blockMethods({ chain, identity }: Context): Methods {
  const { slots, history } = chain
  const firstSlot = () => Math.max(slots.slotOfHeight(0), chain.forgottenBefore)
  return {
    getFirstAvailableBlock: firstSlot,
    minimumLedgerSlot: firstSlot,
    getBlocks: ([from, to, given]) => {
      const options = param.config(typeof to === "object" ? (to ?? given) : given)
      const newest = slots.slot(param.settledCommitment(options.commitment))
      const first = param.wholeNumber(from, "start slot")
      const last = Math.min(typeof to === "number" ? param.wholeNumber(to, "end slot") : newest, newest)
      if (last - first > MAX_BLOCK_RANGE) throw invalidParams(`Slot range too large; max ${MAX_BLOCK_RANGE}`)
      return blocksOf(first, last)
    },
    getBlocksWithLimit: ([from, limitGiven, given]) => {
      const newest = slots.slot(param.settledCommitment(param.config(given).commitment))
      const limit = param.wholeNumber(limitGiven, "limit")
      if (limit > MAX_BLOCK_RANGE) throw invalidParams(`Limit too large; max ${MAX_BLOCK_RANGE}`)
      return blocksOf(param.wholeNumber(from, "start slot"), newest, limit)
    },
    getBlockTime: ([given]) => {
      const slot = param.wholeNumber(given, "slot")
      requireBlock(slot, "processed")
      return timeOf(slot)
    },
    getBlock: ([slotGiven, given]) => {
      const slot = param.wholeNumber(slotGiven, "slot")
      const options = typeof given === "string" ? { encoding: given } : param.config(given)
      requireBlock(slot, param.settledCommitment(options.commitment))
      const height = slots.heightOfSlot(slot)
      return {
        blockhash: base58OfKey(slots.blockhash(height)),
        previousBlockhash: base58OfKey(slots.blockhash(height - 1)),
        parentSlot: slots.slotOfHeight(height - 1),
        blockHeight: height,
        blockTime: timeOf(slot),
        ...blockTransactions(slot, options),
        ...(options.rewards === false ? {} : { rewards: [feeReward()] }),
      }
    },
  }

  /** Throws a node's error for a block that it does not have: not yet, no longer, or skipped. */
  function requireBlock(slot: number, commitment: Commitment) {
    if (!slots.reached(slot, commitment)) throw new RpcError(-32004, `Block not available for slot ${slot}`)
    const first = firstSlot()
    if (slot < first)
      throw new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`)
    if (!slots.hasBlock(slot))
      throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
  }

  function blocksOf(from: number, last: number, limit = Number.POSITIVE_INFINITY): number[] {
    const found: number[] = []
    for (let slot = Math.max(from, firstSlot()); slot <= last && found.length < limit; slot++)
      if (slots.hasBlock(slot)) found.push(slot)
    return found
  }

  /** A block names its leader's reward, which is 0 here, because all fees are burnt. */
  function feeReward() {
    return { commission: null, lamports: 0, postBalance: 0, pubkey: identity, rewardType: "Fee" }
  }

  function blockTransactions(slot: number, options: param.Config) {
    const indexes = history.ofSlots(slot, slot)
    const full = () => indexes.map((index) => history.full(index))
    switch (options.transactionDetails ?? "full") {
      case "none":
        return {}
      case "signatures":
        return { signatures: indexes.map((index) => history.at(index).signature) }
      case "accounts":
        return { transactions: full().map((one) => accountsView(one, options)) }
      case "full": {
        const rewards = options.rewards !== false
        return { transactions: full().map((one) => transactionView(one, options, { rewards })) }
      }
      default:
        throw invalidParams("Invalid params: unknown variant, expected one of full, signatures, none, accounts")
    }
  }

  /** The time of the last transaction up to this slot. For a recent empty block, the time that it had. */
  function timeOf(slot: number): number | null {
    if (slot === slots.slot()) return chain.unixSeconds
    const until = history.countUpToSlot(slot)
    const last = until === 0 ? null : history.at(until - 1)
    const seconds = last && history.unixSeconds(until - 1)
    if (last?.slot === slot) return seconds
    const clock = chain.secondsAt(slot)
    return clock === null || (seconds !== null && seconds > clock) ? seconds : clock
  }
}
