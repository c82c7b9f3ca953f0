import { z } from "zod"
import { background } from "#db/client.ts"
import { defineOperation, type Lookup, type Operation, send } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { holdAsset, holdPlace } from "#server/solana/asset-hold.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { SystemError, TokenError } from "#server/solana/program-error.ts"
import { storedAmount } from "../amount.ts"
import { configOfMint } from "../asset-mint.ts"
import { extensionsOf } from "../config.ts"
import { repairMode } from "../holds/repair-mode.ts"
import { loadHoldReopenings } from "../reopenings.ts"
import { grounds } from "./forced.ts"
import { failIfPaused, holdEffects, holdIn, keyOf, lookUpHolds, planHolds, type SeenHolds } from "./held-account.ts"
import { uncovered, withCounters } from "./movement.ts"

const payload = z.object({
  mint_config: z.string(),
  from_wallet: storedAddress,
  amount: storedAmount,
  hold_id: z.string(),
  ...grounds,
})
type Placing = Operation<z.output<typeof payload>>

const memoOf = ({ id, payload }: Placing) => operationMemo(id, `hold:${payload.hold_id}`)

/** Moves an amount into the hold account of its wallet, in holder mode. */
export const hold = defineOperation({
  kind: "hold",
  label: "Hold",
  isUrgent: false,
  payload,
  lookUp: chooseAccounts,

  async plan(sql, operations, issuer, seen: SeenHolds | null) {
    const { workspaceId, rentOf } = issuer
    const missing = operations.filter((one) => seen?.holdOf(keyOf(one)).amount === null)
    const reopening = await loadHoldReopenings(
      sql,
      workspaceId,
      missing.map((one) => ({ ...keyOf(one), id: one.id, account: seen!.holdOf(keyOf(one)).account })),
    )
    return planHolds(sql, operations, {
      issuer,
      seen,
      decide: failIfPaused,
      build(operation, { config, asset, hold, before, after, isSure }) {
        const { id, payload } = operation as Placing
        const { from_wallet, amount } = payload
        // A single read is not enough to conclude that the account has nothing to hold.
        if (before === "absent") return isSure ? { do: "fail", refusal: uncovered(from_wallet) } : { do: "defer" }
        const wallet = publicKeyOf(from_wallet)
        const place = holdPlace(asset.authority, asset.mint, wallet)
        const isMissing = hold.amount === null
        // The mint has another authority since the account was chosen.
        if (isMissing && addressOf(place.account) !== hold.account) return { do: "look up" }
        const waits = reopening(id)
        if (waits) return waits
        const isPausable = extensionsOf(config).includes("pausable")
        const create = isMissing ? { place, isPausable, rentOf } : null
        const about = { wallet, hold: publicKeyOf(hold.account), amount, before, after, create }
        return send(holdAsset(asset, { ...about, memoText: memoOf(operation as Placing) }))
      },
    })
  },

  async settle(sql, settled, workspaceId) {
    await withCounters(sql, workspaceId, settled, ({ from_wallet, amount }, _config, holdingOf) => {
      holdingOf(from_wallet).held += amount
    })
    await sql`
      update holds set state = 'active'
      where workspace_id = ${workspaceId} and id = any(${idsOf(settled)}) and state = 'pending'`
  },

  settleAgain: null,

  async release(sql, operations, workspaceId) {
    await sql`
      update holds set state = 'failed', account = null, ended_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = any(${idsOf(operations)}) and state = 'pending'`
  },

  memoId: ({ id }) => id,
  effects: (operations, at) => holdEffects(operations, at, ({ payload }) => payload.amount),

  async rebuild(sql, { id, memo, instruction, accounts, amount, more }, { workspaceId, landedAt, ownerOf }) {
    const [source, mint, account] = accounts
    const hold_id = holdIn(memo, id, "hold")
    const from_wallet = ownerOf(source!) ?? ownerOf(account!)
    if (hold_id === null || instruction !== "TransferChecked" || more.length > 0) return null
    if (from_wallet === null || amount === null) return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config === null) return null
    // The chain does not say why, or until when.
    const lost = { reason_code: "other", reference: "Restored from the chain" }
    const inserted = await sql`
      insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, state, reason_code, reference, account,
        operation_id, created_at)
      values (${workspaceId}, ${hold_id}, ${config}, ${from_wallet}, ${String(amount)}, ${String(amount)}, 'pending',
        ${lost.reason_code}, ${lost.reference}, ${account!}, ${id}, ${clock.now()})
      on conflict do nothing returning id`
    if (inserted.length > 0) await repairMode(sql, workspaceId, config, { place: "account", landedAt })
    return inserted.length > 0 ? { mint_config: config, from_wallet, amount, hold_id } : null
  },

  /** The database goes back to before the account was chosen. */
  async attach(sql, { payload: { hold_id }, workspaceId }, { carried: { accounts } }) {
    await sql`
      update holds set account = ${accounts[2]!}
      where workspace_id = ${workspaceId} and id = ${hold_id} and state = 'pending'`
  },

  recover(error, { payload }, instruction) {
    // The first instruction pays for a missing account and otherwise moves nothing.
    if (instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports) return { do: "wait" }
    if (error.custom === TokenError.InsufficientFunds) return { do: "fail", refusal: uncovered(payload.from_wallet) }
    return { do: "retry" }
  },
})

const idsOf = (operations: readonly { payload: { hold_id: string } }[]) =>
  operations.map(({ payload }) => payload.hold_id)

/** Records the account of each hold. Its operation is locked and still queued, so the account stays what was signed. */
async function chooseAccounts(operations: Placing[], at: Lookup): Promise<SeenHolds> {
  const seen = await lookUpHolds(operations, at)
  await background`
    with waiting as (
      select o.id, t.account from operations o
      join unnest(${operations.map(({ id }) => id)}::text[],
        ${operations.map((one) => seen.holdOf(keyOf(one)).account)}::text[]) as t(id, account) on t.id = o.id
      where o.workspace_id = ${at.workspaceId} and o.status = 'queued' for update of o
    )
    update holds h set account = w.account from waiting w
    where h.workspace_id = ${at.workspaceId} and h.operation_id = w.id and h.state = 'pending'`
  return seen
}
