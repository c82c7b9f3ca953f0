import { generateKeyPairSync, sign } from "node:crypto"
import bs58 from "bs58"
import type { Address } from "#shared/address.ts"

/** A wallet with its key, as an investor has one. */
export function newSigningWallet() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const bytes = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url")
  return {
    address: bs58.encode(bytes) as Address,
    publicKey: bytes,
    sign: (message: Uint8Array): Buffer => sign(null, message, privateKey),
  }
}

export type SigningWallet = ReturnType<typeof newSigningWallet>
