import type { Chain } from "../chain.ts"
import * as param from "../params.ts"
import type { Commitment } from "../slots.ts"

/** What the methods work with. */
export type Context = {
  chain: Chain
  slotMs: number
  /** The options of a call that reads accounts. Throws where the slot that it asks for has not come. */
  optionsOf: (given: unknown) => param.Config
  /** The cluster's wrapping: which slot an answer speaks of. */
  withContext: <Value>(value: Value, commitment?: Commitment) => { context: RpcContext; value: Value }
}

export type RpcContext = { apiVersion: string; slot: number }

export function contextOf(chain: Chain, slotMs: number): Context {
  return {
    chain,
    slotMs,
    optionsOf: (given) => {
      const options = param.config(given)
      param.requireMinContextSlot(chain.slots, options, param.commitment(options.commitment))
      return options
    },
    withContext: (value, commitment = "processed") => ({
      context: { apiVersion: "3.1.0", slot: chain.slots.slot(commitment) },
      value,
    }),
  }
}
