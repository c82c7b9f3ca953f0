import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { RevocationFailure, ShownStatus } from "#shared/statuses.ts"
import { shownStatusAt } from "../status.ts"
import { bulkRevocationNotFound } from "./lists.ts"

type Row = {
  place: number
  attestation_id: string
  outcome: "revoked" | "ended before" | "failed" | "left" | null
  error: RevocationFailure | null
  user_pubkey: Address | null
  schema: string | null
  external_id: string | null
  investor_id: string | null
  status: ShownStatus | null
  open_until: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

type Page = { id: string; cursor: string | null; limit: number }

/**
 * The attestations of a list, also while it waits for approval, and what came of each. What they are is null for ids that
 * do not exist. Errors: bulk_revocation_not_found.
 */
export async function readContents({ workspaceId }: Principal, { id, cursor, limit }: Page) {
  const [list] = await sql<{ filter: Record<string, string> | null; ids: string[] | null; attestations: number }[]>`
    select filter, null as ids, attestations from bulk_revocations where workspace_id = ${workspaceId} and id = ${id}
    union all
    select null, array(select jsonb_array_elements_text(request -> 'attestation_ids')),
      jsonb_array_length(request -> 'attestation_ids')
    from approvals where workspace_id = ${workspaceId} and subject = ${id} and request ? 'attestation_ids'
    limit 1`
  if (!list) return bulkRevocationNotFound()
  const items =
    list.ids === null
      ? sql`(select * from bulk_revocation_items where workspace_id = ${workspaceId} and revocation_id = ${id})`
      : sql`(select t.place, t.attestation_id, null as outcome, null as failure
          from unnest(${list.ids}::text[]) with ordinality as t(attestation_id, place))`
  const rows = await sql<Row[]>`
    select i.place::int, i.attestation_id, i.outcome, i.failure as error, a.wallet as user_pubkey, a.schema_id as schema,
      a.external_id, a.investor_id, a.status, a.open_until, a.expires_at, a.revoked_at
    from ${items} i left join attestations a on a.workspace_id = ${workspaceId} and a.id = i.attestation_id
    where i.place > ${Number(cursor ?? 0)} order by i.place limit ${limit + 1}`
  const now = clock.now()
  return {
    filter: list.filter,
    total: list.attestations,
    data: rows.slice(0, limit).map(({ place: _, open_until, expires_at, revoked_at, status, ...row }) => ({
      ...row,
      status: status && shownStatusAt({ status: status as never, open_until, expires_at, revoked_at }, now),
    })),
    next_cursor: rows.length > limit ? String(rows[limit - 1]!.place) : null,
  }
}
