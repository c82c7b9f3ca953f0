import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { ConfigRow, RequestRefusal } from "../config.ts"
import type { TokenRequest } from "../token-request.ts"
import type { BoundHold, BoundHolds } from "./bound-holds.ts"
import { type HoldRow, hasExpired } from "./hold.ts"

/** Why a hold can neither be released nor taken from; null if it can. */
export function whyEnded(hold: HoldRow | BoundHold): string | null {
  const { id, state } = hold
  const remaining = BigInt(hold.remaining)
  if (hasExpired({ ...hold, remaining: String(remaining) }, clock.now())) return `${id} is expired.`
  if (state === "pending") return `${id} is not on chain yet.`
  if (state !== "active") return `${id} is ${state}.`
  return remaining > 0n ? null : `Operations take all that ${id} holds. If one fails, it holds again what that took.`
}

type Naming = {
  request: Pick<TokenRequest, "movement" | "holds" | "executes">
  config: Pick<ConfigRow, "id" | "decimals">
  amount: bigint
}

/** Why a request cannot take from the holds that it names; null if it can. */
export function refusalOfNamed({ request, config, amount }: Naming, holds: BoundHolds): RequestRefusal | null {
  const { movement, holds: named = [], executes } = request
  for (const id of named) {
    const hold = holds.get(id)
    if (hold?.mint_config !== config.id || hold.wallet !== movement.from) {
      const which = isId("hold", id) ? id : "with this id"
      return { code: "hold_not_found", detail: `holds: ${movement.from} has no hold ${which} of ${config.id}.` }
    }
    const ended = whyEnded(hold)
    if (ended !== null) return { code: "hold_ended", detail: ended }
    // Another operation has taken a part since the request.
    if (id === executes && hold.remaining < amount) {
      const left = fromBaseUnits(hold.remaining, config.decimals)
      return { code: "hold_ended", detail: `${id} holds only ${left} now. Execute it again to take that.` }
    }
  }
  return null
}
