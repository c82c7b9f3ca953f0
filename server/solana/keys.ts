import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto"
import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { withText } from "./addresses.ts"

/** Signs with one key, which is in memory or in a key management service. */
export type Signer = {
  publicKey: PublicKey
  /** Returns the 64-byte Ed25519 signatures of messages, in order. It may be slow or fail: the caller tries again. */
  sign(messages: readonly Uint8Array[]): Promise<Uint8Array[]>
}

/** The deployment's derived keys. The same purpose always returns the same signer. */
export type Keys = (purpose: string) => Signer

// PKCS#8 wrapping of a raw Ed25519 seed (RFC 8410 §7): node:crypto takes no bare seeds.
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/** A signer from a 32-byte seed. node:crypto signs about ten times as fast as web3.js. */
export function signerFromSeed(seed: Uint8Array): Signer {
  const key: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" })
  const { x } = createPublicKey(key).export({ format: "jwk" })
  return {
    publicKey: withText(new PublicKey(Buffer.from(x as string, "base64url"))),
    sign: async (messages) => messages.map((message) => sign(null, message, key)),
  }
}

// Deriving takes 0.2 ms, and the same few keys are needed often.
const MAX_SIGNERS = 20_000

/** Keys derived from the deployment's secret by HKDF-SHA256: none is stored, and a crash cannot orphan one. */
export function localKeys(secret: Uint8Array): Keys {
  const signers = new LRUCache<string, Signer>({
    max: MAX_SIGNERS,
    memoMethod: (purpose) => signerFromSeed(new Uint8Array(hkdfSync("sha256", secret, "vouch", purpose, 32))),
  })
  return (purpose) => signers.memo(purpose)
}

/** The key that pays fees and rent for a mode, or for a workspace with its own. */
export const feePayerPurpose = (of: string) => `fee-payer/${of}`

/**
 * An address that every transaction paid by a workspace's own fee payer names. Its history lists them all, even if a
 * restored database no longer knows that fee payer. It never signs.
 */
export const payerMarkerPurpose = (mode: string) => `payer-marker/${mode}`

/** The key that a workspace issues with: mint and freeze authority, permanent delegate. */
export const authorityPurpose = (workspaceId: string) => `authority/${workspaceId}`

/** Signs the creation of every mint: each mint's address is that of an account created with this key and a seed. */
export const MINT_BASE = "mint-base"

/** The base and seed that create a mint's account at its address (`allocate_with_seed` of the system program). */
export type MintPlace = { base: PublicKey; seed: string; mint: PublicKey }

const places = new LRUCache<string, MintPlace>({ max: MAX_SIGNERS })

/** The place of a mint: always the same, and computed from public facts. `name` is unique in its workspace. */
export function mintPlace(
  base: PublicKey,
  { workspaceId, kind, name }: { workspaceId: string; kind: "credential" | "asset"; name: string },
): MintPlace {
  const text = `${base.toBase58()}/${kind}/${workspaceId}/${name}`
  let place = places.get(text)
  if (!place) {
    // Half of a SHA-256 in hex: a seed is at most 32 bytes.
    const seed = createHash("sha256").update(`${kind}/${workspaceId}/${name}`).digest("hex").slice(0, 32)
    place = { base, seed, mint: withText(addressWithSeed(base, seed)) }
    places.set(text, place)
  }
  return place
}

/** Does what `PublicKey.createWithSeed` does, but synchronously. */
export const addressWithSeed = (base: PublicKey, seed: string): PublicKey =>
  new PublicKey(
    createHash("sha256").update(base.toBytes()).update(seed).update(TOKEN_2022_PROGRAM_ID.toBytes()).digest(),
  )
