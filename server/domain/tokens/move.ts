import { isDatabaseUnavailable, sql } from "#db/client.ts"
import { type ApprovalRow, approvalOfOperation } from "#domain/approvals"
import { chainOf } from "#domain/deployment"
import type { Command, Principal } from "#domain/requests"
import { operationWait, untilEnded, whileWaiting } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { type ConfigRow, configColumns, refuse, unknownConfig } from "./config.ts"
import { loadFreezes, toWalletFreeze, type WalletFreeze } from "./freezes.ts"
import { disclosureFor } from "./holder-facts.ts"
import { readAvailability } from "./holds/available.ts"
import {
  type OperationRecord,
  type OperationRow,
  operationRows,
  throwIfFailed,
  throwIfRefused,
  toOperationRecord,
  unbegunOperation,
} from "./operation.ts"
import { reserveMovement } from "./reserve.ts"
import type { TokenRequest } from "./token-request.ts"
import { readBalances } from "./wallet-balances.ts"

export type Move = Command & { respondAsync: boolean } & Pick<
    TokenRequest,
    "config" | "movement" | "forced" | "amount" | "holds" | "executes" | "whilePaused" | "lot"
  >

type Moved = { record: OperationRecord; isFinal: boolean }

/**
 * Reserves and enqueues a movement, then waits for the chain. `isFinal` is false if the operation continues after the
 * response. A request whose key has already started an operation joins it and gets the
 * same response. Errors: those of `reserveMovement`, those with which the operation may fail, chain_not_configured.
 */
export async function move(request: Move): Promise<Moved> {
  const { workspaceId, mode } = request.principal
  chainOf(mode)
  return request.respondAsync ? begin(request) : whileWaiting(workspaceId, () => begin(request))
}

async function begin(request: Move): Promise<Moved> {
  const { principal, requestId, idempotency, respondAsync, config, movement, forced, amount, holds } = request
  const { executes, whilePaused, lot } = request
  const { workspaceId } = principal
  const joined = idempotency?.begun ?? null
  const author = { principal, requestId }
  const wanted = { config, movement, forced, amount, holds, executes, whilePaused, lot }
  const asked = { ...wanted, idempotency, author, disclosure: disclosureFor(principal) }
  const first = joined === null ? await reserveMovement(workspaceId, asked) : null
  const waiting = joined === null ? first : await waitingFor(workspaceId, joined)
  if (waiting && "approval" in waiting) return { record: unbegunOperation(waiting.approval), isFinal: false }
  const begun = first && "row" in first ? first.row : null
  if (begun && respondAsync) return { record: toOperationRecord(begun), isFinal: false }
  const operationId = joined ?? begun!.id
  if (!respondAsync) await untilEnded(workspaceId, operationId, operationWait.ms)
  let row: OperationRow | undefined
  try {
    ;[row] = await sql<OperationRow[]>`
      ${operationRows()} where o.workspace_id = ${workspaceId} and o.id = ${operationId}`
  } catch (error) {
    // The operation is recorded and will be carried out, so the response must name it.
    if (begun && isDatabaseUnavailable(error)) return { record: toOperationRecord(begun), isFinal: false }
    throw error
  }
  if (!row) return lostInRestore(operationId)
  // A form that joins a failed operation gets its record and drops its key, so that the next submit starts a new
  // operation.
  const isForm = respondAsync && principal.via.kind === "user"
  if (!isForm) throwIfFailed(row)
  return { record: toOperationRecord(row), isFinal: row.status === "confirmed" || row.status === "failed" }
}

/** The approval that a repeated request waits for. Throws what ended it; null if its operation has begun. */
async function waitingFor(workspaceId: string, operationId: string): Promise<{ approval: ApprovalRow } | null> {
  const approval = await approvalOfOperation(sql, workspaceId, operationId)
  if (approval === null || (approval.outcome !== null && "operation_id" in approval.outcome)) return null
  throwIfRefused(approval)
  return { approval }
}

/** The database was replaced by an earlier copy while the request waited. What has landed comes back under its id. */
const lostInRestore = (operationId: string): never =>
  fail(
    "database_unavailable",
    `The database was restored in the meantime, and does not know ${operationId}. Check /token/operation/${operationId} before you send the request again.`,
  )

export type Balance = {
  user_pubkey: string
  mint_config: string
  amount: string
  available: string
  held: string
  frozen: boolean
  wallet_freeze: WalletFreeze
}

/** A wallet's balance on chain now. Errors: unknown_mint_config, chain_not_configured, chain_unavailable. */
export async function balanceOf({ workspaceId, mode }: Principal, config: string, wallet: Address): Promise<Balance> {
  const chain = chainOf(mode)
  const [row] = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} and id = ${config}`
  if (!row) return refuse(unknownConfig(config))
  const freezesOf = await loadFreezes(sql, workspaceId, [wallet])
  const read = await readBalances({ workspaceId, rpc: chain.rpc.patient }, [{ config, wallet }])
  const account = read.accounts[0]!
  const whole = fromBaseUnits(account.amount + account.held, row.decimals)
  const wanted = { key: { config, wallet }, config: row, account }
  const [available] = await readAvailability(sql, workspaceId, [wanted])
  return {
    user_pubkey: wallet,
    mint_config: config,
    amount: whole,
    ...available!,
    frozen: account.state !== "thawed",
    wallet_freeze: toWalletFreeze(freezesOf({ config, wallet })),
  }
}
