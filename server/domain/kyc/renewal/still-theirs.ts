import type { Queryable } from "#db/client.ts"

/**
 * Whether a wallet that was verified for an investor has nobody else since, in any schema. If somebody has it, a link from before
 * takes it from nobody, and leads to nobody's session.
 */
export async function isStillTheirs(
  sql: Queryable,
  of: { workspaceId: string; wallet: string; schemaId: string; investorId: string },
): Promise<boolean> {
  const { workspaceId, wallet, schemaId, investorId } = of
  const [row] = await sql<{ is_theirs: boolean }[]>`
    select (select investor_id = ${investorId} from attestations
        where workspace_id = ${workspaceId} and wallet = ${wallet} order by seq desc nulls last limit 1)
      and not exists (select from attestations
        where workspace_id = ${workspaceId} and wallet = ${wallet} and schema_id = ${schemaId} and status = 'pending'
          and investor_id <> ${investorId}) as is_theirs`
  return row?.is_theirs === true
}
