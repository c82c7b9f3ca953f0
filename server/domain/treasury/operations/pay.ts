import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { operationsOfPayouts, recipientRefusals, storedAmount } from "#domain/tokens"
import { defineOperation, type Operation, type Plan, type Refusal, send, unclearEffects } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { pay as payOnChain } from "#server/solana/payment.ts"
import { SystemError } from "#server/solana/program-error.ts"
import type { Address } from "#shared/address.ts"
import { readPayingKey } from "../keys.ts"
import { lookUpPayments, type SeenTreasury } from "../look-up.ts"
import { allowedMints } from "../payment-mints.ts"
import {
  mintRefused,
  recipientFrozen,
  recipientRefused,
  treasuryFrozen,
  treasuryInsufficient,
  treasuryShared,
} from "../refusals.ts"

const payload = z.object({
  payout_id: z.string(),
  /** The token because of which it is paid. Absent also if a restore found the payment on chain. */
  mint_config: z.string().optional(),
  mint: storedAddress,
  /** Absent only if a restore found the payment on chain and no node knows whose account it went to. */
  wallet: storedAddress.optional(),
  amount: storedAmount,
})
type Payload = z.output<typeof payload>

/**
 * Pays one payout out of the treasury, the associated token account of the workspace's authority. Every account that it
 * touches belongs to others, so balances prove nothing: only the signature and the memo show whether it was paid. The
 * memo names the payout, so the chain shows each payout at most once, whichever of its operations paid it.
 */
export const pay = defineOperation({
  kind: "pay",
  label: "Pay",
  isUrgent: false,
  payload,
  lookUp: lookUpPayments,

  async plan(sql, operations, issuer, seen: SeenTreasury | null) {
    const { workspaceId } = issuer
    const [{ mode, authority, isShared }, inFlight, refusalOf] = await Promise.all([
      readPayingKey(sql, workspaceId),
      readInFlight(sql, workspaceId, operations),
      loadRefusals(sql, workspaceId, operations),
    ])
    const allowed = new Set(allowedMints(mode))
    // What is left of each balance after the operations before in this batch.
    const left = new Map([...(seen?.mints ?? [])].map(([mint, { treasury }]) => [mint, treasury?.amount ?? 0n]))
    const plan = ({
      id,
      payload: { payout_id, mint_config, mint, wallet, amount },
      redo,
    }: Operation<Payload>): Plan => {
      const known = seen?.mints.get(mint)
      if (!known || seen?.authority !== authority) return { do: "look up" }
      // It was on chain, final, when a restore rebuilt it.
      if (wallet === undefined) return { do: "defer" }
      // What was on chain once is paid in any case, because its recipient may have seen it.
      const unpayable = redo ? undefined : refusalOf(mint_config, wallet)
      if (unpayable) return { do: "fail", refusal: unpayable }
      if (isShared) return { do: "fail", refusal: treasuryShared }
      if (!redo && !allowed.has(mint))
        return { do: "fail", refusal: mintRefused(mint, "the deployment's settings do not list it") }
      const { read, treasury, isPaused } = known
      if ("refused" in read) return { do: "fail", refusal: mintRefused(mint, read.refused) }
      if (isPaused) return { do: "fail", refusal: mintRefused(mint, "its issuer has paused it") }
      const { account, refused } = seen.recipients.get(id)!
      if (refused !== null) return { do: "fail", refusal: recipientRefused(wallet, refused) }
      if (account?.isFrozen) return { do: "fail", refusal: recipientFrozen(wallet, mint, account.address) }
      if (treasury?.isFrozen) return { do: "fail", refusal: treasuryFrozen(mint, treasury.address) }
      const rest = left.get(mint)!
      if (amount > rest) {
        const source = addressOf(tokenAccountOf(read.mint, publicKeyOf(authority), read.program))
        const { decimals } = read
        return { do: "fail", refusal: treasuryInsufficient({ mint, account: source, decimals, amount, left: rest }) }
      }
      // The balance may or may not contain what is in flight. Wait until that is known.
      if (amount > rest - (inFlight.get(mint) ?? 0n)) return { do: "defer" }
      left.set(mint, rest - amount)
      const keys = { authority: issuer.authority(authority).publicKey, feePayer: issuer.feePayer.publicKey }
      const memoText = operationMemo(payout_id)
      return send(payOnChain(read, keys, { wallet: publicKeyOf(wallet), amount, isNew: account === null, memoText }))
    }
    return new Map(operations.map((operation) => [operation.id, plan(operation)]))
  },

  settle: null,
  settleAgain: null,
  release: null,
  memoId: ({ payload: { payout_id } }) => payout_id,
  effects: unclearEffects,

  async rebuild(sql, { id, instruction, accounts: [, mint, account], amount }, { workspaceId, ownerOf }) {
    if (instruction !== "TransferChecked" || !isId("pay", id) || amount === null) return null
    // Another transaction has paid it: a person must decide.
    if ((await operationsOfPayouts(sql, workspaceId, [id])).size > 0) return null
    const wallet = ownerOf(account!)
    return { payout_id: id, mint: mint!, amount, ...(wallet !== null && { wallet }) }
  },

  attach: null,
  // The first instruction is the one that creates an account, if there is one. Its error means that the fee payer lacks
  // SOL. Any other error means that an account has changed since it was read, so the next plan reads it again.
  recover: (error, _operation, instruction) =>
    instruction === 0 && error.custom === SystemError.ResultWithNegativeLamports ? { do: "wait" } : { do: "retry" },
})

/** Why wallets may not receive now, by the token because of which they are paid. They may have lost the right since. */
async function loadRefusals(sql: Queryable, workspaceId: string, operations: readonly Operation<Payload>[]) {
  const wallets = new Map<string, Set<Address>>()
  for (const { payload } of operations)
    if (payload.mint_config !== undefined && payload.wallet !== undefined)
      wallets.set(payload.mint_config, (wallets.get(payload.mint_config) ?? new Set()).add(payload.wallet))
  const refusals = new Map<string, ReadonlyMap<Address, Refusal>>()
  for (const [mintConfig, ofToken] of wallets)
    refusals.set(mintConfig, await recipientRefusals(sql, workspaceId, mintConfig, [...ofToken]))
  return (mintConfig: string | undefined, wallet: Address): Refusal | undefined =>
    mintConfig === undefined ? undefined : refusals.get(mintConfig)?.get(wallet)
}

/** What other payments are about to take out of the treasury, in base units by mint. */
async function readInFlight(
  sql: Queryable,
  workspaceId: string,
  except: readonly { id: string }[],
): Promise<ReadonlyMap<Address, bigint>> {
  const rows = await sql<{ mint: Address; amount: string }[]>`
    select payload ->> 'mint' as mint, sum((payload ->> 'amount')::numeric)::text as amount from operations
    where workspace_id = ${workspaceId} and status = 'submitted' and kind = 'pay'
      and not id = any(${except.map(({ id }) => id)})
    group by 1`
  return new Map(rows.map(({ mint, amount }) => [mint, BigInt(amount)]))
}
