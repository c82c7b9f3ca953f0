import { z } from "zod"
import { type Queryable, background as sql } from "#db/client.ts"
import { type Carried, defineOperation, type Lookup, type Operation, type Plan, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { holdAsset, holdPlace, releaseAsset } from "#server/solana/asset-hold.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import type { BaseUnits } from "#shared/amount.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import { type ConfigRow, extensionsOf } from "../config.ts"
import { repairMode } from "../holds/repair-mode.ts"
import { correctHold } from "../holds/taken-holds.ts"
import { holdEffects, holdIn, keyOf, lookUpHolds, planHolds, refusalOfPaused, type SeenHolds } from "./held-account.ts"
import { withCounters } from "./movement.ts"

const payload = z.object({
  mint_config: z.string(),
  wallet: storedAddress,
  amount: storedAmount,
  hold_id: z.string(),
  /** Into the hold account for holder mode, or back into the main account for agent mode. */
  to: z.enum(["account", "main"]),
})
type Carry = Operation<z.output<typeof payload>>

const memoOf = ({ id, payload }: Carry) => operationMemo(id, `carry:${payload.hold_id}`)

/**
 * Carries a hold between its wallet's two accounts after a change of mode. Both are frozen before and after. The hold
 * itself does not change.
 */
export const carryHold = defineOperation({
  kind: "carry_hold",
  label: "Carry a hold",
  isUrgent: false,
  payload,
  lookUp: chooseAccounts,

  plan: (sql, operations, issuer, seen: SeenHolds | null) =>
    planHolds(sql, operations, {
      issuer,
      seen,
      decide: (operation, config) => decide(operation as Carry, config),
      build(operation, { config, asset, hold, before, after }) {
        const { payload } = operation as Carry
        const wallet = publicKeyOf(payload.wallet)
        const about = { wallet, hold: publicKeyOf(hold.account), amount: payload.amount, after }
        const memoText = memoOf(operation as Carry)
        if (payload.to === "main") return send(releaseAsset(asset, { ...about, before, memoText }))
        // The account has what is carried, so this node is behind.
        if (before === "absent") return { do: "defer" }
        const place = holdPlace(asset.authority, asset.mint, wallet)
        const isMissing = hold.amount === null
        // The mint has another authority since the account was chosen.
        if (isMissing && addressOf(place.account) !== hold.account) return { do: "look up" }
        const isPausable = extensionsOf(config).includes("pausable")
        const create = isMissing ? { place, isPausable, rentOf: issuer.rentOf } : null
        return send(holdAsset(asset, { ...about, before, memoText, create }))
      },
    }),

  async settle(sql, settled, workspaceId) {
    // Holds change under the locks of their holdings.
    await withCounters(sql, workspaceId, settled, () => {})
    const carried = (to: "account" | "main") =>
      settled.flatMap(({ payload, landing }) => (landing !== null && payload.to === to ? [payload.hold_id] : []))
    await sql`
      update holds set account = case when id = any(${carried("account")}) then next_account
        when id = any(${carried("main")}) then null else account end, next_account = null
      where workspace_id = ${workspaceId} and id = any(${idsOf(settled)})`
  },

  settleAgain: null,

  async release(sql, operations, workspaceId) {
    await withCounters(sql, workspaceId, operations, () => {})
    await sql`
      update holds set next_account = null where workspace_id = ${workspaceId} and id = any(${idsOf(operations)})`
  },

  memoId: ({ id }) => id,
  effects: (operations, at) =>
    holdEffects(operations, at, (operation) => {
      const { amount, to } = (operation as Carry).payload
      return to === "account" ? amount : -amount
    }),

  async rebuild(sql, carried, { workspaceId, landedAt, ownerOf }) {
    const { id, memo, instruction, accounts, amount, more } = carried
    const [source, mint, target] = accounts
    const hold_id = holdIn(memo, id, "carry")
    if (hold_id === null || instruction !== "TransferChecked" || amount === null || more.length > 0) return null
    const wallet = ownerOf(source!) ?? ownerOf(target!)
    const config = wallet === null ? null : await configOfMint(sql, workspaceId, mint!)
    if (wallet === null || config === null) return null
    return bookCarry(sql, workspaceId, { hold_id, wallet, config, amount, carried, landedAt })
  },

  async attach(sql, { payload: { hold_id, to }, workspaceId }, { carried: { accounts } }) {
    if (to === "account")
      await sql`
        update holds set next_account = ${accounts[2]!}
        where workspace_id = ${workspaceId} and id = ${hold_id} and next_account is not null`
  },

  recover(error, _operation, instruction) {
    // The first instruction pays for a missing account and otherwise moves nothing.
    if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
    return { do: "retry" }
  },
})

const idsOf = (operations: readonly { payload: { hold_id: string } }[]) =>
  operations.map(({ payload }) => payload.hold_id)

/** Null if the hold is still to be carried. The mode may have been changed back. */
function decide({ payload, redo }: Carry, config: ConfigRow): Plan | null {
  if (redo) return null
  const { transfer_mode, next_transfer_mode, counted_up_to } = config
  const isBack = transfer_mode === "agent" && next_transfer_mode === null && counted_up_to !== null
  if (payload.to === "main" ? !isBack : next_transfer_mode === null) return { do: "finish" }
  // The books are being counted because of this change.
  const refusal = refusalOfPaused({ ...config, counted_up_to: null })
  return refusal && { do: "fail", refusal }
}

/** Records the account that each hold goes into. Its operation is still queued, so the account stays what was signed. */
async function chooseAccounts(operations: Carry[], at: Lookup): Promise<SeenHolds> {
  const seen = await lookUpHolds(operations, at)
  const into = operations.filter(({ payload }) => payload.to === "account")
  await sql`
    with waiting as (
      select o.payload ->> 'hold_id' as hold_id, t.account from operations o
      join unnest(${into.map(({ id }) => id)}::text[],
        ${into.map((one) => seen.holdOf(keyOf(one)).account)}::text[]) as t(id, account) on t.id = o.id
      where o.workspace_id = ${at.workspaceId} and o.status = 'queued' for update of o
    )
    update holds h set next_account = w.account from waiting w
    where h.workspace_id = ${at.workspaceId} and h.id = w.hold_id and h.next_account is not null`
  return seen
}

/** Books a transaction that carried a hold, and the hold itself if it is lost, too. */
async function bookCarry(
  sql: Queryable,
  workspaceId: string,
  about: {
    hold_id: string
    wallet: Address
    config: string
    amount: BaseUnits
    carried: Carried
    landedAt: Date | null
  },
): Promise<z.output<typeof payload> | null> {
  const { hold_id, wallet, config, amount, carried, landedAt } = about
  const [source, mint, target] = carried.accounts as [Address, Address, Address]
  const isInto = source === addressOf(tokenAccountOf(publicKeyOf(mint), publicKeyOf(wallet)))
  if (isInto) {
    // What agent mode holds is not on chain before it is carried. The chain does not say why it is held, or until when.
    const lost = { reason_code: "other", reference: "Restored from the chain" }
    // It had not expired when it was carried. Marked as being carried, so it does not end in the books alone.
    await sql`
      insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, state, reason_code, reference,
        next_account, created_at)
      values (${workspaceId}, ${hold_id}, ${config}, ${wallet}, ${String(amount)}, 0, 'active', ${lost.reason_code},
        ${lost.reference}, ${target}, ${clock.now()})
      on conflict (workspace_id, id) do update set next_account = excluded.next_account, state = 'active', ended_at = null,
        remaining = case holds.state when 'active' then holds.remaining else 0 end
        where holds.mint_config = excluded.mint_config and holds.wallet = excluded.wallet and holds.account is null
          and holds.state in ('active', 'expired')`
  }
  const rows = await sql`
    select from holds where workspace_id = ${workspaceId} and id = ${hold_id} and mint_config = ${config}
      and wallet = ${wallet} and ${isInto ? sql`next_account = ${target}` : sql`account = ${source}`}`
  if (rows.length === 0) return null
  if (!(await correctHold(sql, workspaceId, { config, wallet }, { id: hold_id, amount }))) return null
  const to = isInto ? "account" : "main"
  await repairMode(sql, workspaceId, config, { place: to, landedAt })
  return { mint_config: config, wallet, amount, hold_id, to }
}
