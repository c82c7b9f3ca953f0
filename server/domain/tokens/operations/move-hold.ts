import { z } from "zod"
import { background, type Queryable } from "#db/client.ts"
import { loadListed } from "#domain/screening"
import { defineOperation, type Lookup, type Operation, type Plan, type Refusal, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { holdPlace, moveHeldAsset } from "#server/solana/asset-hold.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import { firstViolationAtSigning } from "#shared/rules/check.ts"
import { holdingKeysOf, lastLandingOnAccounts, stillHolds } from "../account-states.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import { type ConfigRow, extensionsOf, loadConfigs } from "../config.ts"
import { type HoldingKey, loadStandings, NOTHING } from "../holder-facts.ts"
import { type HoldAccount, readHoldAccounts } from "../holds/hold-accounts.ts"
import { restoreHolds, takeMovedHold } from "../holds/taken-holds.ts"
import { assetOf, configIdsOf } from "../plan-by-config.ts"
import { loadRecoveryRefusals } from "../recovery-checks.ts"
import { transferContext } from "../transfer-context.ts"
import { takenHolds } from "./forced.ts"
import { holdEffects, holdIn, refusalOfPaused } from "./held-account.ts"
import { type Change, leaveIfEmpty, withCounters } from "./movement.ts"

const payload = z.object({
  mint_config: z.string(),
  from_wallet: storedAddress,
  wallet: storedAddress,
  amount: storedAmount,
  hold_id: z.string(),
  /** All that the hold holds. Nothing else takes from it in the meantime. */
  holds: takenHolds.holds.unwrap(),
  /** A restored database may have lost it. */
  recovery_id: z.string().optional(),
})
type Move = Operation<z.output<typeof payload>>

/** The hold accounts of both wallets, as they were on chain in a slot or later. */
type SeenHoldAccounts = { slot: number; holdOf: (key: HoldingKey) => HoldAccount }

const memoOf = ({ id, payload }: Move) => operationMemo(id, `recover:${payload.hold_id}`)

/**
 * Moves a hold to another wallet of its investor, in holder mode: from the hold account of the lost wallet into that of
 * the new one. The hold stays active, for the same reason and until the same time.
 */
export const moveHold = defineOperation({
  kind: "move_hold",
  label: "Move a hold",
  isUrgent: false,
  payload,
  lookUp: chooseAccounts,

  async plan(sql, operations, issuer, seen: SeenHoldAccounts | null) {
    const { workspaceId, rentOf } = issuer
    const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
    const current = await stillHolds(sql, workspaceId, operations.flatMap(holdingKeysOf), seen)
    const refusalOf = await loadRecoveryRefusals(sql, workspaceId, operations)
    const violationOf = await loadViolations(sql, workspaceId, operations, configs)
    const plan = (operation: Move): Plan => {
      const { payload, redo } = operation
      const { amount, wallet } = payload
      const config = configs.get(payload.mint_config)!
      const refusal = redo ? null : (refusalOf(operation) ?? refusalOfMode(config) ?? violationOf(operation))
      if (refusal) return { do: "fail", refusal }
      if (current === null) return { do: "look up" }
      const [from, to] = accountsOf(operation, current)
      // The account has what is moved, so this node is behind.
      if (from.amount === null || from.amount < amount) return { do: "defer" }
      const asset = assetOf(issuer, config)
      const place = holdPlace(asset.authority, asset.mint, publicKeyOf(wallet))
      const isMissing = to.amount === null
      // The mint has another authority since the account was chosen.
      if (isMissing && addressOf(place.account) !== to.account) return { do: "look up" }
      const isPausable = extensionsOf(config).includes("pausable")
      const create = isMissing ? { wallet: publicKeyOf(wallet), place, isPausable, rentOf } : null
      const between = { from: publicKeyOf(from.account), to: publicKeyOf(to.account) }
      return send(moveHeldAsset(asset, { ...between, amount, memoText: memoOf(operation), create }))
    }
    return new Map(operations.map((operation) => [operation.id, plan(operation)]))
  },

  async settle(sql, settled, workspaceId) {
    const change: Change<z.output<typeof payload>> = ({ wallet, from_wallet, amount }, config, holdingOf) => {
      const [from, to] = [holdingOf(from_wallet), holdingOf(wallet)]
      // The lost wallet has not counted it as held since it was taken.
      from.balance -= amount
      to.balance += amount
      to.held += amount
      if (!to.hasSlot) config.holders += 1
      to.hasSlot = true
      leaveIfEmpty(from, config)
    }
    const moves = settled.map(
      ({ id, payload: { mint_config: config, from_wallet: from, wallet: to, amount: units } }) => ({
        ...{ config, operationId: id, from, to, units, keepsLots: true as const },
      }),
    )
    await withCounters(sql, workspaceId, settled, change, undefined, moves)
    await sql`
      update holds h set wallet = t.wallet, account = h.next_account, next_account = null,
        remaining = h.remaining + t.amount, taking = h.taking - t.amount
      from unnest(${idsOf(settled)}::text[], ${settled.map(({ payload }) => payload.wallet)}::text[],
        ${settled.map(({ payload }) => String(payload.amount))}::numeric[]) as t(id, wallet, amount)
      where h.workspace_id = ${workspaceId} and h.id = t.id`
  },

  settleAgain: null,

  async release(sql, operations, workspaceId) {
    await withCounters(sql, workspaceId, operations, () => {})
    await sql`
      update holds set next_account = null where workspace_id = ${workspaceId} and id = any(${idsOf(operations)})`
    await restoreHolds(sql, workspaceId, operations)
  },

  memoId: ({ id }) => id,
  effects: (operations, at) => holdEffects(operations, at, ({ payload }) => -payload.amount),

  async rebuild(sql, carried, { workspaceId, ownerOf }) {
    const { id, memo, instruction, accounts, amount, more } = carried
    const [source, mint, target] = accounts
    const hold_id = holdIn(memo, id, "recover")
    if (hold_id === null || instruction !== "TransferChecked" || amount === null || more.length > 0) return null
    const [from_wallet, wallet] = [ownerOf(source!), ownerOf(target!)]
    const config = from_wallet && wallet ? await configOfMint(sql, workspaceId, mint!) : null
    if (from_wallet === null || wallet === null || config === null) return null
    const from = { config, wallet: from_wallet }
    const about = { holdId: hold_id, operationId: id, amount, accounts: { from: source!, to: target! } }
    const holds = await takeMovedHold(sql, workspaceId, from, about)
    if (holds === null) return null
    const recovery_id = await recoveryOf(sql, workspaceId, { lost: from_wallet, to: wallet })
    return { mint_config: config, from_wallet, wallet, amount, hold_id, holds, ...(recovery_id && { recovery_id }) }
  },

  /** The database goes back to before the account was chosen. */
  async attach(sql, { payload: { hold_id }, workspaceId }, { carried: { accounts } }) {
    await sql`
      update holds set next_account = ${accounts[2]!} where workspace_id = ${workspaceId} and id = ${hold_id}`
  },

  recover(error, _operation, instruction) {
    // The first instruction pays for a missing account and otherwise moves nothing.
    if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
    return { do: "retry" }
  },
})

const idsOf = (operations: readonly { payload: { hold_id: string } }[]) =>
  operations.map(({ payload }) => payload.hold_id)

const accountsOf = (operation: Move, { holdOf }: SeenHoldAccounts): [HoldAccount, HoldAccount] => {
  const { mint_config: config, from_wallet, wallet } = operation.payload
  return [holdOf({ config, wallet: from_wallet }), holdOf({ config, wallet })]
}

/** The rules that keep a wallet from getting another one's tokens by a recovery. */
async function loadViolations(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Move[],
  configs: ReadonlyMap<string, ConfigRow>,
): Promise<(operation: Move) => Refusal | null> {
  const now = clock.now()
  const wallets = operations.flatMap(({ payload: { mint_config, from_wallet, wallet } }) =>
    [from_wallet, wallet].map((one) => ({ schemaId: configs.get(mint_config)!.required_schema, wallet: one })),
  )
  const standings = await loadStandings(sql, workspaceId, wallets, now)
  const isListed = await loadListed(
    sql,
    workspaceId,
    wallets.map(({ wallet }) => wallet),
  )
  return ({ payload: { mint_config, from_wallet: from, wallet: to, amount } }) => {
    const request = { config: configs.get(mint_config)!, amount, now, isRecovery: true }
    const movement = { kind: "force_transfer", from, to } as const
    return firstViolationAtSigning(transferContext(request, movement, standings, () => NOTHING, isListed))
  }
}

/** The recovery that moved a hold, which its memo does not name. Null if a restored database has lost it. */
async function recoveryOf(
  sql: Queryable,
  workspaceId: string,
  { lost, to }: { lost: Address; to: Address },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from recoveries where workspace_id = ${workspaceId} and lost_wallet = ${lost} and new_wallet = ${to}
    order by seq desc limit 1`
  return row?.id ?? null
}

/** Holds are in hold accounts in holder mode only, and a paused mint moves none. */
const refusalOfMode = (config: ConfigRow) =>
  config.transfer_mode === "holder"
    ? refusalOfPaused(config)
    : { code: "mint_paused", detail: "The token's mode is changing. Wait until that is done." }

/** Records the account that each hold moves into. Its operation is still queued, so the account stays what was signed. */
async function chooseAccounts(operations: Move[], { workspaceId, chain }: Lookup): Promise<SeenHoldAccounts> {
  const keys = operations.flatMap(holdingKeysOf)
  const slot = await lastLandingOnAccounts(background, workspaceId, keys)
  const seen = { slot, holdOf: await readHoldAccounts({ workspaceId, rpc: chain.rpc }, keys, { since: slot }) }
  await background`
    with waiting as (
      select o.payload ->> 'hold_id' as hold_id, t.account from operations o
      join unnest(${operations.map(({ id }) => id)}::text[],
        ${operations.map((one) => accountsOf(one, seen)[1].account)}::text[]) as t(id, account) on t.id = o.id
      where o.workspace_id = ${workspaceId} and o.status = 'queued' and not o.redo for update of o
    )
    update holds h set next_account = w.account from waiting w
    where h.workspace_id = ${workspaceId} and h.id = w.hold_id`
  return seen
}
