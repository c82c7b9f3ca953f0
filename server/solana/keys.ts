import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto"
import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
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

/** The deployment's derived keys: the signer for each purpose, always the same one. */
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
export const payerMarkerPurpose = (mode: string) => `payer-marker/${mode}`

/** What a workspace issues with on chain: mint and freeze authority, permanent delegate. */
export const authorityPurpose = (workspaceId: string) => `authority/${workspaceId}`

/** Signs the creation of every mint: each mint's address is that of an account created with this key and a seed. */
export const MINT_BASE = "mint-base"

/** What creates a mint's account at its address (`allocate_with_seed` of the system program). */
export type MintPlace = { base: PublicKey; seed: string; mint: PublicKey }

const places = new LRUCache<string, MintPlace>({ max: MAX_SIGNERS })

/**
 * Where a mint is: always at the same address, which takes only public facts to compute. `name` is unique in its
 * workspace.
 */
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

/** As `PublicKey.createWithSeed` does it, which is asynchronous without a reason. */
const addressWithSeed = (base: PublicKey, seed: string): PublicKey =>
  new PublicKey(
    createHash("sha256").update(base.toBytes()).update(seed).update(TOKEN_2022_PROGRAM_ID.toBytes()).digest(),
  )
