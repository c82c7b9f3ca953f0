import { attest } from "#server/domain/attestations/operations/attest.ts"
import { createCredentialMint } from "#server/domain/attestations/operations/create-credential-mint.ts"
import { moveCredentialAuthority } from "#server/domain/attestations/operations/move-credential-authority.ts"
import { revoke } from "#server/domain/attestations/operations/revoke.ts"
import { createAssetMint } from "#server/domain/tokens/operations/create-asset-mint.ts"
import { mint } from "#server/domain/tokens/operations/mint.ts"
import { moveAssetAuthority } from "#server/domain/tokens/operations/move-asset-authority.ts"
import { reconcileAccount } from "#server/domain/tokens/operations/reconcile-account.ts"
import { reconcilePause } from "#server/domain/tokens/operations/reconcile-pause.ts"
import { transfer } from "#server/domain/tokens/operations/transfer.ts"
import { Operations } from "#server/ledger/index.ts"

/** Every kind of operation on chain. */
export const operations = new Operations([
  createCredentialMint,
  attest,
  revoke,
  createAssetMint,
  mint,
  transfer,
  reconcileAccount,
  reconcilePause,
  moveCredentialAuthority,
  moveAssetAuthority,
])
