import { seal, unseal } from "#server/domain/sealed.ts"
import type { Claims } from "#shared/claims.ts"

/** Encrypts claims for storage, bound to the attestation, so that they cannot be moved to another row. */
export const sealClaims = (attestationId: string, claims: Claims): Buffer => seal(attestationId, JSON.stringify(claims))

/** Decrypts what `sealClaims` encrypted. Throws if the key, the attestation or a byte differs. */
export const openClaims = (attestationId: string, sealed: Buffer): Claims => JSON.parse(unseal(attestationId, sealed))
