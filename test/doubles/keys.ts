import { Keypair } from "@solana/web3.js"
import { sleep } from "#server/lib/time.ts"
import { type Keys, localKeys, type MintPlace, mintPlace, type Signer } from "#server/solana/keys.ts"

/** The address of a mint that does not exist yet, and the key that can create it. */
export function newMintPlace(): { base: Keypair; place: MintPlace } {
  const base = Keypair.generate()
  return { base, place: mintPlace(base.publicKey, { workspaceId: "ws_a", kind: "asset", name: "a" }) }
}

/** Keys that sign as slowly as a key service. */
export const slowKeys =
  (local: Keys, ms: number, onAsked = () => {}): Keys =>
  (purpose) => {
    const { publicKey, sign } = local(purpose)
    return {
      publicKey,
      async sign(messages) {
        onAsked()
        await sleep(ms)
        return sign(messages)
      },
    }
  }

/**
 * Keys that a test controls: a request for a signature waits until the test grants or refuses it. `purpose` is a key's
 * use, such as `authority/ws_…`.
 */
export function heldKeys() {
  let answer = async (_purpose: string): Promise<void> => {}
  let proceed = () => {}
  let heldSince_ms = 0
  let held_ms = 0
  const asked: string[] = []
  const answered: string[] = []
  const of =
    (local: Keys): Keys =>
    (purpose): Signer => {
      const signer = local(purpose)
      return {
        publicKey: signer.publicKey,
        async sign(messages) {
          asked.push(purpose)
          try {
            await answer(purpose)
            return await signer.sign(messages)
          } finally {
            answered.push(purpose)
          }
        },
      }
    }
  return {
    keysOf: (secret: Uint8Array) => of(localKeys(secret)),
    /** The purposes of requested signatures, one per request. */
    asked,
    /** Whether no request waits for a signature. */
    isIdle: () => asked.length === answered.length,
    /** How long the last hold took, in milliseconds. */
    heldFor: () => held_ms,
    /** Makes requests wait. */
    hold(): void {
      heldSince_ms = performance.now()
      const held = new Promise<void>((resolve) => {
        proceed = resolve
      })
      answer = () => held
    },
    /** Signs new requests at once. Waiting ones keep waiting. */
    letOthersPass(): void {
      answer = async () => {}
    },
    /** Makes every key with this purpose refuse. */
    refuse(refused: string): void {
      answer = async (purpose) => {
        if (purpose === refused) throw new Error("the key management service is unavailable")
      }
    },
    /** Signs all waiting requests, and new ones at once. */
    release(): void {
      answer = async () => {}
      held_ms = performance.now() - heldSince_ms
      proceed()
    },
  }
}
