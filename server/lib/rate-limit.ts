import { monotonic } from "./time.ts"

/** Callers per generation. Two generations are kept, so that many callers take only a few megabytes. */
const GENERATION = 10_000

type Bucket = { tokens: number; at: number }

export type RateLimitStatus = { allowed: boolean; remaining: number; limit: number; resetSeconds: number }

/**
 * Token buckets, one per caller: `perSecond` tokens are added, up to `burst`. Each replica counts separately. A caller
 * that was idle while 10,000 others called is forgotten and gets a full bucket. Getting forgotten costs more requests than
 * the full bucket gives.
 */
export class RateLimiter {
  readonly #perSecond: number
  readonly burst: number
  #recent = new Map<string, Bucket>()
  #earlier = new Map<string, Bucket>()

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    // A bucket of less than one token would never allow a request.
    this.burst = Math.max(1, burst)
  }

  /** Takes a token for a caller, if available. `now_ms` is from a monotonic clock. */
  take(caller: string, now_ms = monotonic.now()): RateLimitStatus {
    const bucket = this.#bucketOf(caller, now_ms)
    const flowed = (Math.max(0, now_ms - bucket.at) / 1000) * this.#perSecond
    bucket.tokens = Math.min(this.burst, bucket.tokens + flowed)
    bucket.at = now_ms
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= 1
    const missing = allowed ? this.burst - bucket.tokens : 1 - bucket.tokens
    return {
      allowed,
      remaining: Math.floor(bucket.tokens),
      limit: this.burst,
      resetSeconds: Math.ceil(missing / this.#perSecond),
    }
  }

  /** The number of remembered callers. */
  get size(): number {
    return this.#recent.size + this.#earlier.size
  }

  #bucketOf(caller: string, now_ms: number): Bucket {
    const recent = this.#recent.get(caller)
    if (recent) return recent
    const bucket = this.#earlier.get(caller) ?? { tokens: this.burst, at: now_ms }
    this.#earlier.delete(caller)
    if (this.#recent.size >= GENERATION) {
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(caller, bucket)
    return bucket
  }
}
