import type { Queryable } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { deployment } from "#domain/deployment"
import { assetMintOf } from "#domain/token-accounts"
import type { Plan } from "#server/ledger/index.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { HoldingKey } from "./holder-facts.ts"

const accountOf = (workspaceId: string, config: string, wallet: Address): Address =>
  addressOf(tokenAccountOf(assetMintOf(workspaceId, config), publicKeyOf(wallet)))

/** An operation that gives to an account that is missing. */
type Receiving = HoldingKey & { id: string }

type Row = {
  id: string
  /** How often the account was paid for this month, not counting its very first time. */
  reopened: number
  /** Whether something that landed on the account is not counted yet, and may have opened it. */
  is_uncounted: boolean
  /** Earlier operations that give to the same wallet. */
  behind: number
  /** Whether nothing has landed on the account yet. */
  is_fresh: boolean
}

/** How many of the last operations on an account to read, because only one at a time opens it again. */
const RECENT = 32

/**
 * What must happen before missing accounts are opened; null if Vouch may pay once more. If something has landed on one
 * before, its holder closed it and keeps the rent. No number of requests exceeds the limit: only the first operation
 * that waits for such an account may open it, and the next one not before that cost is counted. An account on which
 * nothing has landed has no more unfinished operations than may pay for it.
 */
export async function loadReopenings(
  sql: Queryable,
  workspaceId: string,
  absent: readonly Receiving[],
): Promise<(id: string) => Plan | null> {
  if (absent.length === 0) return () => null
  const accounts = absent.map(({ config, wallet }) => accountOf(workspaceId, config, wallet))
  const rows = await sql<Row[]>`
    select a.id,
      ${reopenedThisMonth(sql, workspaceId)} as reopened,
      exists (select from (
          select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.wallet = a.wallet and o.mint_config = a.mint_config
            and o.status = 'confirmed' order by o.seq desc limit ${RECENT}) o
        join transactions t on t.signature = o.signature
        where t.counted_at is null and t.fee is not null and t.rent > 0) as is_uncounted,
      (select count(*)::int from operations o join operations mine on mine.workspace_id = o.workspace_id and mine.id = a.id
        where o.workspace_id = ${workspaceId} and o.wallet = a.wallet and o.mint_config = a.mint_config
          and o.status in ('queued', 'submitted') and ${isMovement(sql`o.`)} and o.seq < mine.seq) as behind,
      not exists (select from operations o
        where o.workspace_id = ${workspaceId} and o.wallet = a.wallet and o.mint_config = a.mint_config
          and o.status = 'confirmed') as is_fresh
    from unnest(${absent.map(({ id }) => id)}::text[], ${accounts}::text[],
        ${absent.map(({ wallet }) => wallet)}::text[], ${absent.map(({ config }) => config)}::text[])
      as a(id, account, wallet, mint_config)`
  const limit = deployment.settings.VOUCH_ACCOUNT_REOPENINGS
  const known = new Map(rows.map((row) => [row.id, row]))
  const receiving = new Map(absent.map((one) => [one.id, one]))
  return (id) => {
    const row = known.get(id)
    if (!row) return null
    if (row.is_fresh) return row.behind > limit ? { do: "defer" } : null
    if (row.is_uncounted || row.behind > 0) return { do: "defer" }
    return planAfter(row, receiving.get(id)!)
  }
}

/**
 * The same for hold accounts, which their owners can close when they are empty. One operation of a wallet runs at a
 * time, so no other can be about to open the account.
 */
export async function loadHoldReopenings(
  sql: Queryable,
  workspaceId: string,
  absent: readonly (HoldingKey & { id: string; account: Address })[],
): Promise<(id: string) => Plan | null> {
  if (absent.length === 0) return () => null
  const rows = await sql<{ id: string; reopened: number; is_uncounted: boolean }[]>`
    select a.id, ${reopenedThisMonth(sql, workspaceId)} as reopened,
      exists (select from (
          select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.from_wallet = a.wallet and o.mint_config = a.mint_config
            and o.kind = 'hold' and o.status = 'confirmed' order by o.seq desc limit ${RECENT}) o
        join transactions t on t.signature = o.signature
        where t.counted_at is null and t.fee is not null and t.rent > 0) as is_uncounted
    from unnest(${absent.map(({ id }) => id)}::text[], ${absent.map(({ account }) => account)}::text[],
        ${absent.map(({ wallet }) => wallet)}::text[], ${absent.map(({ config }) => config)}::text[])
      as a(id, account, wallet, mint_config)`
  const known = new Map(rows.map((row) => [row.id, row]))
  const receiving = new Map(absent.map((one) => [one.id, one]))
  return (id) => {
    const row = known.get(id)
    if (!row) return null
    if (row.is_uncounted) return { do: "defer" }
    return planAfter(row, receiving.get(id)!)
  }
}

/** How often the account `a.account` was paid for this month, not counting its very first time. */
const reopenedThisMonth = (sql: Queryable, workspaceId: string) => sql`
  coalesce((select case when p.period = ${periodOf(clock.now())} then p.reopened else 0 end from paid_accounts p
    where p.workspace_id = ${workspaceId} and p.account = a.account), 0)`

function planAfter({ reopened }: { reopened: number }, { wallet, config }: HoldingKey): Plan | null {
  if (reopened < deployment.settings.VOUCH_ACCOUNT_REOPENINGS) return null
  return {
    do: "fail",
    refusal: { code: "account_reopening_limit", detail: reopenedTooOften(wallet, config) },
  }
}

/** How often wallets' accounts of configurations were paid for again this month, in the order of the keys. */
export async function readReopenings(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<number[]> {
  const accounts = keys.map(({ config, wallet }) => accountOf(workspaceId, config, wallet))
  const rows = await sql<{ account: string; reopened: number }[]>`
    select account, reopened from paid_accounts
    where workspace_id = ${workspaceId} and account = any(${accounts}) and period = ${periodOf(clock.now())}`
  const known = new Map(rows.map(({ account, reopened }) => [account, reopened]))
  return accounts.map((account) => known.get(account) ?? 0)
}

export const reopenedTooOften = (wallet: Address, of: string): string =>
  `${wallet} closed its account of ${of}, which was already paid for again ${deployment.settings.VOUCH_ACCOUNT_REOPENINGS} times this month. Ask the holder to keep it open, and repeat the request next month (UTC).`
