import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { deployment } from "./deployment.ts"

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals a text for rest with the data key: nonce (12 bytes), tag (16), ciphertext. It opens only for the same `owner`. */
export function seal(owner: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, deployment.dataKey, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Opens what `seal` sealed. Throws when the key, the owner or a byte differs. */
export function unseal(owner: string, sealed: Buffer): string {
  const decipher = createDecipheriv(ALGORITHM, deployment.dataKey, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return text.toString("utf8")
}
