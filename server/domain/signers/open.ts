import { deployment } from "#domain/deployment"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"

const CHALLENGE = Buffer.from("vouch: this key is about to sign for a workspace")

/** The key of a URI, after a test signature. Throws WrongSigner, or SignerFailure if it cannot sign. */
export async function openForWorkspace(uri: string, purpose: string): Promise<Address> {
  const signer = await deployment.signers.open(uri, purpose)
  await signer.sign([CHALLENGE])
  return addressOf(signer.publicKey)
}
