import { PublicKey } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment.ts"
import type { Issuer } from "#server/ledger/definition.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { Credential } from "#server/solana/credential.ts"
import { mintKeyOf, type Signer } from "#server/solana/keys.ts"

/** The key of a schema's credential mint: derived, so that it is the same before and after any crash. */
export const credentialMintKey = (workspaceId: string, schemaId: string): Signer =>
  mintKeyOf(deployment.keys, workspaceId, "credential", schemaId)

/** Base58 addresses of a schema's credential mint, and of a wallet's account for it. */
export function credentialAccounts(workspaceId: string, schemaId: string, wallet: string) {
  const mint = credentialMintKey(workspaceId, schemaId).publicKey
  return { mint: mint.toBase58(), account: tokenAccountOf(mint, new PublicKey(wallet)).toBase58() }
}

/** A schema's credential on chain, and the keys that act on it. */
export const credentialOf = ({ workspaceId, authority, feePayer }: Issuer, schemaId: string): Credential => ({
  mint: credentialMintKey(workspaceId, schemaId).publicKey,
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
})
