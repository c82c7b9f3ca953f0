import type { Claims } from "#shared/claims.ts"
import { seal, unseal } from "./sealed.ts"

/** Encrypts claims for storage. They are bound to the attestation, so they cannot be moved to another row. */
export const sealClaims = (attestationId: string, claims: Claims): Buffer => seal(attestationId, JSON.stringify(claims))

/** Decrypts what `sealClaims` encrypted. Throws if the key or the attestation is another one, or a byte was changed. */
export const openClaims = (attestationId: string, sealed: Buffer): Claims => JSON.parse(unseal(attestationId, sealed))
