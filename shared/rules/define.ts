import type { Address } from "../address.ts"
import type { Claims } from "../claims.ts"
import type { ErrorCode } from "../errors.ts"
import type { TransferMode } from "../transfer-modes.ts"

/** A wallet that gets or gives tokens, as the rules see it. Amounts are in base units. */
export type Holder = {
  wallet: Address
  /** Claims of its attestation of the required schema; null while it is not verified. */
  claims: Claims | null
  /** Whether it is on a screening list, and nobody has cleared it; absent where nothing is screened. */
  isListed?: boolean | undefined
  /** What happened to its attestation if it is not verified; absent if the caller may not know. */
  unverifiedBecause?: string | undefined
  /** What it has for sure, and what is on its way to and from it. */
  balance: bigint
  incoming: bigint
  outgoing: bigint
  /** Whether it counts as a holder already. */
  hasSlot: boolean
}

/**
 * A mint (`from` is null) or a transfer, as a rule sees it: of the configuration's rules it is given its own fields.
 */
export type TransferContext<
  Rules = Readonly<Record<string, Value>>,
  From extends Holder | null = Holder | null,
> = {
  amount: bigint
  from: From
  to: Holder
  now: Date
  /** Whether a violation may name a claim. Not where it is stored: claims can be erased. */
  namesClaims?: boolean | undefined
  rules: Rules
  config: {
    decimals: number
    requiredSchema: string
    paused: boolean
    /** Base units minted and about to be. */
    issued: bigint
    holders: number
    /** Whether the database knows the balances. In holder mode only the chain does. */
    knowsBalances: boolean
  }
}

/** What a field can be: as JSON has it, and as a rule reads it. A flag that is off is a rule that is not set. */
type Types = {
  countries: { json: string[]; value: readonly string[] }
  amount: { json: string; value: bigint }
  count: { json: number; value: number }
  flag: { json: boolean; value: true }
  time: { json: string; value: Date }
}
export type FieldType = keyof Types
export type JsonOf<T extends FieldType> = Types[T]["json"]
export type ValueOf<T extends FieldType> = Types[T]["value"]
export type Value = ValueOf<FieldType>

/** What a summary may need to say a time in the reader's words. */
export type Reader = { now: Date; formatTime: (time: string) => string }

/** One field of a configuration's `rules`, wherever it is shown or checked. */
export type FieldOf<T extends FieldType> = {
  type: T
  /** In the API's description. */
  description: string
  example: JsonOf<T>
  /** Its label in the form, and what it refuses. */
  label: string
  hint: string
  /** On the token's page: what holds while it is set. */
  summary(value: JsonOf<T>, reader: Reader): string
  /** Where the rule can be held. The chain holds none of the balances once holders move tokens by themselves. */
  modes: readonly ["agent"] | readonly ["agent", "holder"]
} & (T extends "count" ? { min: number; max: number } : unknown)

export type Field = { [T in FieldType]: FieldOf<T> }[FieldType]
export type Fields = Readonly<Record<string, Field>>

type Given<F extends Fields, Needed extends keyof F> = {
  [N in Exclude<keyof F, Needed>]?: ValueOf<F[N]["type"]>
} & { [N in Needed]: ValueOf<F[N]["type"]> }

type JsonSet<F extends Fields> = { [N in keyof F]?: JsonOf<F[N]["type"]> | undefined }

type From = { mint: null; transfer: Holder; both: Holder | null }

/**
 * A rule: all that there is to say about it. `docs/extending.md` shows how to add one.
 */
export type Rule<
  C extends ErrorCode = ErrorCode,
  F extends Fields = Fields,
  Needed extends keyof F & string = keyof F & string,
  On extends keyof From = keyof From,
> = {
  /** What the API refuses with. */
  code: C
  /** What screens call it. */
  name: string
  fields: F
  /** Fields without which it says nothing. */
  needs: readonly Needed[]
  on: On
  /**
   * When it is checked. `wallet`: at the request, before signing, and to tell whether a wallet may hold by itself.
   * `signing`: at the request and before signing. `request`: once, as it counts, and what it counts is reserved.
   */
  checked: "wallet" | "signing" | "request"
  /** Whether it looks at claims: undecided while the wallet is not verified, and its detail may name one. */
  readsClaims: boolean
  /** What the dashboard offers whoever is refused. */
  remedy: "verify" | "unpause" | "change_rules" | null
  /** Whether it has a say, where `on` and `needs` do not tell. */
  applies?(context: TransferContext<Given<F, Needed>, From[On]>): boolean
  /** What is wrong, as the API's detail; null when nothing is. */
  check(context: TransferContext<Given<F, Needed>, From[On]>): string | null
  /** What is so where it passes. */
  passed(context: TransferContext<Given<F, Needed>, From[On]>): string
  /** What is wrong with its fields together, by the field to change. */
  conflict?(json: JsonSet<F>): { field: keyof F & string; detail: string } | null
}

export const defineRule = <
  const C extends ErrorCode,
  const F extends Fields,
  const On extends keyof From,
  const Needed extends keyof F & string = never,
>(
  rule: Rule<C, F, Needed, On>,
) => rule

/** Both wallets of a transfer, the one that gives first; of a mint the one that receives. */
export const holdersOf = ({ from, to }: Pick<TransferContext, "from" | "to">): Holder[] =>
  from === null ? [to] : [from, to]

export const AGENT_ONLY = ["agent"] as const satisfies TransferMode[]
export const EVERY_MODE = ["agent", "holder"] as const satisfies TransferMode[]
