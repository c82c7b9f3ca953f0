import { type Approving, isRefusal } from "#domain/approvals"
import type { Principal } from "#domain/requests"
import type { MovementKind } from "#shared/movements.ts"
import { type Preflight, preflight, unreadable } from "./preflight.ts"
import { reserveMovement } from "./reserve.ts"
import { wantedMovement } from "./stored-movement.ts"
import type { Approved } from "./token-request.ts"

/** What the rules say now about a stored request. Errors: chain_not_configured. */
export const preflightOf = (
  principal: Principal,
  kind: MovementKind,
  request: Record<string, unknown>,
): Promise<Preflight> =>
  preflight(principal, { ...wantedMovement(kind, request), isApproved: true }).catch((error) => {
    // The token's decimals may have changed since the request.
    if (isRefusal(error)) return unreadable(error)
    throw error
  })

/** What a stored outcome can reveal: it is shown to everyone who can read the approval. */
const NOTHING_PERSONAL = { claims: false, attestations: false }

/**
 * Does what a stored request asks, through the same queue and in the same kind of commit as a direct request. A refusal
 * by a rule is the outcome of an approved request. Errors: those of taking the approval, and those of a request that
 * could not be decided.
 */
export async function replayMovement(
  author: Approving,
  kind: MovementKind,
  request: Record<string, unknown>,
  approved: Approved,
): Promise<void> {
  let isSettled = false
  const tracked: Approved = {
    ...approved,
    async settle(sql, refusal) {
      isSettled = true
      await approved.settle(sql, refusal)
    },
  }
  const wanted = { ...wantedMovement(kind, request), idempotency: null, author, disclosure: NOTHING_PERSONAL }
  try {
    await reserveMovement(author.principal.workspaceId, { ...wanted, approved: tracked })
  } catch (error) {
    // A rule refused it, which the approval now says.
    if (!isSettled) throw error
  }
}
