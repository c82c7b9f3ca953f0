import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { SignerFailure } from "./definition.ts"

// SubjectPublicKeyInfo of an Ed25519 key (RFC 8410 §4): this prefix and the 32 bytes of the key.
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")

/** The 32 bytes of a public key from SubjectPublicKeyInfo in DER. Throws SignerFailure if the key is of another kind. */
export function keyFromSpki(label: string, der: Uint8Array): Uint8Array {
  const bytes = Buffer.from(der)
  const fits = bytes.length === 44 && bytes.subarray(0, 12).equals(SPKI_PREFIX)
  if (!fits) throw new SignerFailure(`${label} has a key that is not Ed25519`)
  return bytes.subarray(12)
}

/** A verifier for the signatures of a key. */
export function verifierOf(publicKey: Uint8Array): (message: Uint8Array, signature: Uint8Array) => boolean {
  const key: KeyObject = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" })
  return (message, signature) => signature.length === 64 && verify(null, message, key, signature)
}
