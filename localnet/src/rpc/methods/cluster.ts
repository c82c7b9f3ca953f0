import { feeOf } from "../../chain/fees.ts"
import { base58OfKey } from "../../chain/keys.ts"
import { BLOCKHASH_BLOCKS } from "../../chain/slots.ts"
import { SLOTS_PER_EPOCH, VERSION } from "../../chain/vm.ts"
import { parseMessage } from "../../chain/wire.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import type { Context } from "./context.ts"

const MAX_SAMPLES = 720

/** Blocks, time, fees. */
export function clusterMethods({ chain, withContext, slotMs }: Context): Methods {
  const { slots, history } = chain
  const read = (given: unknown) => {
    const options = param.config(given)
    const commitment = param.commitment(options.commitment)
    param.requireMinContextSlot(slots, options, commitment)
    return commitment
  }
  return {
    getHealth: () => "ok",
    getVersion: () => ({ "solana-core": VERSION, "feature-set": 0 }),
    getGenesisHash: () => chain.genesisHash,
    getSlot: ([options]) => slots.slot(read(options)),
    getBlockHeight: ([options]) => slots.height(read(options)),
    getEpochInfo: ([options]) => {
      const commitment = read(options)
      const absoluteSlot = slots.slot(commitment)
      return {
        absoluteSlot,
        blockHeight: slots.height(commitment),
        epoch: Math.floor(absoluteSlot / SLOTS_PER_EPOCH),
        slotIndex: absoluteSlot % SLOTS_PER_EPOCH,
        slotsInEpoch: SLOTS_PER_EPOCH,
        transactionCount: history.count,
      }
    },
    getEpochSchedule: () => ({
      slotsPerEpoch: SLOTS_PER_EPOCH,
      leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
      warmup: false,
      firstNormalEpoch: 0,
      firstNormalSlot: 0,
    }),
    getTransactionCount: ([options]) => {
      read(options)
      return history.count
    },
    getLatestBlockhash: ([options]) => {
      const commitment = read(options)
      const height = slots.height(commitment)
      const value = {
        blockhash: base58OfKey(slots.blockhash(height)),
        lastValidBlockHeight: height + BLOCKHASH_BLOCKS,
      }
      return withContext(value, commitment)
    },
    isBlockhashValid: ([blockhash, options]) => {
      const commitment = read(options)
      return withContext(slots.isRecent(param.address(blockhash), commitment), commitment)
    },
    getFeeForMessage: ([encoded, options]) => {
      const commitment = read(options)
      const bytes = param.decodeBytes(param.text(encoded, "message"), "base64")
      if (bytes === null) throw invalidParams("invalid base64 encoding")
      try {
        const message = parseMessage(bytes)
        return withContext(slots.isRecent(message.blockhash, commitment) ? feeOf(message) : null, commitment)
      } catch (error) {
        throw invalidParams(`failed to deserialize solana_message::VersionedMessage: ${(error as Error).message}`)
      }
    },
    getMinimumBalanceForRentExemption: ([bytes]) => {
      const size = param.wholeNumber(bytes, "data length")
      if (size > 10 << 20) throw new RpcError(-32600, "Invalid request")
      return Number(chain.vm.rentExemption(size))
    },
    // Transactions do not compete for blocks, so a price of zero is enough.
    getRecentPrioritizationFees: ([addresses]) => {
      for (const one of param.list(addresses ?? [], "addresses", 128)) param.address(one)
      return [{ slot: slots.slot(), prioritizationFee: 0 }]
    },
    getRecentPerformanceSamples: ([limit]) => {
      const max = param.optionalNumber(limit, "limit") ?? MAX_SAMPLES
      if (max > MAX_SAMPLES) throw invalidParams(`Invalid limit; max ${MAX_SAMPLES}`)
      if (max === 0) return []
      const numSlots = Math.round(60_000 / slotMs)
      const slot = slots.slot()
      const numTransactions = history.ofSlots(slot - numSlots + 1, slot).length
      return [{ slot, numSlots, numTransactions, numNonVoteTransactions: numTransactions, samplePeriodSecs: 60 }]
    },
  }
}
