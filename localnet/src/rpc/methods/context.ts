import { createHash } from "node:crypto"
import type { Chain } from "../../chain/chain.ts"
import { base58OfKey, keyOfBytes } from "../../chain/keys.ts"
import type { Commitment } from "../../chain/slots.ts"
import { VERSION } from "../../chain/vm.ts"
import * as param from "../params.ts"

/** What the methods work with. */
export type Context = {
  chain: Chain
  /** The one validator's key, and that of the account it would vote with. */
  identity: string
  voteAccount: string
  slotMs: number
  /** The options of a call that reads accounts. Throws where the slot that it asks for has not come. */
  optionsOf: (given: unknown) => param.Config
  /** The cluster's wrapping: which slot an answer speaks of. */
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
