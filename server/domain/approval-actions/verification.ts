import { redoBulkRevocation, revokeAttestation, type StoredList } from "#domain/attestations"
import { redoCancel } from "#domain/kyc"
import { eraseInvestor, eraseWallet } from "#domain/privacy"
import type { Address } from "#shared/address.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { act } from "./act.ts"

// What ends a verification, or erases a person.

export const sessionCancel = act((verb, { subject, request }) => {
  const { reason = null } = request as { reason?: string }
  return redoCancel({ ...verb, attestationId: subject, reason })
})

export const attestationRevoke = act((verb, { subject, request }) => {
  const { reason, public_reason: publicReason = null } = request as { reason: string; public_reason?: PublicReason }
  return revokeAttestation({ ...verb, attestationId: subject, reason, publicReason })
})

export const bulkRevocation = act((verb, { subject: id, request, requester }) =>
  redoBulkRevocation(verb, { id, request: request as StoredList, by: requester }),
)

export const erase = act(({ principal, requestId, replay }, { request }) => {
  const erasing = {
    workspaceId: principal.workspaceId,
    author: { principal, requestId },
    replay,
    inForce: "end",
  } as const
  const { user_pubkey, investor_id } = request as { user_pubkey: Address } & { investor_id?: string }
  return investor_id === undefined
    ? eraseWallet({ ...erasing, wallet: user_pubkey })
    : eraseInvestor({ ...erasing, investorId: investor_id })
})
