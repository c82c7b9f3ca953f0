import { columns, type RowOf } from "#db/rows.ts"

/** The facts about an attestation that an erasure needs. */
export const erasedColumns = columns(
  "attestations",
  "workspace_id, id, session_id, schema_id, wallet, investor_id, status, open_until, expires_at, provider",
  "provider_reference, earlier_references, erased_at",
)
export type ErasedRow = RowOf<typeof erasedColumns>
