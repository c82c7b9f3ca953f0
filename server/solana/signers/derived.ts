import { defineScheme, WrongSigner } from "./definition.ts"

/** The URI of the first key of a purpose. */
export const DERIVED = "derived:"

/** A key that derives from VOUCH_SIGNER: the first of its purpose, or another one by its name. */
export const derived = defineScheme({
  scheme: "derived",
  label: "VOUCH_SIGNER",
  example: "derived: or derived:2",
  read(name) {
    if (/^[\w.-]{0,64}$/.test(name)) return { name }
    throw new WrongSigner("what follows derived: must be at most 64 of a-z, 0-9, - and _")
  },
  open: ({ name }, { keys, purpose }) => ({ here: keys(purposeOf(name, purpose)) }),
})

const purposeOf = (name: string, purpose: string) => (name === "" ? purpose : `${purpose}/${name}`)

/** The purpose that a URI derives its key for; null if its key does not derive from VOUCH_SIGNER. */
export const derivedPurpose = (uri: string, purpose: string): string | null =>
  uri.startsWith(DERIVED) ? purposeOf(uri.slice(DERIVED.length), purpose) : null
