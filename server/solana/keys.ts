import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto"
import { PublicKey } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { withText } from "./addresses.ts"

/** What signs. A key management service can stand behind it as well as a secret in memory. */
export type Signer = {
  publicKey: PublicKey
  /**
   * The 64-byte Ed25519 signatures of messages, in their order. It may take its time, and may fail: nothing is lost by
   * that, and it is asked again.
   */
  sign(messages: readonly Uint8Array[]): Promise<Uint8Array[]>
}

/** All keys of a deployment: the signer for each purpose, always the same one. */
export type Keys = (purpose: string) => Signer

// PKCS#8 wrapping of a raw Ed25519 seed (RFC 8410 §7): node:crypto takes no bare seeds.
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/** A signer from a 32-byte seed. node:crypto signs some ten times as fast as web3.js does in JavaScript. */
export function signerFromSeed(seed: Uint8Array): Signer {
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: "der",
    type: "pkcs8",
  })
  const { x } = createPublicKey(key).export({ format: "jwk" })
  return {
    publicKey: withText(new PublicKey(Buffer.from(x as string, "base64url"))),
    sign: async (messages) => messages.map((message) => sign(null, message, key)),
  }
}

// Deriving takes 0.2 ms, and the same few are asked for often.
const MAX_SIGNERS = 20_000

/**
 * Keys in memory, each derived from the deployment's secret by HKDF-SHA256. The same secret and purpose give the same
 * key for ever, so no key needs to be stored, and none can be orphaned by a crash.
 */
export function localKeys(secret: Uint8Array): Keys {
  const signers = new LRUCache<string, Signer>({ max: MAX_SIGNERS })
  return (purpose) => {
    let signer = signers.get(purpose)
    if (!signer) {
      signer = signerFromSeed(new Uint8Array(hkdfSync("sha256", secret, "vouch", purpose, 32)))
      signers.set(purpose, signer)
    }
    return signer
  }
}

/** What pays fees and rent for a mode, or for a workspace that has its own. */
export const feePayerPurpose = (of: string) => `fee-payer/${of}`

/**
 * An address that every transaction of a mode names which a workspace's own fee payer pays for. Its history lists them
 * all, also where the database does not know that fee payer any more. Nobody signs with it.
 */
export const payerMarkerOf = (keys: Keys, mode: string) => keys(`payer-marker/${mode}`).publicKey

/** What a workspace issues with on chain: mint and freeze authority, permanent delegate. */
export const authorityPurpose = (workspaceId: string) => `authority/${workspaceId}`
/** The authority of a workspace that was given no other. */
export const authorityOf = (keys: Keys, workspaceId: string) => keys(authorityPurpose(workspaceId))

/** Key of a mint's account; it signs once, when the account is created. */
export const mintKeyOf = (keys: Keys, workspaceId: string, purpose: "credential" | "asset", name: string) =>
  keys(`${purpose}-mint/${workspaceId}/${name}`)
