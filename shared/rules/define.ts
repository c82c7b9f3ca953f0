import type { Address } from "../address.ts"
import type { Claims } from "../claims.ts"
import type { ErrorCode } from "../errors.ts"
import { type Between, endsOf, isForced, type MovementKind, movementKinds } from "../movements.ts"
import type { TransferMode } from "../transfer-modes.ts"
import type { CountChange } from "./investor-counts.ts"

/** A wallet that sends or receives tokens, as rules see it. Amounts are in base units. */
export type Holder = {
  wallet: Address
  /** Claims of its attestation of the required schema. Null while it is not verified. */
  claims: Claims | null
  /** Whether it is on a screening list and not cleared. Absent if wallets are not screened. */
  isListed?: boolean | undefined
  /** Whether the workspace has frozen it, for this token or for every one. */
  isFrozen: boolean
  /** Whether it was reported as lost: it sends and receives nothing more. */
  isBarred: boolean
  /** Why it is not verified. Absent if it is, or if the caller may not know. */
  unverifiedBecause?: string | undefined
  /** Its confirmed balance, and amounts in progress to and from it. */
  balance: bigint
  incoming: bigint
  outgoing: bigint
  /** The part of its balance that holds bind. */
  held: bigint
  /**
   * What the holding period lets it transfer now, exactly if it is less than what is asked for, and when more will follow. Absent
   * if the token has none, and for who only receives.
   */
  lots?: { unlocked: bigint; next: Date | null } | undefined
  /** Whether it already counts as a holder. */
  hasSlot: boolean
  /** The person behind it. Null or absent if that is not known. */
  investor?: string | null | undefined
  /** What all wallets of its investor have, and what is on its way to them. Absent if the token does not count investors. */
  ofInvestor?: bigint | undefined
}

/** A movement, as a rule sees it. `rules` contains only the rule's own fields. */
export type TransferContext<
  Rules = Readonly<Record<string, Value>>,
  Kind extends MovementKind = MovementKind,
> = Between<Holder, Kind> & {
  amount: bigint
  now: Date
  /** The holds of the wallet that it takes from, if it has any: what it may take from those it names, and the others. */
  holds?: { named: bigint; others: readonly string[] } | undefined
  /** How many investors hold the token before it and after it. Absent if the token does not count investors. */
  counts?: CountChange | undefined
  /** Whether a violation may name a claim. Not if it is stored, because claims can be erased. */
  namesClaims?: boolean | undefined
  /** Whether it is meant to happen while the token is paused. Only a forced act can be. */
  whilePaused?: boolean | undefined
  /** Whether it moves a lost wallet's tokens to another wallet of the same investor. Limits do not bind that. */
  isRecovery?: boolean | undefined
  /** Whether the rule is set aside, so that the violation gives no advice. */
  isOverridden?: boolean | undefined
  rules: Rules
  config: {
    decimals: number
    requiredSchema: string
    paused: boolean
    /** Whether balances are being read back from the chain. Nothing moves until then. */
    isCounting: boolean
    /** Base units minted, including mints in progress. */
    issued: bigint
    holders: number
    /** Whether the database has the balances. In holder mode only the chain does. */
    knowsBalances: boolean
  }
}

/** Days for investors from the United States, and for all others. */
export type RegionDays = { us: number; non_us: number }

/** The types of fields: as JSON, and as a rule reads them. A flag that is off means the rule is not set. */
type Types = {
  countries: { json: string[]; value: readonly string[] }
  amount: { json: string; value: bigint }
  count: { json: number; value: number }
  regionDays: { json: RegionDays; value: Readonly<RegionDays> }
  countryCounts: { json: Record<string, number>; value: Readonly<Record<string, number>> }
  flag: { json: boolean; value: true }
  time: { json: string; value: Date }
}
export type FieldType = keyof Types
export type JsonOf<T extends FieldType> = Types[T]["json"]
export type ValueOf<T extends FieldType> = Types[T]["value"]
export type Value = ValueOf<FieldType>

/** Formats a time for the reader of a summary. */
export type Reader = { now: Date; formatTime: (time: string) => string }

