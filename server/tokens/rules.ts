import type { ErrorCode } from "#server/errors.ts"
import type { Claims } from "#server/providers/provider.ts"
import { toTimestamp } from "#server/time.ts"
import { fromBaseUnits, MAX_BASE_UNITS } from "./amount.ts"

/** The rules of a configuration, amounts in base units. Absent ones do not bind. */
export type Rules = {
  allowedCountries?: readonly string[]
  blockedCountries?: readonly string[]
  requireAccredited?: boolean
  maxSupply?: bigint
  maxHolders?: number
  maxBalancePerWallet?: bigint
  transfersLockedUntil?: Date
}

/** How a wallet stands towards a configuration. */
export type Party = {
  wallet: string
  /** Claims of its attestation of the required schema; null while it is not verified. */
  claims: Claims | null
  /** Base units that it has for sure, and those on their way to and from it. */
  balance: bigint
  incoming: bigint
  outgoing: bigint
  /** Whether it counts as a holder already. */
  counted: boolean
}

/** A mint (`from` is null) or a transfer, as the rules see it. */
export type Case = {
  amount: bigint
  from: Party | null
  to: Party
  now: Date
  config: {
    decimals: number
    requiredSchema: string
    paused: boolean
    rules: Rules
    /** Base units minted and about to be. */
    issued: bigint
    holders: number
    /** Whether the database knows the balances. In holder mode only the chain does. */
    knowsBalances: boolean
  }
}

export type Objection = { code: ErrorCode; detail: string }

/** Looks at one thing; null when there is no objection. */
type Rule = (one: Case) => Objection | null

const parties = ({ from, to }: Case): Party[] => (from === null ? [to] : [from, to])

const notPaused: Rule = ({ config }) =>
  config.paused
    ? { code: "mint_paused", detail: "The configuration is paused. Unpause it, or wait until it is." }
    : null

const notLocked: Rule = ({ from, now, config }) => {
  const until = config.rules.transfersLockedUntil
  return from !== null && until !== undefined && now < until
    ? { code: "transfers_locked", detail: `Transfers are locked until ${toTimestamp(until)}.` }
    : null
}

const isVerified: Rule = (one) => {
  const stranger = parties(one).find((party) => party.claims === null)
  if (!stranger) return null
  const detail = `${stranger.wallet} is not verified for ${one.config.requiredSchema}. Start a verification with POST /kyc/start.`
  return { code: "wallet_not_verified", detail }
}

const isFromAdmittedCountry: Rule = (one) => {
  const { allowedCountries, blockedCountries } = one.config.rules
  if (allowedCountries === undefined && blockedCountries === undefined) return null
  const outside = parties(one).find(({ claims }) => {
    // A provider that tells no country has not shown that the investor may come in.
    const country = claims?.country
    if (country === undefined) return true
    return allowedCountries?.includes(country) === false || blockedCountries?.includes(country) === true
  })
  if (!outside) return null
  return { code: "country_not_allowed", detail: `The country rules do not admit ${outside.wallet}.` }
}

const isAccredited: Rule = (one) => {
  if (one.config.rules.requireAccredited !== true) return null
  const lay = parties(one).find(({ claims }) => claims?.accredited !== true)
  return lay ? { code: "not_accredited", detail: `${lay.wallet} is not an accredited investor.` } : null
}

const isWithinSupply: Rule = ({ from, amount, config }) => {
  // Without a rule the mint itself holds so much and no more.
  const cap = config.rules.maxSupply ?? MAX_BASE_UNITS
  if (from !== null || config.issued + amount <= cap) return null
  const left = fromBaseUnits(cap > config.issued ? cap - config.issued : 0n, config.decimals)
  const detail = `amount: ${left} of the supply of ${fromBaseUnits(cap, config.decimals)} can still be minted.`
  return { code: "supply_cap_exceeded", detail }
}

/**
 * Whether `from` leaves with this transfer, so that its place can go to the new holder. Not while anything else is on
 * its way: were that to fail, it would hold tokens without a place.
 */
export const leaves = (from: Party | null, amount: bigint): boolean =>
  from?.counted === true && from.balance === amount && from.outgoing === 0n && from.incoming === 0n

const hasPlace: Rule = ({ from, to, amount, config }) => {
  const cap = config.rules.maxHolders
  if (cap === undefined || to.counted || config.holders < cap || leaves(from, amount)) return null
  return { code: "holder_limit_reached", detail: `The ${cap} holders that this token may have are there.` }
}

const isWithinBalance: Rule = ({ to, amount, config }) => {
  const cap = config.rules.maxBalancePerWallet
  if (cap === undefined || to.balance + to.incoming + amount <= cap) return null
  const detail = `amount: ${to.wallet} may hold ${fromBaseUnits(cap, config.decimals)} at most.`
  return { code: "balance_limit_exceeded", detail }
}

const isCovered: Rule = ({ from, amount, config }) => {
  if (from === null || !config.knowsBalances || from.balance - from.outgoing >= amount) return null
  const has = fromBaseUnits(from.balance - from.outgoing, config.decimals)
  return { code: "insufficient_balance", detail: `amount: ${from.wallet} can move ${has} at most.` }
}

/** What belongs to the wallets themselves, and can change between a request and its signature. */
const standing = [notPaused, notLocked, isVerified, isFromAdmittedCountry, isAccredited]
/** What counts, and is reserved with the request. */
const counting = [isWithinSupply, hasPlace, isWithinBalance, isCovered]

const firstOf =
  (rules: readonly Rule[]) =>
  (one: Case): Objection | null => {
    for (const rule of rules) {
      const objection = rule(one)
      if (objection) return objection
    }
    return null
  }

/** The first objection to a request, in the order that the contract promises. */
export const objectionTo = firstOf([...standing, ...counting])

/** The first objection to signing what was admitted: its reservations hold, its parties may have changed. */
export const objectionToSigning = firstOf(standing)

/** Whether a wallet may hold by itself: what binds on chain in holder mode. */
export const objectionToHolding = firstOf([isVerified, isFromAdmittedCountry, isAccredited])
