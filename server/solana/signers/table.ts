import { awsKms } from "./aws-kms.ts"
import { type Opened, type SignerScheme, WrongSigner } from "./definition.ts"
import { derived } from "./derived.ts"
import { file } from "./file.ts"
import { gcpKms } from "./gcp-kms.ts"
import { vault } from "./vault.ts"

// Only a scheme itself knows the type of its places.
// biome-ignore lint/suspicious/noExplicitAny: no other type holds schemes of different places
const schemes: readonly SignerScheme<any>[] = [derived, file, awsKms, gcpKms, vault]

/** Every way to write a signer, as an example. */
export const examples: readonly string[] = schemes.map(({ example }) => example)

/** A parsed signer URI: its name for people and how to open it. */
export type Written = { uri: string; label: string; open: (context: Parameters<typeof derived.open>[1]) => Opened }

/** Parses a signer's URI without any request. Throws WrongSigner. */
export function readSigner(uri: string): Written {
  const [, name = "", rest = ""] = /^([a-z-]+):(.*)$/.exec(uri) ?? []
  const found = schemes.find(({ scheme }) => scheme === name)
  if (!found) throw new WrongSigner(`must begin with one of ${schemes.map(({ scheme }) => `${scheme}:`).join(", ")}`)
  const place = found.read(rest)
  return { uri, label: found.label, open: (context) => found.open(place, context) }
}
