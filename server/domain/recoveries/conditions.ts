import type { Queryable } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { findListed, isScreening } from "#domain/screening"
import { configsHeldBy, EVERY_TOKEN, isBarred, loadFreezes, recoveryRefusal } from "#domain/tokens"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { ErrorCode } from "#shared/errors.ts"

type Refusal = { code: ErrorCode; detail: string }

/**
 * Why a lost wallet's tokens cannot move to a new wallet; null if they can. Without a new wallet, only whether the lost
 * one is the investor's.
 */
export async function refusalOf(
  sql: Queryable,
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  { investorId, lostWallet, newWallet }: { investorId: string; lostWallet: Address; newWallet: Address | null },
): Promise<Refusal | null> {
  const owns = await ownedBy(sql, workspaceId, investorId)
  if (!(await owns(lostWallet)) || !(await isTheirs(sql, workspaceId, lostWallet)))
    return notPossible(`lost_wallet: ${lostWallet} is not a wallet of ${investorId}.`)
  if (newWallet === null) return null
  if (!(await owns(newWallet))) return notPossible(`new_wallet: ${newWallet} is not a wallet of ${investorId}.`)
  if (await isBarred(sql, workspaceId, newWallet))
    return notPossible(`new_wallet: ${newWallet} was reported as lost. Use another wallet.`)
  const names = { lost_wallet: lostWallet, new_wallet: newWallet }
  const listed = isScreening() ? await findListed(sql, workspaceId, Object.values(names)) : []
  const configs = await configsHeldBy(sql, workspaceId, lostWallet)
  const freezesOf = await loadFreezes(sql, workspaceId, Object.values(names))
  for (const [field, wallet] of Object.entries(names)) {
    if (listed.some((one) => one.wallet === wallet)) return notPossible(`${field}: ${wallet} is on a screening list.`)
    if ([EVERY_TOKEN, ...configs].some((config) => freezesOf({ config, wallet }).length > 0))
      return notPossible(
        `${field}: ${wallet} is frozen. Unfreeze it${wallet === newWallet ? ", or use another wallet" : " first"}.`,
      )
  }
  const other = await recoveryRefusal(sql, workspaceId, { lost: lostWallet, to: newWallet, configs })
  if (other !== null) return notPossible(other.detail)
  return unverifiedFor(sql, { workspaceId, mode }, { investorId, newWallet, configs })
}

const notPossible = (detail: string): Refusal => ({ code: "recovery_not_possible", detail })

async function ownedBy(sql: Queryable, workspaceId: string, investorId: string) {
  return async (wallet: Address): Promise<boolean> => {
    const [owner] = await sql<{ investor_id: string | null }[]>`
      select investor_id from wallet_owner(${workspaceId}, ${wallet})`
    return owner?.investor_id === investorId
  }
}

/** Whether someone was verified with a wallet or proved it. Anyone can start a session for any address. */
async function isTheirs(sql: Queryable, workspaceId: string, wallet: Address): Promise<boolean> {
  const rows = await sql`
    select from attestations where workspace_id = ${workspaceId} and wallet = ${wallet}
      and (verified_at is not null or wallet_proved_at is not null) limit 1`
  return rows.length > 0
}

/** Names the first schema of the lost wallet's tokens for which the new wallet lacks a verification, or in live mode a proof. */
async function unverifiedFor(
  sql: Queryable,
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  about: { investorId: string; newWallet: Address; configs: readonly string[] },
): Promise<Refusal | null> {
  const { investorId, newWallet, configs } = about
  const rows = await sql<{ schema: string; is_verified: boolean; is_proved: boolean }[]>`
    select s.schema, coalesce(a.id is not null, false) as is_verified, a.wallet_proved_at is not null as is_proved
    from (select distinct required_schema as schema from mint_configs
      where workspace_id = ${workspaceId} and id = any(${configs as string[]})
      union select schema_id from attestations
      where ${configs.length === 0} and workspace_id = ${workspaceId} and wallet = ${newWallet}) s
    left join lateral (select id, wallet_proved_at from attestations
      where workspace_id = ${workspaceId} and wallet = ${newWallet} and schema_id = s.schema and investor_id = ${investorId}
        and status = 'verified' and expires_at > ${clock.now()}
      order by seq desc limit 1) a on true
    order by s.schema`
  if (rows.length === 0) return notPossible(`new_wallet: ${newWallet} is not verified.`)
  const unverified = rows.find(({ is_verified }) => !is_verified)
  if (unverified) return notPossible(`new_wallet: ${newWallet} is not verified for ${unverified.schema}.`)
  const unproved = mode === "live" ? rows.find(({ is_proved }) => !is_proved) : undefined
  return unproved
    ? notPossible(
        `new_wallet: the investor has not signed with ${newWallet} for ${unproved.schema}. Verify it with a signature.`,
      )
    : null
}
