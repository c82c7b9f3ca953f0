import type { Names } from "./names.ts"
import { address, holder, named, type Part, type Phrase, person, say, text, token, verification } from "./phrases.ts"

/** An entry, with the names of what it is about. */
export type Told = {
  subject: string
  /** The name of a member, or the address of an invitation. */
  subject_name: string | null
  detail: Record<string, unknown>
  names: Names
}
/** An attestation, as the person's verification: `family-office-2's individual KYC`. */
export const verificationOf = (names: Names, id: string): Phrase => {
  const found = names("attestation", id)
  if (found === undefined) return say`the verification ${named(id, "attestations", id)}`
  return say`${person(found)}'s ${named(verification(found.schema), "attestations", id)}`
}

export const reviewOf = ({ names, subject }: Told): Phrase =>
  say`the ${named("review", "reviews", subject)} of ${person(names("review", subject))}`

export const key = ({ names, subject, detail }: Told): Phrase =>
  say`the API key ${named(text(detail.name) || (names("key", subject)?.name ?? subject), "keys")}`

export const member = ({ subject_name }: Told): Part => subject_name ?? "a former member"

export const endpoint = ({ names, subject, detail }: Told): Phrase => {
  const url = names("endpoint", subject)?.url ?? text(detail.url)
  const host = URL.canParse(url) ? new URL(url).host : subject
  return say`the webhook endpoint ${named(host, "webhooks", subject)}`
}

const lostWallet = ({ names, subject }: Told): Phrase => {
  const found = names("recovery", subject)
  return found === undefined ? ["a lost wallet"] : say`${person(found)}'s lost wallet ${address(found.wallet ?? "")}`
}
export const recovery = (told: Told): Phrase =>
  say`the ${named("recovery", "recoveries", told.subject)} of ${lostWallet(told)}`

export const distribution = ({ names, subject }: Told): Phrase => {
  const found = names("distribution", subject)
  if (found === undefined) return say`the distribution ${named(subject, "distributions", subject)}`
  return say`the distribution ${named(found.reference, "distributions", subject)} to holders of ${token(names, found.mint_config)}`
}

export const payout = ({ names, subject, detail }: Told): Phrase =>
  say`the ${named("payout", "distributions", text(detail.distribution))} to ${person(names("payout", subject))}`

export const snapshot = ({ names, subject, detail }: Told): Phrase =>
  say`the snapshot ${named(names("snapshot", subject)?.name ?? subject, "tokens", text(detail.mint_config))} of ${token(names, detail.mint_config)}`

export const schema = ({ names, subject }: Told): Phrase =>
  say`the schema ${named(names("schema", subject)?.name ?? subject, "schemas")}`

/** A wallet, with the investor behind it if there is one. */
export const wallet = ({ names, subject }: Told): Phrase => {
  const found = names("wallet", subject)
  return found === undefined || found.investor_id === null || (found.external_id === null && !found.is_erased)
    ? say`the wallet ${holder(names, subject)}`
    : say`${holder(names, subject)}'s wallet ${address(subject)}`
}
export const ofTokens = ({ names, detail }: Told): Phrase =>
  detail.mint_config == null ? ["every token"] : [token(names, detail.mint_config)]
