import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { deployment } from "#server/domain/deployment.ts"
import type { Claims } from "#shared/claims.ts"

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals claims for rest: nonce (12 bytes), tag (16), ciphertext. They are bound to the attestation, so that
 * one row's claims cannot stand in another's.
 */
export function sealClaims(attestationId: string, claims: Claims): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, deployment.dataKey, nonce).setAAD(Buffer.from(attestationId))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(claims), "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Opens what `sealClaims` sealed. Throws when the key, the attestation or a byte differs. */
export function openClaims(attestationId: string, sealed: Buffer): Claims {
  const decipher = createDecipheriv(ALGORITHM, deployment.dataKey, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(attestationId))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString("utf8"))
}
