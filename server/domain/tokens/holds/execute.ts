import { sql } from "#db/client.ts"
import type { Command } from "#domain/requests"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { move } from "../move.ts"
import { findHold, getHold, type HoldExecution } from "./hold.ts"
import { whyEnded } from "./named-holds.ts"

export type Executing = Command & { respondAsync: boolean; holdId: string; to: Address } & {
  documentSha256: string
  whilePaused: boolean
}

/**
 * Forces a transfer of all that a hold holds, for the reason that it was placed for. Errors: hold_not_found, hold_ended,
 * same_wallet, those of `move`.
 */
export async function executeHold(executing: Executing): Promise<{ record: HoldExecution; isFinal: boolean }> {
  const { holdId, to, documentSha256, whilePaused, ...command } = executing
  const { principal, idempotency } = command
  const { workspaceId } = principal
  const hold = await findHold(sql, workspaceId, holdId)
  if (hold.wallet === to) fail("same_wallet", "to_pubkey: must differ from the wallet whose tokens are held.")
  const ended = whyEnded(hold)
  if (ended !== null && !idempotency?.begun) fail("hold_ended", ended)
  const { reason_code, reference } = hold
  const { record: operation, isFinal } = await move({
    ...command,
    config: hold.mint_config,
    movement: { kind: "force_transfer", from: hold.wallet, to },
    forced: { reason_code, reference, document_sha256: documentSha256, holder_consent: false },
    amount: fromBaseUnits(BigInt(hold.remaining), hold.decimals),
    holds: [holdId],
    executes: holdId,
    whilePaused,
  })
  const { operation_id, status, approval_id } = operation
  return { record: { ...(await getHold(principal, holdId)), operation_id, status, approval_id }, isFinal }
}
