import { randomBytes } from "node:crypto"
import { sql } from "#db/client.ts"
import { columns, only, type RowOf } from "#db/rows.ts"
import { seal, unseal } from "#domain/deployment"

/** What an endpoint's encrypted secrets are bound to, so that they cannot be decrypted for another endpoint. */
export const secretOwner = (endpointId: string): string => `${endpointId} webhook_secret`

/** A new secret: `whsec_` and base64 of 32 bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

export const sealSecret = (endpointId: string, secret: string): Buffer => seal(secretOwner(endpointId), secret)

const secretColumns = columns("webhook_endpoints", "id, secret, previous_secret, previous_until")

/** The secrets that sign now, the newest first. */
export function secretsAt(
  now: Date,
  { id, secret, previous_secret, previous_until }: RowOf<typeof secretColumns>,
): string[] {
  const isKept = previous_secret !== null && previous_until !== null && previous_until > now
  return [secret, ...(isKept ? [previous_secret] : [])].map((one) => unseal(secretOwner(id), one))
}

/** The same for an endpoint that exists. */
export const readSecrets = async (workspaceId: string, id: string, now: Date): Promise<string[]> => {
  const rows = await sql<RowOf<typeof secretColumns>[]>`
    select ${sql(secretColumns)} from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`
  return secretsAt(now, only(rows))
}
