import type { Queryable } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { type Evidence, evidenceOf, UNKNOWN } from "./book.ts"

/** The person behind a wallet, for a schema. `inForce`: by a verification that is in force. */
export type Person = { investor: string; evidence: Evidence; inForce: boolean }

type Row = {
  wallet: Address
  schema_id: string
  investor_id: string | null
  attestation_id: string | null
  claims: Buffer | null
  in_force: boolean | null
}

/** Who stands behind wallets now. The wallet itself, if no one is known to. */
export async function identify(
  sql: Queryable,
  workspaceId: string,
  wanted: readonly { schemaId: string; wallet: Address }[],
): Promise<(of: { schemaId: string; wallet: Address }) => Person> {
  const rows = await sql<Row[]>`
    select t.wallet, t.schema_id, h.investor_id, h.attestation_id, h.claims, h.in_force
    from unnest(${wanted.map((one) => one.schemaId)}::text[], ${wanted.map((one) => one.wallet)}::text[]) as t(schema_id, wallet)
    left join lateral holder_of(${workspaceId}, t.schema_id, t.wallet, ${clock.now()}) h on true`
  const persons = new Map(rows.map((row) => [`${row.schema_id}/${row.wallet}`, personOf(row)]))
  return ({ schemaId, wallet }) => persons.get(`${schemaId}/${wallet}`)!
}

const personOf = ({ wallet, investor_id, attestation_id, claims, in_force }: Row): Person =>
  investor_id === null
    ? { investor: wallet, evidence: UNKNOWN, inForce: false }
    : { investor: investor_id, evidence: evidenceOf(attestation_id, claims), inForce: in_force === true }
