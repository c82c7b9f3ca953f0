import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { Refusal } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

/** An operation that moves tokens or a hold of a lost wallet. Others have no `recovery_id`. */
export type OfRecovery = { recovery_id?: string | undefined; from_wallet?: Address; wallet?: Address }

type Owners = {
  lost: Address
  to: Address
  /** Who owns each wallet; null if no one has verified it. */
  lost_owner: string | null
  new_owner: string | null
  is_proved: boolean
}

/**
 * What keeps recoveries from moving tokens, as of now: both wallets must belong to the same investor, who in live mode has
 * proved the new one for a verification in force. A change of either calls `voidPlans`.
 */
export async function loadRecoveryRefusals<P extends OfRecovery>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly { payload: P }[],
): Promise<(operation: { payload: P }) => Refusal | null> {
  const moving = operations.flatMap(({ payload: { recovery_id, from_wallet, wallet } }) =>
    recovery_id !== undefined && from_wallet && wallet ? [{ lost: from_wallet, to: wallet }] : [],
  )
  if (moving.length === 0) return () => null
  const owners = await readOwners(sql, workspaceId, moving)
  const refusals = new Map(owners.map((one) => [`${one.lost}/${one.to}`, refusalOf(one)]))
  return ({ payload: { recovery_id, from_wallet, wallet } }) =>
    recovery_id === undefined ? null : (refusals.get(`${from_wallet}/${wallet}`) ?? null)
}

/** Why the tokens of one wallet cannot move to another one as a recovery; null if they can. */
export async function recoveryRefusal(
  sql: Queryable,
  workspaceId: string,
  wallets: { lost: Address; to: Address },
): Promise<Refusal | null> {
  return refusalOf(only(await readOwners(sql, workspaceId, [wallets])))
}

async function readOwners(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly { lost: Address; to: Address }[],
): Promise<Owners[]> {
  const rows = await sql<Owners[]>`
    select w.lost, w."to", a.investor_id as lost_owner, b.investor_id as new_owner,
      s.mode <> 'live' or exists (select from attestations v
        where v.workspace_id = s.id and v.wallet = w."to" and v.investor_id = b.investor_id
          and v.wallet_proved_at is not null and v.status = 'verified') as is_proved
    from (select distinct * from unnest(${wallets.map(({ lost }) => lost)}::text[],
        ${wallets.map(({ to }) => to)}::text[]) as t(lost, "to")) w
      join workspaces s on s.id = ${workspaceId}
      cross join lateral wallet_owner(s.id, w.lost) a cross join lateral wallet_owner(s.id, w."to") b`
  return [...rows]
}

function refusalOf({ lost, to, lost_owner, new_owner, is_proved }: Owners): Refusal | null {
  if (lost_owner === null || lost_owner !== new_owner)
    return notPossible(`new_wallet: ${to} and ${lost} do not belong to the same investor.`)
  if (!is_proved)
    return notPossible(
      `new_wallet: the investor has not proved that ${to} is theirs. Verify it with a signature of the wallet.`,
    )
  return null
}

const notPossible = (detail: string): Refusal => ({ code: "recovery_not_possible", detail })
