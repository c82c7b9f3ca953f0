import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { deployment } from "./deployment.ts"

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals a text with the first data key: nonce (12 bytes), tag (16), ciphertext. It opens only for the same `owner`. */
export function seal(owner: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, deployment.dataKeys[0]!, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Opens what `seal` sealed. Throws if no key fits, the owner is another one, or a byte was changed. */
export const unseal = (owner: string, sealed: Buffer): string => open(owner, sealed).text

/** The same text, sealed with the first key; null if it already is. */
export function reseal(owner: string, sealed: Buffer): Buffer | null {
  const { text, isFirst } = open(owner, sealed)
  return isFirst ? null : seal(owner, text)
}

function open(owner: string, sealed: Buffer): { text: string; isFirst: boolean } {
  let failure: unknown
  for (const [n, key] of deployment.dataKeys.entries()) {
    try {
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const rest = sealed.subarray(NONCE_BYTES + TAG_BYTES)
      const text = Buffer.concat([decipher.update(rest), decipher.final()]).toString("utf8")
      return { text, isFirst: n === 0 }
    } catch (error) {
      failure ??= error
    }
  }
  throw failure
}