/** One field of a configuration's `rules`: how it is documented, shown and checked. */
export type FieldOf<T extends FieldType> = {
  type: T
  /** For the OpenAPI document. */
  description: string
  example: JsonOf<T>
  /** Its label in the form. */
  label: string
  hint: string
  /** A sentence for the token's page while it is set. */
  summary(value: JsonOf<T>, reader: Reader): string
  /** The modes that can enforce it. Rules about balances cannot be enforced once holders move tokens themselves. */
  modes: readonly ["agent"] | readonly ["agent", "holder"]
} & (T extends "count" | "countryCounts" | "regionDays" ? { min: number; max: number } : unknown)

export type Field = { [T in FieldType]: FieldOf<T> }[FieldType]
export type Fields = Readonly<Record<string, Field>>

/** Tokens that no transfer may take before a time. `until` is null if no one knows when they unlock. */
export type Lock = { amount: bigint; until: Date | null }

type Given<F extends Fields, Needed extends keyof F> = {
  [N in Exclude<keyof F, Needed>]?: ValueOf<F[N]["type"]>
} & { [N in Needed]: ValueOf<F[N]["type"]> }

type JsonSet<F extends Fields> = { [N in keyof F]?: JsonOf<F[N]["type"]> | undefined }

/** The whole definition of a rule. `docs/extending.md` shows how to add one. */
export type Rule<
  C extends ErrorCode = ErrorCode,
  F extends Fields = Fields,
  Needed extends keyof F & string = keyof F & string,
  On extends MovementKind = MovementKind,
> = {
  /** The error code of a refusal. */
  code: C
  /** Its name on screens. */
  name: string
  fields: F
  /** The rule applies only if these fields are set. */
  needs: readonly Needed[]
  /** The kinds of movement that it binds. */
  on: readonly On[]
  /**
   * When it is checked. `wallet`: at the request, before signing, and to decide whether a wallet may hold tokens.
   * `signing`: at the request and before signing. `request`: once, because the amounts it counts are then reserved.
   */
  checked: "wallet" | "signing" | "request"
  /** Whether a forced act sets it aside, although it counts. */
  isSetAside?: true
  /** Whether it needs to know how many investors hold the token and how much each has. */
  countsInvestors?: true
  /** Whether it reads claims: undecided while the wallet is not verified, and its detail may name a claim. */
  readsClaims: boolean
  /** Whether it binds what moves a lost wallet's tokens to another wallet of the same investor. */
  bindsRecovery?: true
  /** What the dashboard offers after a refusal. */
  remedy: "verify" | "unpause" | "change_rules" | null
  /** Whether it applies, if `on` and `needs` are not enough to decide. */
  applies?(context: TransferContext<Given<F, Needed>, On>): boolean
  /** The violation as the API's detail, or null. */
  check(context: TransferContext<Given<F, Needed>, On>): string | null
  /** The message shown when the rule passes. */
  passed(context: TransferContext<Given<F, Needed>, On>): string
  /**
   * What it locks of a wallet's available tokens, and until when, also if that has passed. Absent if it locks none for a
   * time.
   */
  locks?(
    wallet: Pick<TransferContext<Given<F, Needed>, On>, "rules"> &
      Partial<Pick<Holder, "lots" | "outgoing">> & { available: bigint },
  ): Lock[]
  /** A conflict between its fields, with the field to change. */
  conflict?(json: JsonSet<F>): { field: keyof F & string; detail: string } | null
}

export const defineRule = <
  const C extends ErrorCode,
  const F extends Fields,
  const On extends MovementKind,
  const Needed extends keyof F & string = never,
>(
  rule: Rule<C, F, Needed, On>,
) => rule

/** Kinds of movement, by what they do. */
export const EVERY_KIND = movementKinds
export const GIVING = ["mint", "transfer", "force_transfer"] as const satisfies MovementKind[]
export const TAKING = ["transfer", "burn", "force_transfer"] as const satisfies MovementKind[]

/** The wallets that must meet the rules about wallets. A forced act may take from any wallet. */
export const boundBy = (movement: Between<Holder>): Holder[] =>
  isForced(movement.kind) ? endsOf<Holder>({ ...movement, from: null } as Between<Holder>) : endsOf<Holder>(movement)

/** The wallets that must not be frozen or on a list. What binds a lost wallet's tokens does not end with its key. */
export const boundByOrders = (context: Between<Holder> & Pick<TransferContext, "isRecovery">): Holder[] =>
  context.isRecovery ? endsOf<Holder>(context) : boundBy(context)

export const AGENT_ONLY = ["agent"] as const satisfies TransferMode[]
export const EVERY_MODE = ["agent", "holder"] as const satisfies TransferMode[]
