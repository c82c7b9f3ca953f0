import { type Queryable, sql } from "#db/client.ts"
import { onStandingChange, type StandingChange } from "#server/attestations/standing.ts"
import { announce, announceActivity } from "#server/bus.ts"
import { deployment } from "#server/deployment.ts"
import type { Mode } from "#server/env.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { readAccounts } from "./account-states.ts"
import { accountName, assetMintOf } from "./asset-mint.ts"
import { type ConfigRow, loadConfigs } from "./config.ts"
import { lockHoldings } from "./parties.ts"

// Bringing accounts in line: what each should be is decided when its operation is built (`align-kind.ts`), so that here
// it is enough to name every account whose state may have to change.

/** Accounts that are looked at in one commit. */
const BATCH = 100

export async function enqueueAlignment(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  wallet: string,
): Promise<void> {
  await enqueue(sql, {
    workspaceId,
    kind: "align_account",
    payload: {},
    writes: [accountName(configId, wallet)],
    reads: [assetMintOf(workspaceId, configId).toBase58()],
    mintConfig: configId,
    wallet,
  })
}

/** A wallet's accounts follow its attestation where they do not rest frozen anyway. */
export async function followStanding(
  sql: Queryable,
  { workspaceId, schemaId, wallet }: StandingChange,
): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    select c.id from mint_configs c join holdings h
      on h.workspace_id = c.workspace_id and h.mint_config = c.id and h.wallet = ${wallet}
    where c.workspace_id = ${workspaceId} and c.required_schema = ${schemaId} and c.transfer_mode = 'holder'`
  for (const { id } of rows) await enqueueAlignment(sql, workspaceId, id, wallet)
}

onStandingChange(followStanding)

type Due = { workspace_id: string; id: string; mode: Mode }

/**
 * Goes on with configurations whose accounts are being brought in line, a batch each. Where it stands is committed with
 * each batch: whoever comes next goes on from there. Returns whether anything was due.
 */
export async function alignDue(): Promise<boolean> {
  const due = await sql<Due[]>`
    select c.workspace_id, c.id, w.mode from mint_configs c join workspaces w on w.id = c.workspace_id
    where c.aligned_up_to is not null or c.counted_up_to is not null`
  for (const one of due) {
    await sql.begin(async (sql) => {
      const config = (await loadConfigs(sql, one.workspace_id, [one.id], { lock: true })).get(one.id)
      if (config && config.aligned_up_to !== null) await alignBatch(sql, one, config.aligned_up_to)
      else if (config && config.counted_up_to !== null) await countBatch(sql, one, config)
    })
    announceActivity(one.workspace_id)
  }
  if (due.length > 0) announce("ledger")
  return due.length > 0
}

async function alignBatch(sql: Queryable, { workspace_id, id }: Due, after: string): Promise<void> {
  const rows = await sql<{ wallet: string }[]>`
    select wallet from holdings where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${after}
    order by wallet limit ${BATCH}`
  for (const { wallet } of rows) await enqueueAlignment(sql, workspace_id, id, wallet)
  const upTo = rows.length < BATCH ? null : rows.at(-1)!.wallet
  await sql`update mint_configs set aligned_up_to = ${upTo} where workspace_id = ${workspace_id} and id = ${id}`
}

/**
 * Reads balances back from the chain once all accounts are frozen again and nothing is under way: from then on only
 * Vouch moves tokens, and its own books are right. Meanwhile nothing is admitted (`ruledBy`).
 */
async function countBatch(sql: Queryable, { workspace_id, id, mode }: Due, config: ConfigRow): Promise<void> {
  const chain = deployment.chains[mode]
  const [underWay] = await sql`
    select id from operations where workspace_id = ${workspace_id} and mint_config = ${id} and status in ('queued', 'submitted')
    limit 1`
  if (!chain || underWay) return
  const rows = await sql<{ wallet: string }[]>`
    select wallet from holdings where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${config.counted_up_to}
    order by wallet limit ${BATCH}`
  const places = rows.map(({ wallet }) => ({ config: id, wallet }))
  const accounts = await readAccounts({ workspaceId: workspace_id, chain }, places)
  const holdings = await lockHoldings(sql, workspace_id, places)
  for (const [place, { amount }] of accounts) {
    const holding = holdings.of(place)
    holding.balance = amount
    if (holding.counted !== amount > 0n) config.holders += amount > 0n ? 1 : -1
    holding.counted = amount > 0n
  }
  await holdings.save(sql)
  const isLast = rows.length < BATCH
  // Holders can burn what they have.
  const { value } = isLast
    ? await chain.connection.getTokenSupply(assetMintOf(workspace_id, id), "confirmed")
    : { value: null }
  const supply = value === null ? config.supply : value.amount
  await sql`
    update mint_configs set holders = ${config.holders}, supply = ${supply}, issued = ${supply},
      counted_up_to = ${isLast ? null : rows.at(-1)!.wallet}
    where workspace_id = ${workspace_id} and id = ${id}`
}

export type Alignment = { accounts: number; remaining: number }

/** How far a configuration's accounts have come, for people who watch. */
export async function readAlignment(workspaceId: string, configId: string): Promise<Alignment> {
  const [row] = await sql<{ accounts: number; remaining: number }[]>`
    select (select count(*)::int from holdings where workspace_id = ${workspaceId} and mint_config = ${configId}) as accounts,
      (select count(*)::int from operations where workspace_id = ${workspaceId} and mint_config = ${configId}
        and kind in ('align_account', 'align_pause') and status in ('queued', 'submitted'))
      + coalesce((select (select count(*)::int from holdings h where h.workspace_id = c.workspace_id and h.mint_config = c.id
          and h.wallet > coalesce(c.aligned_up_to, c.counted_up_to))
        from mint_configs c where c.workspace_id = ${workspaceId} and c.id = ${configId}
          and (c.aligned_up_to is not null or c.counted_up_to is not null)), 0) as remaining`
  return row!
}
