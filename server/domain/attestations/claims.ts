import { seal, unseal } from "#server/domain/sealed.ts"
import type { Claims } from "#shared/claims.ts"

/** Seals claims for rest, bound to the attestation, so that one row's claims cannot stand in another's. */
export const sealClaims = (attestationId: string, claims: Claims): Buffer =>
  seal(attestationId, JSON.stringify(claims))

/** Opens what `sealClaims` sealed. Throws when the key, the attestation or a byte differs. */
export const openClaims = (attestationId: string, sealed: Buffer): Claims =>
  JSON.parse(unseal(attestationId, sealed))
