import { endsOf, withEnds } from "#shared/movements.ts"
import type { RuleCode } from "#shared/rules/rules.ts"
import type { HoldingKey, Holdings, WalletSchema } from "./holder-facts.ts"
import type { BoundHolds, Taken } from "./holds/bound-holds.ts"
import type { Considered, TokenRequest } from "./token-request.ts"

/** `overrides`: codes of the rules that a forced act sets aside. `taken`: what it takes out of holds. */
export type Reserved = Considered & { handover: boolean; overrides: RuleCode[] | null; taken: Taken[] }

export const holdingKeysOf = ({ request, config }: Pick<Considered, "request" | "config">): HoldingKey[] =>
  endsOf(request.movement).map((wallet) => ({ config: config.id, wallet }))

/** The wallet that a movement takes from; null for a mint. */
export const giverOf = ({
  movement: { from },
  config,
}: Pick<TokenRequest, "movement" | "config">): HoldingKey | null => (from === null ? null : { config, wallet: from })

export const walletSchemasOf = ({ request, config }: Considered): WalletSchema[] =>
  endsOf(request.movement).map((wallet) => ({ schemaId: config.required_schema, wallet }))

/**
 * Reserves in memory what an accepted request counts against. `handover`: whether the holder slot of a wallet that gives
 * everything away moves with it, because at the limit there is no other. Until the operation has landed, no wallet owns
 * it.
 */
export function reserve(one: Considered, holdings: Holdings, holds: BoundHolds): Pick<Reserved, "handover" | "taken"> {
  const { request, config, amount, operationId } = one
  const { from, to } = withEnds(request.movement, (wallet) => holdings.of({ config: config.id, wallet }))
  if (from === null) config.issued = (BigInt(config.issued) + amount).toString()
  else from.outgoing += amount
  const taken = from === null ? [] : holds.take(request.holds ?? [], amount, operationId, from)
  if (to === null) return { handover: false, taken }
  to.incoming += amount
  if (to.hasSlot) return { handover: false, taken }
  const { max_holders } = config.rules
  if (from !== null && max_holders !== undefined && config.holders >= max_holders) {
    from.hasSlot = false
    return { handover: true, taken }
  }
  to.hasSlot = true
  config.holders += 1
  return { handover: false, taken }
}
