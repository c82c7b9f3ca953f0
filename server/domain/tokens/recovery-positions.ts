import { z } from "zod"
import { sql } from "#db/client.ts"
import { chainOf } from "#domain/deployment"
import { loadListed } from "#domain/screening"
import { amountText, idOf, named } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { Mode } from "#shared/mode.ts"
import { firstViolationAtSigning } from "#shared/rules/check.ts"
import { type RuleCode, ruleCodes } from "#shared/rules/rules.ts"
import { type OperationStatus, operationStatuses } from "#shared/statuses.ts"
import { readAllAccountsNow } from "./account-states.ts"
import { type ConfigRow, isBeingReconciled, loadConfigs } from "./config.ts"
import { loadStandings, NOTHING, readHoldings } from "./holder-facts.ts"
import { readHeld } from "./holds/available.ts"
import { configsHeldBy } from "./recover-position.ts"
import { transferContext } from "./transfer-context.ts"

export const positionRecord = z
  .object({
    mint_config: named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" }),
    amount: amountText.meta({
      description: "Whole tokens that have moved or are still to move, including held ones",
      example: "250.5",
    }),
    held: amountText.meta({ description: "The part of it that holds bind. The holds move, too", example: "0" }),
    operation_id: idOf("op").nullable().meta({ description: "The newest operation that moves it; null before" }),
    status: z.enum(["pending", ...operationStatuses]).meta({
      description: "`pending`: its operation has not begun. `confirmed`: nothing is left in the lost wallet",
      example: "confirmed",
    }),
    blocked_by: z.enum(ruleCodes).nullable().meta({
      description: "While it is pending: the error code of what keeps it from moving now; null if nothing does",
      example: null,
    }),
  })
  .meta({ id: "RecoveryPosition" })
export type PositionRecord = z.infer<typeof positionRecord>

type Moved = {
  id: string
  kind: string
  status: OperationStatus
  mint_config: string
  amount: string
  held: string
}

/** A recovery, or one that is only considered, which has no id. `newWallet` is null until one is chosen. */
type About = {
  recoveryId: string | null
  lost: Address
  newWallet: Address | null
  /** `ended`: nothing is read but what has moved. `stopped`: it has failed, and what is left stays. */
  phase: "open" | "stopped" | "ended"
}

/**
 * The positions of a lost wallet: what has moved, what is left, and what keeps it from moving. In holder mode only the
 * chain knows what is left. If it does not answer, the books are shown.
 */
export async function readPositions(
  { workspaceId, mode }: { workspaceId: string; mode: Mode },
  { recoveryId, lost, newWallet, phase }: About,
): Promise<PositionRecord[]> {
  const moved = recoveryId === null ? [] : await readMoved(workspaceId, lost, recoveryId)
  const held = phase !== "ended" ? await configsHeldBy(sql, workspaceId, lost) : []
  const ids = [...new Set([...held, ...moved.map(({ mint_config }) => mint_config)])].sort()
  const configs = await loadConfigs(sql, workspaceId, ids, { lock: false })
  const all = phase === "ended" ? [] : [...configs.values()]
  const leftOf = await readLeft({ workspaceId, mode }, all, lost)
  const blockedBy = await readBlocks(workspaceId, phase === "open" ? all : [], { lost, newWallet })
  return ids.flatMap((id): PositionRecord[] => {
    const config = configs.get(id)!
    const own = moved.filter(({ mint_config }) => mint_config === id)
    const landed = own.filter(({ status }) => status === "confirmed")
    const last = own.findLast(({ kind }) => kind === "force_transfer") ?? own.at(-1)
    const left = phase === "ended" ? { amount: 0n, held: 0n } : leftOf(id)
    const sum = (rows: Moved[], of: (row: Moved) => string) => rows.reduce((all, row) => all + BigInt(of(row)), 0n)
    const amount = left.amount + sum(landed, (row) => row.amount)
    if (amount === 0n && own.length === 0) return []
    const isUnderWay = own.find(({ status }) => status === "queued" || status === "submitted")
    const resting = left.amount > 0n ? (phase === "stopped" ? "failed" : "pending") : "confirmed"
    const status = isUnderWay?.status ?? resting
    return [
      {
        mint_config: id,
        amount: fromBaseUnits(amount, config.decimals),
        held: fromBaseUnits(left.held + sum(landed, (row) => row.held), config.decimals),
        operation_id: last?.id ?? null,
        status,
        blocked_by: status === "pending" && phase === "open" ? blockedBy(config) : null,
      },
    ]
  })
}

async function readMoved(workspaceId: string, lost: Address, recoveryId: string): Promise<Moved[]> {
  const rows = await sql<Moved[]>`
    select o.id, o.kind, o.status, o.mint_config, o.payload ->> 'amount' as amount,
      case o.kind when 'move_hold' then o.payload ->> 'amount' else coalesce((select sum((h ->> 'amount')::numeric)::text
        from jsonb_array_elements(o.payload -> 'holds') h), '0') end as held
    from operations o
    where o.workspace_id = ${workspaceId} and o.from_wallet = ${lost} and o.payload ->> 'recovery_id' = ${recoveryId}
    order by o.seq`
  return [...rows]
}

type Left = { amount: bigint; held: bigint }

/** What is left in a wallet now. What an operation is taking is still there. */
async function readLeft(
  { workspaceId, mode }: { workspaceId: string; mode: Mode },
  configs: readonly ConfigRow[],
  wallet: Address,
): Promise<(config: string) => Left> {
  const keys = configs.map(({ id }) => ({ config: id, wallet }))
  if (keys.length === 0) return () => ({ amount: 0n, held: 0n })
  const holdingOf = await readHoldings(sql, workspaceId, keys)
  const heldOf = await readHeld(sql, workspaceId, keys)
  const onChain = keys.filter(({ config }) => configs.find(({ id }) => id === config)!.transfer_mode === "holder")
  const seen =
    onChain.length === 0
      ? null
      : await readAllAccountsNow(sql, { workspaceId, rpc: chainOf(mode).rpc.patient }, onChain).catch(() => null)
  return (config) => {
    const account = seen?.accountOf({ config, wallet })
    if (account) return { amount: account.amount + account.held, held: account.held }
    const { balance } = holdingOf({ config, wallet })
    return { amount: balance > 0n ? balance : 0n, held: heldOf({ config, wallet }) }
  }
}

/** The first rule that keeps each position from moving to the new wallet now. */
async function readBlocks(
  workspaceId: string,
  configs: readonly ConfigRow[],
  { lost, newWallet }: { lost: Address; newWallet: Address | null },
): Promise<(config: ConfigRow) => RuleCode | null> {
  if (newWallet === null || configs.length === 0) return () => null
  const now = clock.now()
  const wallets = configs.flatMap(({ required_schema: schemaId }) =>
    [lost, newWallet].map((wallet) => ({ schemaId, wallet })),
  )
  const standings = await loadStandings(sql, workspaceId, wallets, now)
  const isListed = await loadListed(sql, workspaceId, [lost, newWallet])
  return (config) => {
    if (isBeingReconciled(config)) return "mint_paused"
    const movement = { kind: "force_transfer", from: lost, to: newWallet } as const
    const request = { config, amount: 0n, now, isRecovery: true }
    return firstViolationAtSigning(transferContext(request, movement, standings, () => NOTHING, isListed))?.code ?? null
  }
}
