import type { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { Issuer } from "#server/ledger/index.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Credential } from "#server/solana/credential.ts"
import { type MintPlace, mintPlace } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"

/** The address of a schema's credential mint. It is derived, so a crash cannot change it. */
export const credentialMintPlace = (workspaceId: string, schemaId: string): MintPlace =>
  mintPlace(deployment.mintBase.publicKey, { workspaceId, kind: "credential", name: schemaId })

export const credentialMintOf = (workspaceId: string, schemaId: string): PublicKey =>
  credentialMintPlace(workspaceId, schemaId).mint

/** Base58 addresses of a schema's credential mint, and of a wallet's account for it. */
export function credentialAccounts(workspaceId: string, schemaId: string, wallet: Address) {
  const mint = credentialMintOf(workspaceId, schemaId)
  return { mint: addressOf(mint), account: addressOf(tokenAccountOf(mint, publicKeyOf(wallet))) }
}

/** A schema's credential on chain, and the keys that act on it. */
export const credentialOf = (
  { workspaceId, authority, feePayer }: Issuer,
  { schemaId, authority: address }: { schemaId: string; authority: Address | null },
): Credential => ({
  mint: credentialMintOf(workspaceId, schemaId),
  authority: authority(address).publicKey,
  feePayer: feePayer.publicKey,
})

/** The parts of a schema's credential that go on chain, by schema id. */
export async function loadCredentials(sql: Queryable, { issuer, ids }: { issuer: Issuer; ids: readonly string[] }) {
  const rows = await sql<{ id: string; name: string; authority: Address | null }[]>`
    select id, name, authority from schemas
    where workspace_id = ${issuer.workspaceId} and id = any(${[...new Set(ids)]})`
  const found = rows.map(({ id, name, authority }) => {
    const credential = credentialOf(issuer, { schemaId: id, authority })
    return [id, { name, credential }] as const
  })
  return new Map(found)
}
