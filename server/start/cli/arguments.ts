import { type Command, InvalidArgumentError, Option } from "commander"
import { plans } from "#domain/accounts"
import { mailedName, nameText } from "#server/lib/text.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { modes } from "#shared/mode.ts"
import { allScopes, isScope, type Scope } from "#shared/scopes.ts"
import { CommandError } from "./run.ts"

// Arguments and options of commands, and how they are parsed.

const MAX_NAME = 200

export const planOption = () => new Option("--plan <plan>", "free, growth or enterprise").choices(Object.keys(plans))
export const modeOption = () => new Option("--mode <mode>", "live or test").choices(modes)

/** Adds the options that name a workspace. */
export function inWorkspace(command: Command): Command {
  return command
    .option("--account <name>", "the account's name; not needed if there is only one", nonEmpty)
    .addOption(modeOption().makeOptionMandatory())
}

export function nonEmpty(value: string): string {
  if (value.trim() === "" || value.length > MAX_NAME) throw new InvalidArgumentError(`Use 1 to ${MAX_NAME} characters.`)
  return value
}

/** Why a name is not allowed for something new, or null. */
export const problemOfName = (name: string, field = nameText(MAX_NAME)): string | null =>
  field.safeParse(name).error?.issues[0]?.message ?? null

const allowedBy = (field: ReturnType<typeof nameText>) => (value: string) => {
  const problem = problemOfName(value, field)
  if (problem !== null) throw new InvalidArgumentError(`It ${problem}.`)
  return value
}
export const readableName = allowedBy(nameText(MAX_NAME))
export const accountName = allowedBy(mailedName(MAX_NAME))

export function walletAddress(value: string): Address {
  if (!isWalletAddress(value)) throw new InvalidArgumentError("Use a wallet address in base58.")
  return value
}

export function emailAddress(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254) throw new InvalidArgumentError("Use an email address.")
  return value.toLowerCase()
}

export function wholeNumber(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError("Use a whole number.")
  return Number(value)
}

export function parseScopes(value: string): Scope[] {
  const names = value.split(/[\s,]+/).filter((name) => name !== "")
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined || names.length === 0) {
    throw new InvalidArgumentError(`${unknown ?? "Nothing"} is not a scope. Use: ${allScopes.join(", ")}.`)
  }
  return [...new Set(names)] as Scope[]
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Seconds of `30s`, `15m`, `24h`, `7d`, or of a plain number. */
export function parseDuration(value: string): number {
  const [, amount, unit = "s"] = /^([0-9]{1,7})([smhd])?$/.exec(value) ?? []
  if (amount === undefined) throw new InvalidArgumentError("Use a duration such as 30s, 15m, 24h or 7d.")
  return Number(amount) * UNITS[unit as keyof typeof UNITS]
}

/** Evaluated when the database is connected, because its clock decides. */
export type Expiry = () => Date

export function parseExpiry(value: string): Expiry {
  if (/^[0-9]+[smhd]$/.test(value)) {
    const seconds = parseDuration(value)
    if (seconds === 0) throw new InvalidArgumentError("Use a time in the future.")
    return () => addSeconds(clock.now(), seconds)
  }
  const expiry = /^\d{4}-\d{2}-\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(expiry.getTime())) throw new InvalidArgumentError("Use a time such as 2027-01-31T00:00:00Z or 90d.")
  return () => {
    if (expiry <= clock.now()) throw new CommandError("--expires: must be in the future.")
    return expiry
  }
}
