import { sql } from "#db/client.ts"
import type { IdempotencyClaim, Principal } from "#domain/requests"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import { type Erased, eraseInvestor, eraseWallet } from "./erase.ts"
import { type ErasureRecord, getErasure } from "./erasure-record.ts"

type Request = { principal: Principal; requestId: string; idempotency: IdempotencyClaim | null }

/** Erases a wallet and ends what is in force. A repeat returns the same. Errors: attestation_not_found. */
export async function eraseWalletOnRequest(request: Request & { wallet: Address }): Promise<ErasureRecord> {
  const { principal, wallet } = request
  const { workspaceId } = principal
  return answer(request, async (erasing) => {
    const known = await sql`
      select from attestations where workspace_id = ${workspaceId} and wallet = ${wallet} limit 1`
    if (known.length === 0) fail("attestation_not_found", `pubkey: ${wallet} has no attestation in this workspace.`)
    return eraseWallet({ ...erasing, wallet })
  })
}

/** Erases an investor with all their wallets. Errors: investor_not_found. */
export const eraseInvestorOnRequest = (request: Request & { investorId: string }): Promise<ErasureRecord> =>
  answer(
    request,
    async (erasing) =>
      (await eraseInvestor({ ...erasing, investorId: request.investorId })) ??
      fail(
        "investor_not_found",
        "id: this workspace has no investor with this id. Check the id, and the key's workspace.",
      ),
  )

async function answer(
  { principal, requestId, idempotency }: Request,
  erase: (erasing: Omit<Parameters<typeof eraseWallet>[0], "wallet">) => Promise<Erased>,
): Promise<ErasureRecord> {
  const { workspaceId } = principal
  if (idempotency?.begun) return getErasure(workspaceId, idempotency.begun)
  const author = { principal, requestId }
  const outcome = await erase({ workspaceId, author, idempotency, inForce: "end" })
  // Everything in force was ended, and the person is erased, now or before.
  if ("current" in outcome || outcome.erasureId === null) throw new Error("an erasure is incomplete")
  return getErasure(workspaceId, outcome.erasureId)
}
