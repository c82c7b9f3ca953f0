import type { Queryable } from "#db/client.ts"
import type { Author } from "#domain/audit-log"
import { fail } from "#shared/errors.ts"
import { investorOfReview } from "./lock.ts"

/** The attestations that end. */
type Ending = {
  workspaceId: string
  author: Author
  attestationIds: readonly string[]
  /** Also check reviews of ended attestations and of these: erasures empty them, and vendors withdraw reversals. */
  alsoOf?: { wallets: readonly string[]; investorIds: readonly string[] }
}

/**
 * Refuses to end the subject of an open review if a policy requires further members to decide it. Otherwise one member or key could
 * decide the case alone, by cancelling, revoking or erasing its subject. The operator, vendors and deadlines may end
 * it. Locks the attestations, so that no vendor's event opens a review in between. Errors: review_open.
 */
export async function refuseToEndAlone(
  sql: Queryable,
  { workspaceId, author, attestationIds, alsoOf }: Ending,
): Promise<void> {
  if (!isAlone(author) || !(await needsApproval(sql, workspaceId))) return
  const ending = await sql<{ id: string; wallet: string; investor_id: string }[]>`
    select id, wallet, investor_id from attestations
    where workspace_id = ${workspaceId} and id = any(${attestationIds as string[]}) and status in ('pending', 'verified')
    order by seq for update`
  const all = {
    ids: alsoOf ? [...attestationIds] : ending.map(({ id }) => id),
    wallets: [...(alsoOf?.wallets ?? []), ...ending.map(({ wallet }) => wallet)],
    investors: [...(alsoOf?.investorIds ?? []), ...ending.map(({ investor_id }) => investor_id)],
  }
  const [open] = await sql<{ id: string }[]>`
    select r.id from reviews r
    where r.workspace_id = ${workspaceId} and r.state <> 'closed' and (r.attestation_id = any(${all.ids})
      or (r.attestation_id is null and r.wallet = any(${all.wallets}))
      or (r.attestation_id is null and r.wallet is null and ${investorOfReview(sql)} = any(${all.investors})))
    order by r.seq limit 1`
  if (open)
    fail(
      "review_open",
      `The review ${open.id} about this is open, and in this workspace several members must decide it. Decide it in the dashboard, under Reviews.`,
    )
}

/** Whether the author is a member or a key, not the operator or Vouch itself. */
const isAlone = ({ principal }: Author): boolean =>
  !("via" in principal) || principal.via.kind === "user" || principal.via.kind === "key"

/** Whether the decision of a review does. */
async function needsApproval(sql: Queryable, workspaceId: string): Promise<boolean> {
  const [policy] = await sql`
    select from approval_policies where workspace_id = ${workspaceId} and 'review_decision' = any(actions) limit 1`
  return policy !== undefined
}
