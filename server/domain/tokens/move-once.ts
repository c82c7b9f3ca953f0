import { hash } from "node:crypto"
import type { IdempotencyClaim, Principal } from "#server/domain/context.ts"
import { chainOf } from "#server/domain/deployment.ts"
import { findRecord, KeyClaimed } from "#server/domain/idempotency.ts"
import { admit } from "./admit.ts"
import type { Move } from "./move.ts"
import { getOperation, type OperationRecord, toOperationRecord } from "./operation.ts"
import { sightOf } from "./parties.ts"

type Member = Principal & { via: { kind: "user" } }

export type MoveOnce = Pick<Move, "requestId" | "config" | "from" | "to" | "amount"> & {
  principal: Member
  /** Made by the page that asks, one to each thing that a person wants done. */
  idempotencyKey: string
}

/**
 * What `move` does, for a page: it answers at once, and whatever comes again with the same key, by a second click, from
 * another tab or because the answer was lost, gets the operation that the first one began. A refusal has begun
 * nothing, and is decided anew. Errors: those of `move`, idempotency_key_reused.
 */
export async function moveOnce(request: MoveOnce): Promise<OperationRecord> {
  const { principal, requestId, idempotencyKey, config, from, to, amount } = request
  const { workspaceId, mode, via } = principal
  chainOf(mode)
  const idempotency: IdempotencyClaim = {
    workspaceId,
    // A person's keys are as apart from other people's as each API key's are from those of others.
    keyId: via.userId,
    idempotencyKey,
    fingerprint: hash("sha256", JSON.stringify([config, from, to, amount]), "buffer"),
    begun: null,
  }
  for (;;) {
    const begun = (await findRecord(idempotency))?.begun
    if (begun) return getOperation(principal, begun)
    try {
      const author = { principal, requestId }
      return toOperationRecord(
        await admit(workspaceId, {
          idempotency,
          config,
          from,
          to,
          amount,
          author,
          sight: sightOf(principal),
        }),
      )
    } catch (error) {
      if (!(error instanceof KeyClaimed)) throw error
    }
  }
}
