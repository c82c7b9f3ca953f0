import { burn } from "./burn.ts"
import { carryHold } from "./carry-hold.ts"
import { createAssetMint } from "./create-asset-mint.ts"
import { hold } from "./hold.ts"
import { mint } from "./mint.ts"
import { moveAssetAuthority } from "./move-asset-authority.ts"
import { moveHold } from "./move-hold.ts"
import { reconcileAccount } from "./reconcile-account.ts"
import { reconcilePause } from "./reconcile-pause.ts"
import { release } from "./release.ts"
import { forceTransfer, transfer } from "./transfer.ts"

/**
 * The kinds that change a token on chain. Their transactions name its mint, so they are in its history. Other kinds may have
 * a `mint_config` as well: a payout's transaction only names the mint that it pays with.
 */
export const tokenOperations = [
  createAssetMint,
  mint,
  transfer,
  burn,
  forceTransfer,
  hold,
  release,
  carryHold,
  moveHold,
  reconcileAccount,
  reconcilePause,
  moveAssetAuthority,
] as const
