import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { requiredFor } from "#server/domain/schemas/proof-required.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"

/**
 * The highest number that is counted. Beyond it the answer is `more`, because counting a million rows takes too long.
 */
const COUNTED = 1000
/** How many attestations of a schema are read for the count, newest first. */
const LOOKED_THROUGH = 20_000

export type SchemaSummary = {
  id: string
  name: string
  validity_days: number
  created_at: string
  /** Whether sessions that begin now require proof of the wallet, and who chose that. */
  wallet_proof: boolean
  wallet_proof_setting: boolean | null
  /** How many days before the expiry investors are reminded. */
  reminder_days: number[]
  /** Currently verified attestations. */
  verified: { count: number; more: boolean }
}

/** The schemas of a workspace, each with its number of verified attestations, counted as far as is cheap. */
export async function summariseSchemas({ workspaceId, mode }: Principal): Promise<SchemaSummary[]> {
  const rows = await sql<
    {
      id: string
      name: string
      validity_days: number
      created_at: Date
      wallet_proof: boolean | null
      reminder_days: number[]
      verified: number
      older: boolean
    }[]
  >`
    select s.id, s.name, s.validity_days, s.created_at, s.wallet_proof, s.reminder_days, c.verified,
      exists (
        select from attestations a where a.workspace_id = s.workspace_id and a.schema_id = s.id
        order by seq desc nulls last offset ${LOOKED_THROUGH} limit 1
      ) as older
    from schemas s cross join lateral (
      select count(*)::int as verified
      from (
        select from (
          select status, expires_at from attestations a
          where a.workspace_id = s.workspace_id and a.schema_id = s.id
          order by seq desc nulls last limit ${LOOKED_THROUGH}
        ) recent
        where status = 'verified' and expires_at > ${clock.now()} limit ${COUNTED + 1}
      ) counted
    ) c
    where s.workspace_id = ${workspaceId} order by s.created_at desc, s.id`
  return rows.map(({ verified, older, created_at, wallet_proof, ...row }) => ({
    ...row,
    wallet_proof: requiredFor(mode, row.id, wallet_proof),
    wallet_proof_setting: wallet_proof,
    created_at: toTimestamp(created_at),
    verified: { count: Math.min(verified, COUNTED), more: verified > COUNTED || older },
  }))
}
