import type { Queryable } from "#db/client.ts"
import type { Author } from "#server/domain/audit-log/record.ts"
import { fail } from "#shared/errors.ts"
import { investorOfReview } from "./lock.ts"

/** What ends, by its ids. */
type Ending = {
  workspaceId: string
  author: Author
  attestationIds: readonly string[]
  /**
   * Also reviews of what has ended before, and of these: an erasure empties them, and a vendor's event takes back a reversal.
   */
  alsoOf?: { wallets: readonly string[]; investorIds: readonly string[] }
}

/**
 * Refuses to end what an open review is about if the account wants four eyes: a member or a key could otherwise decide the case
 * alone, by cancelling, revoking or erasing what it is about. The operator, vendors and deadlines may. Locks the attestations:
 * a vendor's event opens no review in between. Errors: review_open.
 */
export async function refuseToEndAlone(
  sql: Queryable,
  { workspaceId, author, attestationIds, alsoOf }: Ending,
): Promise<void> {
  if (!isAlone(author) || !(await wantsFourEyes(sql, workspaceId))) return
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
      `The review ${open.id} about this is open, and this account wants two members to decide it. Decide it in the dashboard, under Reviews.`,
    )
}

/** A person or a key. The operator has the database, and Vouch itself does what vendors and deadlines demand. */
const isAlone = ({ principal }: Author): boolean =>
  !("via" in principal) || principal.via.kind === "user" || principal.via.kind === "key"

async function wantsFourEyes(sql: Queryable, workspaceId: string): Promise<boolean> {
  const [on] = await sql`
    select from workspaces w join accounts c on c.id = w.account_id where w.id = ${workspaceId} and c.four_eyes`
  return on !== undefined
}
