import { createHash } from "node:crypto"
import type { Chain } from "../../chain/chain.ts"
import { base58OfKey, keyOfBytes } from "../../chain/keys.ts"
import type { Commitment } from "../../chain/slots.ts"
import { VERSION } from "../../chain/vm.ts"
import * as param from "../params.ts"

/** The context that all methods share. */
export type Context = {
  chain: Chain
  /** The addresses of the one validator and of its vote account. */
  identity: string
  voteAccount: string
  slotMs: number
  /** The options of a call. Throws if `minContextSlot` has not been reached. */
  optionsOf: (given: unknown) => param.Config
  /** Adds the slot that a response refers to, as a cluster does. */
  withContext: <Value>(value: Value, commitment?: Commitment) => { context: RpcContext; value: Value }
}

type RpcContext = { apiVersion: string; slot: number }

export function contextOf(chain: Chain, slotMs: number): Context {
  const keyOf = (role: string) =>
    base58OfKey(keyOfBytes(createHash("sha256").update(`${chain.genesisHash} ${role}`).digest()))
  return {
    chain,
    identity: keyOf("validator"),
    voteAccount: keyOf("vote account"),
    slotMs,
    optionsOf: (given) => {
      const options = param.config(given)
      param.requireMinContextSlot(chain.slots, options, param.commitment(options.commitment))
      return options
    },
    withContext: (value, commitment = "processed") => ({
      context: { apiVersion: VERSION, slot: chain.slots.slot(commitment) },
      value,
    }),
  }
}
