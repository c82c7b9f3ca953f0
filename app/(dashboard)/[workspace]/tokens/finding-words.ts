import { nameOf } from "#app/(dashboard)/person-words.ts"
import type { OutputOf } from "#app/(dashboard)/workspace.tsx"
import { grouped } from "#shared/amount.ts"

/** A wallet with the person behind it. */
export type Owner = OutputOf<"investor.owners">["data"][number]

/** Schemas, to call them by name. */
export type Schemas = readonly { id: string; name: string }[]

/** What a client of the API would do next. Members have buttons for it. */
const FOR_CLIENTS = / [^.]* (?:POST|GET) \/[^.]*\./g
/** The field that a detail is about. */
const FIELD = /^[a-z_]+: /
/** A large number that is neither a year nor a part of an id or a time. */
const AMOUNT = /(?<![\w.:-])(?<![A-Z][a-z]{2} )\d{4,}(?:\.\d+)?(?![\w:-])/g

/** A detail of the API in words for members: texts, and people in place of their wallets. */
export function partsOf(detail: string, people: readonly Owner[], schemas: Schemas): (string | Owner)[] {
  const named = schemas.reduce((text, { id, name }) => text.replaceAll(id, name), detail)
  const text = named
    .replace(FIELD, "")
    .replaceAll(FOR_CLIENTS, "")
    .replace(" next_unlock_at: ", " More unlock at ")
    .replace(/^the /, "The ")
    .replaceAll(AMOUNT, grouped)
  return people.reduce<(string | Owner)[]>(
    (parts, person) =>
      parts.flatMap((part) =>
        typeof part === "string"
          ? part.split(person.user_pubkey).flatMap((piece, at) => (at === 0 ? [piece] : [person, piece]))
          : [part],
      ),
    [text],
  )
}

/** The same as one text. */
export const textOf = (detail: string, people: readonly Owner[], schemas: Schemas): string =>
  partsOf(detail, people, schemas)
    .map((part) => (typeof part === "string" ? part : nameOf(part)))
    .join("")

/** The person whom a detail names by their wallet. */
export const subjectOf = (detail: string, people: readonly Owner[]): Owner | null =>
  people.find(({ user_pubkey }) => detail.includes(user_pubkey)) ?? null

/** What a member can do about a rule that refuses a wallet. */
export const nextSteps: Record<string, string> = {
  wallet_sanctioned: "A compliance officer can see the match under Reviews.",
  wallet_barred: "Use the investor's new wallet. Their page has the recovery.",
  wallet_frozen: "Unfreeze the wallet first. Their page says why it is frozen.",
  country_not_allowed: "Choose another person, or change the token's rules.",
  not_accredited: "Choose another person, or verify this one again as an accredited investor.",
}
