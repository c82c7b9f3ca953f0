import type { Claims } from "#server/domain/kyc/providers/provider.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits, MAX_BASE_UNITS } from "#shared/amount.ts"
import type { ErrorCode } from "#shared/errors.ts"

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
  /** What became of its attestation where it is not verified; absent where whoever asks may not know. */
  unverifiedBecause?: string | undefined
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
  /** Whether an objection may name a claim. Not where it is stored: claims can be erased. */
  namesClaims?: boolean | undefined
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

export type RuleCode = Extract<
  ErrorCode,
  | "mint_paused"
  | "transfers_locked"
  | "wallet_not_verified"
  | "country_not_allowed"
  | "not_accredited"
  | "supply_cap_exceeded"
  | "holder_limit_reached"
  | "balance_limit_exceeded"
  | "insufficient_balance"
>

/** Looks at one thing. */
type Rule = {
  code: RuleCode
  /** Whether it has a say in this case: a rule that is not set binds nobody. */
  binds: (one: Case) => boolean
  /** What is against the case; null when nothing is. */
  against: (one: Case) => string | null
}

const parties = ({ from, to }: Case): Party[] => (from === null ? [to] : [from, to])

const notPaused: Rule = {
  code: "mint_paused",
  binds: () => true,
  against: ({ config }) =>
    config.paused ? "The token is paused. Unpause it or wait until it is unpaused." : null,
}

const notLocked: Rule = {
  code: "transfers_locked",
  binds: ({ from, config }) => from !== null && config.rules.transfersLockedUntil !== undefined,
  against({ now, config }) {
    const until = config.rules.transfersLockedUntil!
    return now < until ? `Transfers are locked until ${toTimestamp(until)}.` : null
  },
}

const isVerified: Rule = {
  code: "wallet_not_verified",
  binds: () => true,
  against(one) {
    const stranger = parties(one).find((party) => party.claims === null)
    if (!stranger) return null
    const because = stranger.unverifiedBecause === undefined ? "" : `: ${stranger.unverifiedBecause}`
    return `${stranger.wallet} is not verified for ${one.config.requiredSchema}${because}. Start a verification with POST /kyc/start.`
  },
}

const isFromAdmittedCountry: Rule = {
  code: "country_not_allowed",
  binds: ({ config: { rules } }) =>
    rules.allowedCountries !== undefined || rules.blockedCountries !== undefined,
  against(one) {
    const { allowedCountries, blockedCountries } = one.config.rules
    const outside = parties(one).find(({ claims }) => {
      // A provider that tells no country has not shown that the investor may come in.
      const country = claims?.country
      if (country === undefined) return true
      return allowedCountries?.includes(country) === false || blockedCountries?.includes(country) === true
    })
    if (!outside) return null
    const because = one.namesClaims && outside.claims ? `: ${countryIn(outside.claims)}` : ""
    return `The token's country rules do not allow ${outside.wallet}${because}.`
  },
}

const countryNames = new Intl.DisplayNames("en", { type: "region" })

const countryIn = ({ country }: Claims): string =>
  country === undefined
    ? "its verification contains no country"
    : `its investor is from ${countryNames.of(country)} (${country})`

const isAccredited: Rule = {
  code: "not_accredited",
  binds: ({ config }) => config.rules.requireAccredited === true,
  against(one) {
    const lay = parties(one).find(({ claims }) => claims?.accredited !== true)
    return lay ? `${lay.wallet} is not an accredited investor.` : null
  },
}

/** Base units that there may be. Without a rule the mint itself holds so much and no more. */
export const supplyCap = ({ config }: Pick<Case, "config">): bigint =>
  config.rules.maxSupply ?? MAX_BASE_UNITS

const isWithinSupply: Rule = {
  code: "supply_cap_exceeded",
  binds: ({ from }) => from === null,
  against(one) {
    const { amount, config } = one
    const cap = supplyCap(one)
    if (config.issued + amount <= cap) return null
    const left = fromBaseUnits(cap > config.issued ? cap - config.issued : 0n, config.decimals)
    const most = fromBaseUnits(cap, config.decimals)
    return config.rules.maxSupply === undefined
      ? `amount: ${left} can still be minted: with ${config.decimals} decimals a token has at most ${most}.`
      : `amount: ${left} of the supply of ${most} can still be minted.`
  },
}

/**
 * Whether `from` leaves with this transfer, so that its place can go to the new holder. Not while anything else is on
 * its way: were that to fail, it would hold tokens without a place.
 */
export const leaves = (from: Party | null, amount: bigint): boolean =>
  from?.counted === true && from.balance === amount && from.outgoing === 0n && from.incoming === 0n

const hasPlace: Rule = {
  code: "holder_limit_reached",
  binds: ({ config }) => config.rules.maxHolders !== undefined,
  against({ from, to, amount, config }) {
    const cap = config.rules.maxHolders!
    if (to.counted || config.holders < cap || leaves(from, amount)) return null
    return `The token has reached its maximum of ${cap} holders.`
  },
}

const isWithinBalance: Rule = {
  code: "balance_limit_exceeded",
  binds: ({ config }) => config.rules.maxBalancePerWallet !== undefined,
  against({ to, amount, config }) {
    const cap = config.rules.maxBalancePerWallet!
    if (to.balance + to.incoming + amount <= cap) return null
    return `amount: ${to.wallet} may hold ${fromBaseUnits(cap, config.decimals)} at most.`
  },
}

const isCovered: Rule = {
  code: "insufficient_balance",
  binds: ({ from, config }) => from !== null && config.knowsBalances,
  against({ from, amount, config }) {
    const movable = from!.balance - from!.outgoing
    if (movable >= amount) return null
    return `amount: ${from!.wallet} can move ${fromBaseUnits(movable, config.decimals)} at most.`
  },
}

/** What belongs to the wallets themselves, and can change between a request and its signature. */
const standing = [notPaused, notLocked, isVerified, isFromAdmittedCountry, isAccredited]
/** What counts, and is reserved with the request. */
const counting = [isWithinSupply, hasPlace, isWithinBalance, isCovered]

const firstOf =
  (rules: readonly Rule[]) =>
  (one: Case): Objection | null => {
    for (const { code, binds, against } of rules) {
      const detail = binds(one) ? against(one) : null
      if (detail !== null) return { code, detail }
    }
    return null
  }

/** The first objection to a request, in the order that the contract promises. */
export const objectionTo = firstOf([...standing, ...counting])

/** The first objection to signing what was admitted: its reservations hold, its parties may have changed. */
export const objectionToSigning = firstOf(standing)

/** Whether a wallet may hold by itself: what binds on chain in holder mode. */
export const objectionToHolding = firstOf([isVerified, isFromAdmittedCountry, isAccredited])

/** What every rule that binds says of a request, in the order that the contract promises. */
export const judge = (one: Case): { code: RuleCode; against: string | null }[] =>
  [...standing, ...counting]
    .filter(({ binds }) => binds(one))
    .map(({ code, against }) => ({ code, against: against(one) }))
