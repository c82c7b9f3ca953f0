import type { Chain } from "../../chain/chain.ts"
import { type Faults, parseFaults } from "../faults.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"

/** Far more than any test needs, and few enough to be done at once. */
const MAX_WARP = 1_000_000

/** What no cluster has: misbehaviour on request, for tests. */
export function localnetMethods(chain: Chain, setFaults: (faults: Faults) => void): Methods {
  return {
    localnet_setFaults: ([faults]) => {
      const parsed = parseFaults(faults)
      setFaults(parsed)
      chain.forgottenBefore = parsed.forgetBefore
      return null
    },
    /** Blocks pass at once, so that blockhashes expire. */
    localnet_warp: ([options]) => {
      const blocks = param.wholeNumber(param.config(options).slots, "slots")
      if (blocks > MAX_WARP) throw invalidParams(`Invalid params: slots must not exceed ${MAX_WARP}`)
      chain.advance(blocks)
      return chain.slots.slot()
    },
    /** What is confirmed and not finalized, after this slot, never happened. Returns the slot that is now. */
    localnet_rollback: ([options]) => {
      try {
        chain.rollback(param.wholeNumber(param.config(options).slot, "slot"))
      } catch (error) {
        if (error instanceof RangeError) throw invalidParams(`Invalid params: ${error.message}`)
        throw error
      }
      return chain.slots.slot()
    },
    /** Transactions sent while this is on are accepted and lost. */
    localnet_hold: ([options]) => {
      chain.held = param.config(options).on === true
      return null
    },
  }
}
