import { randomBytes } from "node:crypto"
import { seal, unseal } from "#domain/deployment"

/** What an endpoint's encrypted secrets are bound to, so that they cannot be decrypted for another endpoint. */
export const secretOwner = (endpointId: string): string => `${endpointId} webhook_secret`

/** A new secret: `whsec_` and base64 of 32 bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

export const sealSecret = (endpointId: string, secret: string): Buffer => seal(secretOwner(endpointId), secret)

export type Secrets = {
  id: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_until: Date | null
}

/** The secrets that sign now, the newest first. */
export function secretsAt(now: Date, { id, secret, previous_secret, previous_until }: Secrets): string[] {
  const isKept = previous_secret !== null && previous_until !== null && previous_until > now
  return [secret, ...(isKept ? [previous_secret] : [])].map((one) => unseal(secretOwner(id), one))
}
