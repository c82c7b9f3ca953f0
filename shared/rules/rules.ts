import type { MovementKind } from "../movements.ts"
import { accredited } from "./accredited.ts"
import { balance } from "./balance.ts"
import { balanceLimit } from "./balance-limit.ts"
import { barred } from "./barred.ts"
import { countries } from "./countries.ts"
import type { Rule } from "./define.ts"
import { flowback } from "./flowback.ts"
import { frozen } from "./frozen.ts"
import { held } from "./held.ts"
import { holders } from "./holders.ts"
import { holdingPeriod } from "./holding-period.ts"
import { investorBalance } from "./investor-balance.ts"
import { investors } from "./investors.ts"
import { listed } from "./listed.ts"
import { lockUp } from "./lock-up.ts"
import { minimum } from "./minimum.ts"
import { paused } from "./paused.ts"
import { supply } from "./supply.ts"
import { verified } from "./verified.ts"

/** Every rule, in the order of the contract. The first violated rule gives the answer. */
export const rules = [
  paused,
  lockUp,
  listed,
  barred,
  frozen,
  verified,
  countries,
  accredited,
  flowback,
  // Rules that count come last, so that a refused wallet takes no lock.
  supply,
  holders,
  investors,
  balanceLimit,
  investorBalance,
  balance,
  held,
  holdingPeriod,
  minimum,
] as const satisfies readonly Rule[]

export type RuleCode = (typeof rules)[number]["code"]

export const allRules: readonly Rule<RuleCode>[] = rules

export const ruleCodes = allRules.map(({ code }) => code)

/** The codes with which a movement can be refused. */
export const codesOn = (kind: MovementKind): RuleCode[] =>
  allRules.filter(({ on }) => on.includes(kind)).map(({ code }) => code)

export const ruleOf = (code: string): Rule<RuleCode> | undefined => allRules.find((rule) => rule.code === code)
