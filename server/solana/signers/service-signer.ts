import { PublicKey } from "@solana/web3.js"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import { withText } from "../addresses.ts"
import type { Signer } from "../keys.ts"
import { type KeyService, SignerFailure } from "./definition.ts"
import { verifierOf } from "./ed25519.ts"

/** Maximum time of a request with all retries: less than the ledger waits for a signer. */
const ALL_MS = 2700
/** Timeout of one attempt, number of attempts, and the pause before the second, which then doubles. */
const TRY_MS = 1200
const TRIES = 3
const PAUSE_MS = 50

/** Calls a service and retries if that may help. Throws SignerFailure. */
export async function asking<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = performance.now() + ALL_MS
  for (let tries = 1; ; tries++) {
    const left = end - performance.now()
    try {
      return await question(AbortSignal.timeout(Math.ceil(Math.max(1, Math.min(TRY_MS, left)))))
    } catch (error) {
      const again = error instanceof SignerFailure && error.passing
      if (!again || tries === TRIES || performance.now() >= end) throw error
      logger.debug({ err: error, tries }, "a signer is called again")
      await sleep(PAUSE_MS * 2 ** (tries - 1))
    }
  }
}

/** A signer whose service must have the recorded key. Verifies every signature. Throws SignerFailure. */
export function serviceSigner(service: KeyService, uri: string, address: string): Signer {
  const publicKey = withText(new PublicKey(address))
  const verifies = verifierOf(publicKey.toBytes())
  let known: Promise<void> | null = null
  const checkKey = async () => {
    const bytes = await asking((signal) => service.publicKey(signal))
    if (!publicKey.toBuffer().equals(bytes))
      throw new SignerFailure(`${uri} now has another key than ${address}, with which it was first used`)
  }
  const signOne = async (message: Uint8Array): Promise<Uint8Array> => {
    const signature = await asking((signal) => service.sign(message, signal))
    if (verifies(message, signature)) return signature
    throw new SignerFailure(`${uri} returned a signature that is not ${address}'s`)
  }
  return {
    publicKey,
    async sign(messages) {
      known ??= checkKey().catch((error) => {
        known = null
        throw error
      })
      await known
      return Promise.all(messages.map(signOne))
    },
  }
}
