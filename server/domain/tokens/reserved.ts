import type { InvestorBook, Receiving } from "#domain/token-investors"
import { endsOf, withEnds } from "#shared/movements.ts"
import type { RuleCode } from "#shared/rules/rules.ts"
import type { HoldingKey, Holdings, WalletSchema } from "./holder-facts.ts"
import type { BoundHolds, Taken } from "./holds/bound-holds.ts"
import { takeSlot } from "./investors.ts"
import type { Considered, TokenRequest } from "./token-request.ts"

/** `overrides`: codes of the rules that a forced act sets aside. `taken`: what it takes out of holds. */
export type Reserved = Considered & {
  handover: boolean
  /** Whether the slot of the giver's investor goes along. */
  investorHandover: boolean
  /** Whether both wallets are one investor's, so that dates of acquisition stay. */
  keepsLots: boolean
  overrides: RuleCode[] | null
  taken: Taken[]
}

/** Investors of tokens that count them, and what a request gives to one; null if its token does not. */
export type OfInvestors = { book: InvestorBook; receiving: Receiving } | null

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
export function reserve(
  one: Considered,
  holdings: Holdings,
  holds: BoundHolds,
  investors: OfInvestors,
): Pick<Reserved, "handover" | "investorHandover" | "taken"> {
  const { request, config, operationId } = one
  const { from, to } = withEnds(request.movement, (wallet) => holdings.of({ config: config.id, wallet }))
  const investorHandover =
    investors !== null && to !== null && takeSlot(investors.book, investors.receiving, to, operationId)
  return { ...reserveUnits(one, { from, to }, holds), investorHandover }
}

type Ends = { from: ReturnType<Holdings["of"]> | null; to: ReturnType<Holdings["of"]> | null }

function reserveUnits(
  { request, config, amount, operationId }: Considered,
  { from, to }: Ends,
  holds: BoundHolds,
): Pick<Reserved, "handover" | "taken"> {
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
