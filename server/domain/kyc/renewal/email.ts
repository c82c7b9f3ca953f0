import { seal, unseal } from "#server/domain/sealed.ts"
import { matching } from "#server/lib/fields.ts"
import type { Address } from "#shared/address.ts"
import type { Language } from "#shared/languages.ts"

/** One mailbox, and nothing that a mail server reads as several or as a name beside it, nor what turns or hides text. */
const PART =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff@,;:<>()\\[\\]\\\\"]'
const EMAIL = new RegExp(`^(?=.{3,254}$)${PART}+@${PART}+\\.${PART}+$`)

/** An investor's email address. */
export const emailAddress = matching(EMAIL, "must be an email address of at most 254 characters")

/** Where an investor is reminded: the address is sealed; the language is null where nobody has said it. */
export type Reminder = { email: Buffer; language: Language | null }

/** What a sealed address belongs to: it opens for no other wallet. */
export const reminderOwner = (wallet: string): string => `${wallet} reminder_email`

export const reminderFor = (wallet: Address, email: string, language: Language | null): Reminder => ({
  email: seal(reminderOwner(wallet), email),
  language,
})

export const openEmail = ({ wallet, email }: { wallet: string; email: Buffer }): string =>
  unseal(reminderOwner(wallet), email)
