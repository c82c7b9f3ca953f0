import { seal, unseal } from "#domain/deployment"
import { matching } from "#server/lib/fields.ts"
import type { Address } from "#shared/address.ts"
import type { Language } from "#shared/languages.ts"

/** One mailbox: no characters that make several addresses or a display name, or that reverse or hide text. */
const PART =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff@,;:<>()\\[\\]\\\\"]'
const EMAIL = new RegExp(`^(?=.{3,254}$)${PART}+@${PART}+\\.${PART}+$`)

export const emailAddress = matching(EMAIL, "must be an email address of at most 254 characters")

/** Where to remind an investor. The address is sealed. The language is null if unknown. */
export type Reminder = { email: Buffer; language: Language | null }

/** The sealing context of the address: it can be opened only for its wallet. */
export const reminderOwner = (wallet: string): string => `${wallet} reminder_email`

export const reminderFor = (wallet: Address, email: string, language: Language | null): Reminder => ({
  email: seal(reminderOwner(wallet), email),
  language,
})

export const openEmail = ({ wallet, email }: { wallet: string; email: Buffer }): string =>
  unseal(reminderOwner(wallet), email)
