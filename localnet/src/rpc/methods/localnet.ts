import type { Chain } from "../../chain/chain.ts"
import { type Faults, parseFaults } from "../faults.ts"
import * as param from "../params.ts"
import { invalidParams, type Methods } from "../rpc.ts"

/** More than any test needs, and few enough to produce at once. */
const MAX_WARP = 1_000_000

/** Methods that inject faults, for tests. No cluster has them. */
export function localnetMethods(chain: Chain, setFaults: (faults: Faults) => void): Methods {
  return {
    localnet_setFaults: ([faults]) => {
      const parsed = parseFaults(faults)
      setFaults(parsed)
      chain.forgottenBefore = parsed.forgetBefore
      return null
    },
    /** Produces blocks at once, so that blockhashes expire. */
    localnet_warp: ([options]) => {
      const blocks = param.wholeNumber(param.config(options).slots, "slots")
      if (blocks > MAX_WARP) throw invalidParams(`Invalid params: slots must not exceed ${MAX_WARP}`)
      chain.advance(blocks)
      return chain.slots.slot()
    },
    /** Undoes transactions that landed after this slot. Returns the current slot. */
    localnet_rollback: ([options]) => {
      try {
        chain.rollback(param.wholeNumber(param.config(options).slot, "slot"))
      } catch (error) {
        if (error instanceof RangeError) throw invalidParams(`Invalid params: ${error.message}`)
        throw error
      }
      return chain.slots.slot()
    },
    /** While on, transactions are accepted and lost. */
    localnet_hold: ([options]) => {
      chain.held = param.config(options).on === true
      return null
    },
  }
}
