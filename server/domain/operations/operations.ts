import { attest, createCredentialMint, moveCredentialAuthority, revoke } from "#domain/attestations"
import { anchor } from "#domain/snapshots"
import {
  burn,
  carryHold,
  createAssetMint,
  forceTransfer,
  hold,
  mint,
  moveAssetAuthority,
  moveHold,
  reconcileAccount,
  reconcilePause,
  release,
  transfer,
} from "#domain/tokens"
import { pay } from "#domain/treasury"
import { Operations } from "#server/ledger/index.ts"

/** Every kind of operation on chain. */
export const operations = new Operations([
  createCredentialMint,
  attest,
  revoke,
  createAssetMint,
  mint,
  transfer,
  burn,
  forceTransfer,
  hold,
  release,
  carryHold,
  moveHold,
  pay,
  anchor,
  reconcileAccount,
  reconcilePause,
  moveCredentialAuthority,
  moveAssetAuthority,
])
