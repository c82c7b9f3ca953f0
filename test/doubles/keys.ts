import { Keypair } from "@solana/web3.js"
import bs58 from "bs58"
import { sleep } from "#server/lib/time.ts"
import { type Keys, localKeys, type MintPlace, mintPlace, type Signer } from "#server/solana/keys.ts"

/** A place for a mint that does not exist yet, and the key that can create it there. */
export function newMintPlace(): { base: Keypair; place: MintPlace } {
  const base = Keypair.generate()
  return { base, place: mintPlace(base.publicKey, { workspaceId: "ws_a", kind: "asset", name: "a" }) }
}

/** Keys as slow to answer as those of a service. */
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
 * Keys that a test holds up: a request for a signature waits until it is granted or refused. `purpose` is what a key is
 * for, such as `authority/ws_…`.
 */
export function heldKeys() {
  let answer = async (_purpose: string): Promise<void> => {}
  let goOn = () => {}
  const asked: string[] = []
  const answered: string[] = []
  const signed: string[] = []
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
            const signatures = await signer.sign(messages)
            if (purpose.startsWith("fee-payer")) signed.push(...signatures.map((one) => bs58.encode(one)))
            return signatures
          } finally {
            answered.push(purpose)
          }
        },
      }
    }
  return {
    keysOf: (secret: Uint8Array) => of(localKeys(secret)),
    /** Purposes of the keys that were asked to sign, once per request. */
    asked,
    /** Signatures of transactions by fee payers. */
    signed,
    /** Whether no request waits for a signature. */
    isIdle: () => asked.length === answered.length,
    /** From now on nothing is signed. */
    hold(): void {
      const held = new Promise<void>((resolve) => {
        goOn = resolve
      })
      answer = () => held
    },
    /** From now on requests are signed at once; waiting ones still wait. */
    letOthersPass(): void {
      answer = async () => {}
    },
    /** From now on every key of this purpose refuses. */
    refuse(refused: string): void {
      answer = async (purpose) => {
        if (purpose === refused) throw new Error("the key management service is away")
      }
    },
    /** Signs what waits, and everything else at once. */
    release(): void {
      answer = async () => {}
      goOn()
    },
  }
}
