import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf, timestamped } from "#db/rows.ts"
import { idOf, timestamp, wallet, wholeNumber } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import { shownRedactions, type VendorRedaction } from "#shared/statuses.ts"
import { shownRedaction } from "./vendor-redactions.ts"

const redaction = z
  .object({
    provider: z.string().meta({ description: "Name of the KYC provider", example: "sandbox" }),
    status: z.enum(shownRedactions).meta({
      description:
        "`requested`: Vouch asks the vendor until it has deleted the data; `failed`: the vendor has not done so for hours, and Vouch still asks; `not_supported`: the vendor's API cannot delete, so ask the vendor yourself; `kept`: the vendor's record also serves another wallet of the investor, and Vouch asks when that one is erased",
      example: "requested",
    }),
    done_at: timestamp.nullable().meta({ description: "Null until done", example: null }),
  })
  .meta({ id: "VendorRedaction" })

export const erasureRecord = z
  .object({
    erasure_id: idOf("era").meta({
      description: "The erasure's id",
    }),
    investor_id: idOf("inv").meta({
      description:
        "The investor whose data was erased. For one of several wallets, a new investor who has only this wallet.",
      example: "inv_7mYcTzHkLwR2sVbJm9X4f8",
    }),
    user_pubkeys: z.array(wallet),
    attestations: wholeNumber(0, 2 ** 31 - 1).meta({
      description: "Number of attestations whose personal data was erased",
      example: 2,
    }),
    revoked: wholeNumber(0, 2 ** 31 - 1).meta({
      description: "Number of these that were pending or verified, and ended",
      example: 1,
    }),
    erased_at: timestamp,
    vendor_redactions: z
      .array(redaction)
      .meta({ description: "Requests to vendors to delete data; empty if no vendor has any" }),
  })
  .meta({ id: "Erasure" })

export type ErasureRecord = z.infer<typeof erasureRecord>

const erasureColumns = columns("erasures", "investor_id, attestations, revoked, erased_at")
type Row = RowOf<typeof erasureColumns> & {
  erasure_id: string
  user_pubkeys: Address[]
  redactions: { provider: string; status: VendorRedaction; attempts: number; done_at: string | null }[]
}

/** Errors: erasure_not_found. */
export async function getErasure(workspaceId: string, id: string): Promise<ErasureRecord> {
  const [row] = isId("era", id)
    ? await sql<Row[]>`
        select e.id as erasure_id, e.wallets as user_pubkeys, ${sql(qualified("e", erasureColumns))}, coalesce((
          select jsonb_agg(jsonb_build_object('provider', r.provider, 'status', r.status, 'attempts', r.attempts,
            'done_at', r.done_at) order by r.provider, r.id)
          from vendor_redactions r where r.workspace_id = e.workspace_id and r.erasure_id = e.id), '[]') as redactions
        from erasures e where e.workspace_id = ${workspaceId} and e.id = ${id}`
    : []
  if (!row)
    return fail(
      "erasure_not_found",
      "id: this workspace has no erasure with this id. Check the id, and the key's workspace.",
    )
  const { redactions, ...erasure } = row
  return {
    ...timestamped(erasure),
    vendor_redactions: redactions.map(({ provider, status, attempts, done_at }) => ({
      provider,
      status: shownRedaction({ status, attempts }),
      done_at: done_at && toTimestamp(new Date(done_at)),
    })),
  }
}
