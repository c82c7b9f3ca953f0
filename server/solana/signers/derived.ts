import { defineScheme, WrongSigner } from "./definition.ts"

/** A key that derives from VOUCH_SIGNER: the first one of its purpose, or another one by a name. */
export const derived = defineScheme({
  scheme: "derived",
  label: "VOUCH_SIGNER",
  example: "derived: or derived:2",
  read(name) {
    if (/^[\w.-]{0,64}$/.test(name)) return { name }
    throw new WrongSigner("what follows derived: is at most 64 of a-z, 0-9, - and _")
  },
  open: ({ name }, { keys, purpose }) => ({ here: keys(name === "" ? purpose : `${purpose}/${name}`) }),
})
