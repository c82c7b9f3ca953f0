import { Operations } from "#server/ledger/definition.ts"
import { attest } from "./attestations/operations/attest.ts"
import { createCredentialMint } from "./attestations/operations/create-credential-mint.ts"
import { moveCredentialAuthority } from "./attestations/operations/move-credential-authority.ts"
import { revoke } from "./attestations/operations/revoke.ts"
import { createAssetMint } from "./tokens/operations/create-asset-mint.ts"
import { mint } from "./tokens/operations/mint.ts"
import { moveAssetAuthority } from "./tokens/operations/move-asset-authority.ts"
import { reconcileAccount } from "./tokens/operations/reconcile-account.ts"
import { reconcilePause } from "./tokens/operations/reconcile-pause.ts"
import { transfer } from "./tokens/operations/transfer.ts"

/** Everything that Vouch does on chain. */
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
