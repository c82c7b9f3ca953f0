import { type Queryable, background as sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { vouch } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { enqueueReconcile } from "#domain/token-accounts"
import { askQuorum, type Refusal, refuseInQuarantine } from "#server/ledger/index.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { Mode } from "#shared/mode.ts"
import { type AssetAccount, lastLandingOnAccounts, readAccounts } from "./account-states.ts"
import { type ConfigRow, isBeingReconciled, loadConfigs } from "./config.ts"
import { lockHoldings } from "./holder-facts.ts"
import { bindHolds } from "./holds/bound-holds.ts"
import { holdAccountsOf } from "./holds/hold-accounts.ts"
import { enqueueMoveHold } from "./holds/move.ts"
import type { ForcedBy } from "./operations/forced.ts"
import { recoveryRefusal } from "./recovery-checks.ts"
import { Reservations } from "./reservations.ts"

/** Where a lost wallet's tokens go. */
export type Recovering = {
  workspaceId: string
  mode: Mode
  recoveryId: string
  lost: Address
  to: Address
  grounds: Omit<ForcedBy, "holder_consent">
  /** Whether only to look if anything is left. */
  isStopped: boolean
  now: Date
}

/** What became of a position: nothing is left, an operation has begun, or it waits, perhaps because of a refusal. */
export type Progress = { do: "done" } | { do: "begun"; operationId: string } | { do: "wait"; refusal?: Refusal }

const WAIT: Progress = { do: "wait" }
const DONE: Progress = { do: "done" }

/** The configurations of which a wallet may hold tokens. */
export async function configsHeldBy(sql: Queryable, workspaceId: string, wallet: Address): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select h.mint_config as id from holdings h join mint_configs c on c.workspace_id = h.workspace_id and c.id = h.mint_config
    where h.workspace_id = ${workspaceId} and h.wallet = ${wallet} and c.mint is not null order by h.mint_config`
  return rows.map(({ id }) => id)
}

/**
 * What a wallet's accounts hold on chain once its freeze is final: frozen, and by the answers of two nodes if there are
 * two. Null while that cannot be known.
 */
async function readFrozen(
  { workspaceId, mode, lost }: Recovering,
  config: string,
): Promise<{ account: AssetAccount; slot: number } | null> {
  const key = { config, wallet: lost }
  const since = await lastLandingOnAccounts(sql, workspaceId, [key])
  const holds = await holdAccountsOf(sql, workspaceId, [key])
  const options = { since, commitment: "finalized" } as const
  const answers = await askQuorum(chainOf(mode).rpc.settling, (rpc) =>
    readAccounts({ workspaceId, rpc }, [key], options, holds),
  ).catch((error) => {
    if (isOfTheNodes(error)) return null
    throw error
  })
  if (answers === null) return null
  const [first, ...others] = answers.map(({ accounts }) => accounts[0]!)
  if (others.some((one) => JSON.stringify(shown(one)) !== JSON.stringify(shown(first!)))) return null
  return { account: first!, slot: since }
}

const shown = ({ state, amount, held, isHoldOpen }: AssetAccount) => [state, String(amount), String(held), isHoldOpen]

/**
 * Moves what is left of one of a lost wallet's positions, whole. Nothing is begun while anything that was begun before can
 * still change it. `begin` runs the act in a transaction; the caller publishes `ledger` after it. Errors: chain_unavailable
 * in quarantine.
 */
export async function recoverPosition(
  begin: (act: (sql: Queryable) => Promise<Progress>) => Promise<Progress>,
  recovering: Recovering,
  configId: string,
): Promise<Progress> {
  const { workspaceId, lost } = recovering
  const read = async (sql: Queryable, lock: boolean) =>
    (await loadConfigs(sql, workspaceId, [configId], { lock })).get(configId)!
  const before = await read(sql, false)
  const isHolder = before.transfer_mode === "holder"
  if (isBeingReconciled(before) || (await isBusy(sql, recovering, configId))) return WAIT
  const seen = isHolder ? await readFrozen(recovering, configId) : null
  if (isHolder && seen === null) return WAIT
  return begin(async (sql) => {
    const config = await read(sql, true)
    // What a restored database lacks may have moved it.
    await refuseInQuarantine(sql, workspaceId)
    const key = { config: configId, wallet: lost }
    const isSame = config.transfer_mode === before.transfer_mode && !isBeingReconciled(config)
    if (!isSame || (await isBusy(sql, recovering, configId))) return WAIT
    if (seen === null) return moveAll(sql, recovering, config)
    if ((await lastLandingOnAccounts(sql, workspaceId, [key])) > seen.slot) return WAIT
    if (seen.account.state === "thawed") {
      await enqueueReconcile(sql, workspaceId, configId, lost)
      return WAIT
    }
    const { amount } = seen.account
    const moved = amount > 0n ? await move(sql, recovering, { config, amount, holds: [] }) : DONE
    return moved.do === "wait" ? moved : moveHolds(sql, recovering, configId, moved)
  })
}

/** Whether an operation on the position has begun and not ended. */
async function isBusy(sql: Queryable, { workspaceId, lost }: Recovering, config: string): Promise<boolean> {
  const rows = await sql<{ busy: boolean }[]>`
    select exists (select from operations o where o.workspace_id = ${workspaceId} and o.mint_config = ${config}
      and o.status in ('queued', 'submitted') and (o.wallet = ${lost} or o.from_wallet = ${lost})) as busy`
  return only(rows).busy
}

/** In holder mode, each hold moves by its own operation, after the main account. */
async function moveHolds(
  sql: Queryable,
  { workspaceId, recoveryId, lost, to, isStopped }: Recovering,
  config: string,
  moved: Progress,
): Promise<Progress> {
  const rows = await sql<{ id: string }[]>`
    select id from holds where workspace_id = ${workspaceId} and mint_config = ${config} and wallet = ${lost}
      and state in ('pending', 'active') order by seq`
  const refusal = rows.length > 0 ? await recoveryRefusal(sql, workspaceId, { lost, to, configs: [config] }) : null
  if (refusal) return { do: "wait", refusal }
  if (isStopped && rows.length > 0) return WAIT
  let progress = moved
  for (const { id } of rows) {
    const operationId = await enqueueMoveHold(sql, workspaceId, { holdId: id, to, recoveryId })
    if (operationId !== null) progress = { do: "begun", operationId }
    else if (progress.do === "done") progress = WAIT
  }
  return progress
}

/** In agent mode, the books have the balance, and the holds are only there. */
async function moveAll(sql: Queryable, recovering: Recovering, config: ConfigRow): Promise<Progress> {
  const { workspaceId, lost, to, now } = recovering
  const key = { config: config.id, wallet: lost }
  const holdings = await lockHoldings(sql, workspaceId, [key, { ...key, wallet: to }])
  const holding = holdings.of(key)
  if (holding.incoming > 0n || holding.outgoing > 0n) return WAIT
  if (holding.balance <= 0n) return DONE
  const holds = await bindHolds(sql, workspaceId, { keys: [key], holdingOf: () => holding, now })
  const ids = holds.of(key).map(({ id }) => id)
  return move(sql, recovering, { config, amount: holding.balance, holds: ids })
}

async function move(
  sql: Queryable,
  { workspaceId, recoveryId, lost, to, grounds, isStopped }: Recovering,
  about: { config: ConfigRow; amount: bigint; holds: string[] },
): Promise<Progress> {
  const { config, amount, holds } = about
  const refusal = await recoveryRefusal(sql, workspaceId, { lost, to, configs: [config.id] })
  if (refusal) return { do: "wait", refusal }
  if (isStopped) return WAIT
  const [outcome] = await new Reservations(sql, workspaceId, [
    {
      config: config.id,
      movement: { kind: "force_transfer", from: lost, to },
      forced: { ...grounds, holder_consent: false },
      holds,
      recovery: recoveryId,
      amount: fromBaseUnits(amount, config.decimals),
      idempotency: null,
      author: vouch,
      disclosure: { claims: false, attestations: false },
    },
  ]).make()
  if ("operationId" in outcome!) return { do: "begun", operationId: outcome.operationId }
  return "refusal" in outcome! ? { do: "wait", refusal: outcome.refusal } : WAIT
}
