import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { toTimestamp } from "#server/lib/time.ts"
import { explorerOf } from "#server/solana/explorer.ts"
import type { Mode } from "#shared/mode.ts"

/** The newest entry of a workspace whose hash is on chain, with the transaction; null before the first one. */
export async function readAuditProof({ workspaceId, mode }: Principal) {
  const [anchor] = await sql<{ place: bigint; signature: string; until: Date }[]>`
    select a.place, a.signature, e.at as until
    from audit_anchors a join workspaces w on w.id = a.workspace_id
      join audit_links l on l.workspace_id = a.workspace_id and l.place = a.place
      join audit_entries e on e.account_id = w.account_id and e.seq = l.seq
    where a.workspace_id = ${workspaceId} and a.state = 'made' and a.signature is not null
    order by a.created_at desc limit 1`
  if (anchor === undefined) return { anchor: null }
  const { place, signature, until } = anchor
  const explorer = explorerOfTransaction(mode, signature)
  return { anchor: { place: Number(place), transaction: signature, explorer, until: toTimestamp(until) } }
}

/** The page of a transaction; null if no public explorer reaches the cluster. */
export const explorerOfTransaction = (mode: Mode, signature: string): string | null =>
  explorerOf(deployment.chains[mode]?.identity?.cluster)?.replace("{}", `tx/${signature}`) ?? null
