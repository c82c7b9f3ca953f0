import { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import { deployment } from "#server/domain/deployment.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import { mintKeyOf, type Signer } from "#server/solana/keys.ts"

const CACHE_MAX = 10_000
const mintKeys = new Map<string, Signer>()

/** The key of a schema's credential mint: derived, so that it is the same before and after any crash. */
export function credentialMintKey(workspaceId: string, schemaId: string): Signer {
  const name = `${workspaceId}/${schemaId}`
  let key = mintKeys.get(name)
  if (!key) {
    key = mintKeyOf(deployment.signerSecret, workspaceId, "credential", schemaId)
    if (mintKeys.size >= CACHE_MAX) mintKeys.clear()
    mintKeys.set(name, key)
  }
  return key
}

/** Base58 addresses of the mint that stands for a schema, and of a wallet's account for it. */
export function credentialAccounts(workspaceId: string, schemaId: string, wallet: string) {
  const mint = credentialMintKey(workspaceId, schemaId).publicKey
  return { mint: mint.toBase58(), account: tokenAccountOf(mint, new PublicKey(wallet)).toBase58() }
}

/** Enqueues the creation of a schema's credential mint, once. Later operations on it wait for it by themselves. */
export async function ensureCredentialMint(
  sql: Queryable,
  workspaceId: string,
  schemaId: string,
): Promise<void> {
  const mint = credentialMintKey(workspaceId, schemaId).publicKey.toBase58()
  const claimed = await sql`
    update schemas set credential_mint = ${mint}
    where workspace_id = ${workspaceId} and id = ${schemaId} and credential_mint is null returning id`
  if (claimed.length === 0) return
  await enqueue(sql, {
    workspaceId,
    kind: "create_credential_mint",
    payload: { schema_id: schemaId },
    writes: [mint],
    reads: [],
  })
}
