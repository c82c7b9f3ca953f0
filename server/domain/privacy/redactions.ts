import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { providerLabel, unseal } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { ShownRedaction, VendorRedaction } from "#shared/statuses.ts"
import { shownRedaction } from "./erasure-record.ts"
import { referenceOwner } from "./vendor-redactions.ts"

export type Redaction = {
  id: string
  provider: string
  status: ShownRedaction
  /** The vendor's id, if a member must ask the vendor; null otherwise. */
  reference: string | null
  erased_at: string
  done_at: string | null
}

type Row = {
  id: string
  provider: string
  status: VendorRedaction
  reference: Buffer | null
  attempts: number
  erased_at: Date
  done_at: Date | null
  mode: Mode
}

/** Requests to vendors to delete an investor's data, latest erasure first. */
export async function listRedactions(workspaceId: string, investorId: string): Promise<Redaction[]> {
  const rows = await sql<Row[]>`
    select r.id, r.provider, r.status, r.reference, r.attempts, e.erased_at, r.done_at, w.mode
    from erasures e join vendor_redactions r on r.workspace_id = e.workspace_id and r.erasure_id = e.id
    join workspaces w on w.id = e.workspace_id
    where e.workspace_id = ${workspaceId} and e.investor_id = ${investorId}
    order by e.seq desc, r.provider, r.id`
  return rows.map(({ reference, mode, ...row }) => {
    const status = shownRedaction(row)
    const isByHand = status === "not_supported" || status === "failed"
    return {
      id: row.id,
      provider: providerLabel(mode, row.provider),
      status,
      reference: isByHand && reference !== null ? unseal(referenceOwner(row), reference) : null,
      erased_at: toTimestamp(row.erased_at),
      done_at: row.done_at && toTimestamp(row.done_at),
    }
  })
}

/** Records that a member had the vendor delete the data, and deletes the reference. Errors: erasure_not_found. */
export async function confirmRedaction({
  principal,
  requestId,
  id,
}: {
  principal: Principal
  requestId: string
  id: string
}): Promise<void> {
  const { workspaceId, mode } = principal
  await sql.begin(async (sql) => {
    const [row] = await sql<{ provider: string; erasure_id: string; status: VendorRedaction }[]>`
      select provider, erasure_id, status from vendor_redactions
      where workspace_id = ${workspaceId} and id = ${id} for update`
    if (!row) return fail("erasure_not_found", "id: this workspace has no such request to a vendor.")
    if (row.status === "done" || row.status === "kept") return
    await sql`
      update vendor_redactions set status = 'done', reference = null, done_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = ${id}`
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: "investor.vendor_confirmed",
      subject: row.erasure_id,
      detail: { provider: providerLabel(mode, row.provider) },
    })
  })
  publishActivity(workspaceId)
}
