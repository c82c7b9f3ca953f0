import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { AttestationStatus } from "#shared/statuses.ts"
import type { AttestationRow } from "./record.ts"
import type { Landed } from "./timeline.ts"

/** What became of the unit that an attestation gave to its wallet. */
export type CredentialState =
  | { state: "held" }
  /** The attestation has ended, and the transaction that burns the unit is on its way. */
  | { state: "removing" }
  | { state: "destroyed"; transaction: string }
  /** A renewal has replaced it with its own unit. */
  | { state: "replaced" }
  /** The wallet held none when it was about to be burned. */
  | { state: "absent" }

type Burn = { held: boolean; burning: Landed | null }

type BurnRow = { held: boolean; signature: string | null; signed_at: Date; settled_at: Date; slot: bigint }

/** Whether the ledger says that the wallet's unit is this attestation's, and what burned it. Read in one snapshot. */
export async function readBurn({ workspace_id, id, wallet }: AttestationRow): Promise<Burn> {
  const rows = await sql<BurnRow[]>`
    select exists (select from credentials where workspace_id = ${workspace_id} and attestation_id = ${id}) as held, burn.*
    from (select) one left join lateral (
      select t.signature, t.created_at as signed_at, t.settled_at, t.slot
      from operations o join transactions t on t.signature = o.signature and t.workspace_id = o.workspace_id
      where o.workspace_id = ${workspace_id} and o.wallet = ${wallet} and o.kind = 'revoke'
        and o.payload->>'attestation_id' = ${id} and o.status = 'confirmed'
      order by o.seq limit 1
    ) burn on true`
  const { held, signature, ...landed } = only(rows)
  return { held, burning: signature === null ? null : { ...landed, signature, slot: Number(landed.slot) } }
}

/** Exactly one of these is true at any time. */
export function credentialState(
  { status, reason }: { status: AttestationStatus; reason: string | null },
  { held, burning }: Burn,
): CredentialState {
  if (status === "verified") return { state: "held" }
  if (held) return { state: "removing" }
  if (burning) return { state: "destroyed", transaction: burning.signature }
  return { state: reason === "superseded" ? "replaced" : "absent" }
}

/** Whose unit a wallet's account holds, according to the ledger; `changing` while a transaction changes it. */
export type UnitOf = "this" | "another" | "none" | "changing"

export async function readUnit({ workspace_id, id, schema_id, wallet }: AttestationRow): Promise<UnitOf> {
  const rows = await sql<{ holder: string | null; changing: boolean }[]>`
    select
      (select attestation_id from credentials
        where workspace_id = ${workspace_id} and schema_id = ${schema_id} and wallet = ${wallet}) as holder,
      exists (select from operations
        where workspace_id = ${workspace_id} and wallet = ${wallet} and kind in ('attest', 'revoke')
          and payload->>'schema_id' = ${schema_id} and status in ('queued', 'submitted')) as changing`
  const { holder, changing } = only(rows)
  if (changing) return "changing"
  return holder === null ? "none" : holder === id ? "this" : "another"
}
