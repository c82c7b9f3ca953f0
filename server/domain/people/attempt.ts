import { AsyncLocalStorage } from "node:async_hooks"

/** A request of a page, as far as those need to know that are called by a library in between. */
type Attempt = {
  /** The client's. */
  network: string
  /** The user's number of resets when the attempt began; null for an unknown user. */
  generation: number | null
  /** Who signed in before from the browser that sends it, where it signs in the same person. */
  returning: string | null
  /** Whether a passkey that is being registered has proven itself. */
  isProven: boolean
  /** Whether the session that it comes with has proven two factors. */
  isProvenTwice: boolean
}

const attempts = new AsyncLocalStorage<Attempt>()

/** Runs a request so that all that it calls knows where it came from. */
export const asAttempt = <T>(network: string, run: () => Promise<T>): Promise<T> =>
  attempts.run({ network, generation: null, returning: null, isProven: false, isProvenTwice: false }, run)

/** The request that is being answered; undefined for what is none. */
export const currentAttempt = (): Attempt | undefined => attempts.getStore()
