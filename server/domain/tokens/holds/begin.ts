import { type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import type { Principal } from "#domain/requests"
import { accountName, assetMintOf } from "#domain/token-accounts"
import { enqueue, operationWait, untilEnded } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { fail, isErrorCode } from "#shared/errors.ts"
import type { OperationStatus } from "#shared/statuses.ts"
import type { Holding, HoldingKey } from "../holder-facts.ts"
import { hold } from "../operations/hold.ts"
import { release } from "../operations/release.ts"
import type { BoundHold, BoundHolds } from "./bound-holds.ts"
import { getHold, type HoldRecord } from "./hold.ts"

// In holder mode, a hold is placed and released by an operation.

/** Operations on a wallet's two accounts run one after the other. */
const touching = (workspaceId: string, { config, wallet }: HoldingKey) => ({
  writes: [accountName(config, wallet)],
  reads: [addressOf(assetMintOf(workspaceId, config))],
})

/** Queues moving an amount into a wallet's hold account, and returns the operation's id. */
export const beginHold = (
  sql: Queryable,
  workspaceId: string,
  payload: Parameters<typeof enqueue<typeof hold.payload>>[3]["payload"],
): Promise<string> =>
  enqueue(sql, workspaceId, hold, {
    payload,
    ...touching(workspaceId, { config: payload.mint_config, wallet: payload.from_wallet }),
  })

/** Queues moving back what a hold still holds, and returns the operation's id. The hold and its holding change in memory. */
export function beginRelease(
  sql: Queryable,
  workspaceId: string,
  about: { hold: BoundHold; holds: BoundHolds; holding: Holding; endsAs: "released" | "expired" },
): Promise<string> {
  const { hold, holds, holding, endsAs } = about
  const operationId = newId("op")
  const { id, mint_config, wallet, reason_code, reference, remaining } = hold
  const key = { config: mint_config, wallet }
  const taken = holds.take([id], remaining, operationId, holding)
  return enqueue(sql, workspaceId, release, {
    id: operationId,
    payload: {
      ...{ mint_config, wallet, amount: taken[0]!.amount, hold_id: id, holds: taken, ends_as: endsAs },
      ...{ reason_code, reference },
    },
    ...touching(workspaceId, key),
  })
}

/** `isFinal` is false if the operation that places or releases the hold continues after the response. */
export type HoldOutcome = { record: HoldRecord; status: OperationStatus; isFinal: boolean }

/** Waits for the operation that places or releases a hold. Errors: those with which the operation may fail. */
export async function outcomeOf(
  principal: Principal,
  about: { holdId: string; operationId: string | null; respondAsync: boolean },
): Promise<HoldOutcome> {
  const { holdId, operationId, respondAsync } = about
  const { workspaceId } = principal
  if (operationId === null) return { record: await getHold(principal, holdId), status: "confirmed", isFinal: true }
  publish("ledger")
  if (!respondAsync) await untilEnded(workspaceId, operationId, operationWait.ms)
  const [operation] = await sql<{ status: OperationStatus; error_code: string; error_detail: string }[]>`
    select status, error_code, error_detail from operations where workspace_id = ${workspaceId} and id = ${operationId}`
  if (operation?.status === "failed") {
    const { error_code, error_detail } = operation
    fail(isErrorCode(error_code) ? error_code : "internal_error", error_detail)
  }
  const status = operation?.status ?? "queued"
  return { record: await getHold(principal, holdId), status, isFinal: status === "confirmed" }
}
