import type { Queryable } from "#db/client.ts"
import { type Held, InvestorBook, type Receiving, UNKNOWN } from "#domain/token-investors"
import type { Address } from "#shared/address.ts"
import type { Between } from "#shared/movements.ts"
import { firstPassed } from "#shared/rules/investor-counts.ts"
import type { ConfigRow } from "./config.ts"
import type { Holding, HoldingKey, Standings } from "./holder-facts.ts"

/**
 * The investors behind wallets, for tokens that count them: one more read for a whole batch. Null if none of the tokens
 * does. A holding is counted for the person for whom its wallet is verified.
 */
export async function loadInvestors(
  sql: Queryable,
  workspaceId: string,
  { configs, held, standings }: { configs: readonly ConfigRow[]; held: readonly Held[]; standings: Standings },
): Promise<InvestorBook | null> {
  const counting = new Map(configs.flatMap((config) => (config.investors === null ? [] : [[config.id, config]])))
  if (counting.size === 0) return null
  const counted = held.filter(({ config }) => counting.has(config))
  const walletOf = ({ config, wallet }: HoldingKey) => ({ schemaId: counting.get(config)!.required_schema, wallet })
  const known = new Map<string, ReturnType<typeof walletOf>>()
  const wanted = counted.flatMap((one) => {
    const { config, investor } = one
    const verified = standings.verifiedFor(walletOf(one))
    if (verified) known.set(verified.attestationId, walletOf(one))
    return [
      ...(verified ? [{ config, ...verified }] : []),
      ...(investor !== null && investor !== verified?.investor ? [{ config, investor, attestationId: null }] : []),
    ]
  })
  const book = await InvestorBook.load(sql, workspaceId, {
    configs: [...counting.values()],
    held: counted,
    wanted,
    known: (attestationId) => {
      const wallet = known.get(attestationId)
      return (wallet && standings.claims(wallet)) ?? undefined
    },
  })
  for (const one of counted) {
    const verified = standings.verifiedFor(walletOf(one))
    if (!verified || one.balance + one.incoming === 0n || one.investor === verified.investor) continue
    const claims = () => standings.claims(walletOf(one)) ?? {}
    book.reassign(one, verified.investor, { attestationId: verified.attestationId, claims })
  }
  return book
}

type Moving = { config: ConfigRow; movement: Between<Address>; amount: bigint }

/** What a movement gives to an investor; null if it gives nothing, or if the token does not count investors. */
export function receivingOf(
  { config, movement: { from, to }, amount }: Moving,
  standings: Standings,
  heldOf: (key: HoldingKey) => Held | null,
): Receiving | null {
  if (config.investors === null || to === null) return null
  const of = { schemaId: config.required_schema, wallet: to }
  const verified = standings.verifiedFor(of)
  const evidence = verified
    ? { attestationId: verified.attestationId, claims: () => standings.claims(of) ?? {} }
    : UNKNOWN
  const investor = verified?.investor ?? heldOf({ config: config.id, wallet: to })?.investor ?? to
  const giver = from === null ? null : heldOf({ config: config.id, wallet: from })
  return { config, to: { investor, evidence }, giver, amount }
}

/**
 * Gives the receiver's investor a slot in memory. Returns whether the slot of the giver's investor goes along with the
 * operation, because at a limit there is no other.
 */
export function takeSlot(investors: InvestorBook, receiving: Receiving, to: Held, operationId: string): boolean {
  const { config } = receiving
  const { plain, handed } = investors.countsAfter(receiving)
  const { rules } = config as ConfigRow
  const goesAlong = handed !== null && firstPassed(rules, { before: config.investors!, after: plain }) !== null
  investors.receive(receiving, to, goesAlong ? operationId : null)
  return goesAlong
}

/** A holding with its key. */
export const withKey = (key: HoldingKey, holding: Holding): Held & Holding => ({ ...key, ...holding })
