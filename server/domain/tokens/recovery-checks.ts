import type { Queryable } from "#db/client.ts"
import type { Refusal } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"

/** An operation that moves tokens or a hold of a lost wallet. Others have no `recovery_id`. */
export type OfRecovery = {
  mint_config: string
  recovery_id?: string | undefined
  from_wallet?: Address
  wallet?: Address
}

type Moving = { lost: Address; to: Address; config: string }
type Owners = Moving & {
  /** Who owns each wallet; null if no one has verified it. */
  lost_owner: string | null
  new_owner: string | null
  /** Who was last verified with the lost wallet for the token; null if no one was. */
  holder: string | null
  is_proved: boolean
}

/**
 * What keeps recoveries from moving tokens, as of now: both wallets and the tokens must belong to the same investor, who in
 * live mode has proved the new wallet for a verification in force. A change of these calls `voidPlans`.
 */
export async function loadRecoveryRefusals<P extends OfRecovery>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly { payload: P }[],
): Promise<(operation: { payload: P }) => Refusal | null> {
  const moving = operations.flatMap(({ payload: { recovery_id, from_wallet, wallet, mint_config } }) =>
    recovery_id !== undefined && from_wallet && wallet ? [{ lost: from_wallet, to: wallet, config: mint_config }] : [],
  )
  if (moving.length === 0) return () => null
  const owners = await readOwners(sql, workspaceId, moving)
  const refusals = new Map(owners.map((one) => [nameOf(one), refusalOf(one)]))
  return ({ payload: { recovery_id, from_wallet, wallet, mint_config } }) =>
    recovery_id === undefined || !from_wallet || !wallet
      ? null
      : (refusals.get(nameOf({ lost: from_wallet, to: wallet, config: mint_config })) ?? null)
}

const nameOf = ({ lost, to, config }: Moving) => `${lost}/${to}/${config}`

/** Why the tokens of one wallet cannot move to another one as a recovery; null if they can. */
export async function recoveryRefusal(
  sql: Queryable,
  workspaceId: string,
  { lost, to, configs }: { lost: Address; to: Address; configs: readonly string[] },
): Promise<Refusal | null> {
  const moving = configs.map((config) => ({ lost, to, config }))
  const owners = await readOwners(sql, workspaceId, moving)
  return owners.map(refusalOf).find((refusal) => refusal !== null) ?? null
}

async function readOwners(sql: Queryable, workspaceId: string, moving: readonly Moving[]): Promise<Owners[]> {
  const rows = await sql<Owners[]>`
    select w.lost, w."to", w.config, a.investor_id as lost_owner, b.investor_id as new_owner,
      (select v.investor_id from attestations v
        where v.workspace_id = s.id and v.wallet = w.lost and v.schema_id = c.required_schema and v.verified_at is not null
        order by v.verified_at desc, v.seq desc limit 1) as holder,
      s.mode <> 'live' or exists (select from attestations v
        where v.workspace_id = s.id and v.wallet = w."to" and v.investor_id = b.investor_id
          and v.wallet_proved_at is not null and v.status = 'verified') as is_proved
    from (select distinct * from unnest(${moving.map(({ lost }) => lost)}::text[], ${moving.map(({ to }) => to)}::text[],
        ${moving.map(({ config }) => config)}::text[]) as t(lost, "to", config)) w
      join workspaces s on s.id = ${workspaceId}
      join mint_configs c on c.workspace_id = s.id and c.id = w.config
      cross join lateral wallet_owner(s.id, w.lost) a cross join lateral wallet_owner(s.id, w."to") b`
  return [...rows]
}

function refusalOf({ lost, to, config, lost_owner, new_owner, holder, is_proved }: Owners): Refusal | null {
  if (lost_owner === null || lost_owner !== new_owner)
    return notPossible(`new_wallet: ${to} and ${lost} do not belong to the same investor.`)
  if (holder !== null && holder !== new_owner)
    return notPossible(
      `lost_wallet: another investor was verified with ${lost} for ${config}, and its tokens are theirs.`,
    )
  if (!is_proved)
    return notPossible(
      `new_wallet: the investor has not proved that ${to} is theirs. Verify it with a signature of the wallet.`,
    )
  return null
}

const notPossible = (detail: string): Refusal => ({ code: "recovery_not_possible", detail })
