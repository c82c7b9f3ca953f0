import { Keypair } from "@solana/web3.js"
import bs58 from "bs58"
import { sleep } from "#server/lib/time.ts"
import { type Keys, localKeys, type MintPlace, mintPlace, type Signer } from "#server/solana/keys.ts"

/** A place for a mint that does not exist yet, and the key that can create it there. */
export function newMintPlace(): { base: Keypair; place: MintPlace } {
  const base = Keypair.generate()
  return { base, place: mintPlace(base.publicKey, { workspaceId: "ws_a", kind: "asset", name: "a" }) }
}

/** Keys that take so long for each answer, as those of a service do. */
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
 * Keys that a test holds up: whoever asks for a signature waits until it is given, or refused. `purpose` is what a key
 * is for, such as `authority/ws_…`.
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
    /** Purposes of the keys that were asked to sign, once for each time. */
    asked,
    /** Signatures of transactions, as fee payers gave them. */
    signed,
    /** Whether nobody waits for a signature any more. */
    isIdle: () => asked.length === answered.length,
    /** Nothing is signed from here on. */
    hold(): void {
      const held = new Promise<void>((resolve) => {
        goOn = resolve
      })
      answer = () => held
    },
    /** What comes from here on is signed at once; what waits goes on waiting. */
    letOthersPass(): void {
      answer = async () => {}
    },
    /** Every key of this purpose refuses from here on. */
    refuse(refused: string): void {
      answer = async (purpose) => {
        if (purpose === refused) throw new Error("the key management service is away")
      }
    },
    /** What waits is signed, and everything else at once. */
    release(): void {
      answer = async () => {}
      goOn()
    },
  }
}
