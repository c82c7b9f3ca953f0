import { fail } from "#server/errors.ts"

/** One hash takes 32 MB and a thread for tens of milliseconds: a tenth of all memory, of a processor more than its share. */
const AT_ONCE = 1
/** Whoever comes when so many wait would wait for seconds. */
const MAX_WAITING = 20
const RETRY_SECONDS = 5

let running = 0
const waiting: (() => void)[] = []

/** How many hashes are being made now, and how many wait for their turn. */
export const passwordWork = () => ({ running, waiting: waiting.length })

/** The scrypt hash of a password. Errors: rate_limited, while too many are made. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => (await import("better-auth/crypto")).hashPassword(password))

/** Errors: rate_limited, while too many are made. */
export const verifyPassword = (given: { hash: string; password: string }): Promise<boolean> =>
  inTurn(async () => (await import("better-auth/crypto")).verifyPassword(given))

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running++
  else {
    if (waiting.length >= MAX_WAITING) {
      fail("rate_limited", `Many people sign in at this moment. Retry in ${RETRY_SECONDS} s.`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    // Whoever ends hands its turn over.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
