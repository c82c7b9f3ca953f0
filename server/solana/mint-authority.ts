import { AuthorityType, createSetAuthorityInstruction, TOKEN_2022_PROGRAM_ID, unpackMint } from "@solana/spl-token"
import { createUpdateAuthorityInstruction } from "@solana/spl-token-metadata"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import type { MintExtension } from "#shared/mint-extensions.ts"
import { memo } from "./memo.ts"
import { extensionDefinitions } from "./mint-extensions.ts"
import type { ReadOptions, Rpc } from "./rpc/rpc.ts"

const ROLES = [
  AuthorityType.MintTokens,
  AuthorityType.FreezeAccount,
  AuthorityType.PermanentDelegate,
  AuthorityType.MetadataPointer,
]

type Handover = {
  mint: PublicKey
  from: PublicKey
  to: PublicKey
  extensions: readonly MintExtension[]
  memoText: string
}

/**
 * Moves every authority of a mint to another key in one transaction. The new key must sign the memo: a key that cannot
 * sign never gets a mint, and the new key's history begins with this transaction.
 */
export const moveAuthority = ({ mint, from, to, extensions, memoText }: Handover): TransactionInstruction[] => [
  memo(memoText, [to]),
  ...[...ROLES, ...extensions.map((one) => extensionDefinitions[one].role)].map((role) =>
    createSetAuthorityInstruction(mint, from, role, to, [], TOKEN_2022_PROGRAM_ID),
  ),
  createUpdateAuthorityInstruction({
    programId: TOKEN_2022_PROGRAM_ID,
    metadata: mint,
    oldAuthority: from,
    newAuthority: to,
  }),
]

/** The mint authorities of mints, in order; null if there is no mint or it has no mint authority. */
export async function readMintAuthorities(
  rpc: Rpc,
  mints: readonly PublicKey[],
  options: ReadOptions,
): Promise<(PublicKey | null)[]> {
  const { value } = await rpc.accounts([...mints], options)
  return mints.map((mint, i) => {
    const info = value[i]
    return info ? unpackMint(mint, info, TOKEN_2022_PROGRAM_ID).mintAuthority : null
  })
}
