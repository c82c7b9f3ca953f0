import { FAUCET_LAMPORTS } from "../../chain/faucet.ts"
import { base58OfKey } from "../../chain/keys.ts"
import { BLOCKHASH_BLOCKS } from "../../chain/slots.ts"
import { SLOTS_PER_EPOCH, VERSION } from "../../chain/vm.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods, RpcError } from "../rpc.ts"
import type { Context } from "./context.ts"

const MAX_LEADERS = 5_000
/** The stake in lamports that the one validator reports. */
const STAKE = 1_000_000_000_000
/** The length of `getBlockCommitment`'s list (`MAX_LOCKOUT_HISTORY` + 1). */
const LOCKOUTS = 32

/** Describes the one validator, which leads every slot. It has no real stake. */
export function validatorMethods({ chain, identity, voteAccount, optionsOf, withContext }: Context): Methods {
  const { slots } = chain
  const commitmentOf = (given: unknown) => param.commitment(optionsOf(given).commitment)
  const epochOf = (slot: number) => Math.floor(slot / SLOTS_PER_EPOCH)
  return {
    getIdentity: () => ({ identity }),
    getInflationGovernor: () => ({ foundation: 0, foundationTerm: 0, initial: 0, taper: 1, terminal: 0 }),
    getInflationRate: () => ({ epoch: epochOf(slots.slot()), foundation: 0, total: 0, validator: 0 }),
    getInflationReward: ([addresses, given]) => {
      const count = param.list(addresses, "addresses", 1_000).map(param.address).length
      const epoch = param.optionalNumber(optionsOf(given).epoch, "epoch") ?? epochOf(slots.slot("finalized")) - 1
      const first = (epoch + 1) * SLOTS_PER_EPOCH
      if (!slots.reached(first, "finalized")) throw new RpcError(-32004, `Block not available for slot ${first}`)
      return Array(count).fill(null)
    },
    getClusterNodes: () => [
      {
        ...{ clientId: "Agave", featureSet: 0, pubkey: identity, shredVersion: 1, version: VERSION },
        ...{ gossip: null, pubsub: null, rpc: null, serveRepair: null, tpu: null, tpuForwards: null },
        ...{ tpuForwardsQuic: null, tpuQuic: null, tpuVote: null, tvu: null },
      },
    ],
    getVoteAccounts: ([given]) => ({
      current: [
        {
          ...{
            activatedStake: STAKE,
            commission: 0,
            inflationRewardsCommissionBps: 0,
            epochCredits: [[0, 1, 0]],
          },
          ...{ epochVoteAccount: true, nodePubkey: identity, votePubkey: voteAccount },
          ...{ lastVote: slots.slot(commitmentOf(given)), rootSlot: slots.slot("finalized") },
        },
      ],
      delinquent: [],
    }),
    getSupply: ([given]) => {
      const total = Number(FAUCET_LAMPORTS)
      const value = { circulating: total, nonCirculating: 0, nonCirculatingAccounts: [], total }
      return withContext(value, commitmentOf(given))
    },
    getLargestAccounts: ([given]) => {
      const accounts = chain.largestAccounts(20)
      const largest = accounts.map(({ key, lamports }) => ({
        address: base58OfKey(key),
        lamports: Number(lamports),
      }))
      return withContext(largest, commitmentOf(given))
    },
    getHighestSnapshotSlot: () => {
      throw new RpcError(-32008, "No snapshot")
    },
    getMaxRetransmitSlot: () => slots.slot(),
    getMaxShredInsertSlot: () => slots.slot(),
    getSlotLeader: ([given]) => {
      optionsOf(given)
      return identity
    },
    getSlotLeaders: ([start, limit]) => {
      param.wholeNumber(start, "start slot")
      const count = param.wholeNumber(limit, "limit")
      if (count > MAX_LEADERS) throw invalidParams(`Invalid limit; max ${MAX_LEADERS}`)
      return Array(count).fill(identity)
    },
    getLeaderSchedule: ([slot]) => {
      const asked = typeof slot === "object" ? null : param.optionalNumber(slot, "slot")
      // A cluster knows the leaders of the current epoch and the next one.
      if (asked !== null && epochOf(asked) > epochOf(slots.slot()) + 1) return null
      return { [identity]: Array.from({ length: SLOTS_PER_EPOCH }, (_, index) => index) }
    },
    getBlockProduction: ([given]) => {
      const range = { firstSlot: 0, lastSlot: slots.slot(commitmentOf(given)) }
      return withContext({ byIdentity: { [identity]: [range.lastSlot + 1, slots.height()] }, range })
    },
    getStakeMinimumDelegation: ([given]) => withContext(1_000_000_000, commitmentOf(given)),
    getBlockCommitment: ([slot]) => {
      const asked = param.wholeNumber(slot, "slot")
      const age = slots.slot() - asked
      const known = age >= 0 && age < BLOCKHASH_BLOCKS && slots.hasBlock(asked)
      const depth = Math.min(age, LOCKOUTS - 1)
      const commitment = known ? Array.from({ length: LOCKOUTS }, (_, at) => (at === depth ? STAKE : 0)) : null
      return { commitment, totalStake: STAKE }
    },
  }
}
