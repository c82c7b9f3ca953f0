import { AsyncLocalStorage } from "node:async_hooks"

/** Facts about a page's request, for code that better-auth calls in between. */
type Attempt = {
  /** The client's network. */
  network: string
  /** The user's number of resets when the attempt began; null for an unknown user. */
  generation: number | null
  /** The user who signed in from this browser before, if the request signs in the same person. */
  returning: string | null
  /** Whether the passkey being registered has proven itself. */
  isProven: boolean
  /** Whose two factors the request's session has proven, and when; null if it has not. */
  twoFactors: { userId: string; at: Date | null } | null
}

const attempts = new AsyncLocalStorage<Attempt>()

/** Runs a request so that everything it calls can read its `Attempt`. */
export const asAttempt = <T>(network: string, run: () => Promise<T>): Promise<T> =>
  attempts.run({ network, generation: null, returning: null, isProven: false, twoFactors: null }, run)

/** The current request; undefined outside of one. */
export const currentAttempt = (): Attempt | undefined => attempts.getStore()
