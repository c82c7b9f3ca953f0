import { type Queryable, sql } from "#db/client.ts"
import { tokenOperations } from "../operations/all.ts"

type Period = { workspace_id: string; mint_config: string; since: Date }

/**
 * The last slot up to which it is recorded what holders moved. Null if nothing is left to record: holders cannot move the
 * token, or their movements are lost.
 */
export async function readFollowedSlot(workspaceId: string, mintConfig: string): Promise<number | null> {
  const [period] = await sql<{ since: Date; followed_slot: bigint | null }[]>`
    select p.since, p.followed_slot from holder_periods p
      join mint_configs c on c.workspace_id = p.workspace_id and c.id = p.mint_config
    where p.workspace_id = ${workspaceId} and p.mint_config = ${mintConfig} and p.until is null and p.lost_at is null
      and c.minted_at is not null`
  if (!period) return null
  if (period.followed_slot !== null) return Number(period.followed_slot)
  const start = await findStart(sql, { workspace_id: workspaceId, mint_config: mintConfig, since: period.since })
  return start === null ? 0 : start.slot - 1
}

/**
 * `slot` is of the newest transaction from before holders could move the token. `opened`: an account may have been thawed
 * after this slot, by what was signed later. Null if nothing was.
 */
type Start = { signature: string; slot: number; is_final: boolean; opened: number | null }

/**
 * Where to begin: the last operation before holders could move the token, or the one that created the mint. Null if none is
 * known.
 */
export async function findStart(sql: Queryable, { workspace_id, mint_config, since }: Period): Promise<Start | null> {
  const [row] = await sql<Start[]>`
    with known as (
      select o.kind, t.*, coalesce(t.settled_at < ${since}::timestamptz - interval '1 minute', false) as is_before
      from operations o join transactions t on t.signature = o.signature
      where o.workspace_id = ${workspace_id} and o.mint_config = ${mint_config} and ${namesMint(sql)}
    )
    select signature, slot::float8 as slot, finalized_at is not null as is_final,
      (select min(coalesce(signed_slot, slot, 1)) - 1 from known where not is_before)::float8 as opened
    from known where status = 'confirmed' and (kind = 'create_asset_mint' or is_before)
    order by known.slot desc limit 1`
  return row ?? null
}

const KINDS = tokenOperations.map(({ kind }) => kind)

/** Whether the transaction of an operation `o` names its token's mint. */
export const namesMint = (sql: Queryable) => sql`o.kind in ${sql(KINDS)}`
