import { monotonic } from "./time.ts"

/** Callers of one generation. Two are kept, so that a crowd takes a few megabytes and no more. */
const GENERATION = 10_000

type Bucket = { tokens: number; at: number }

export type RateLimitStatus = { allowed: boolean; remaining: number; limit: number; resetSeconds: number }

/**
 * Token buckets, one for each caller: `perSecond` tokens flow in, at most `burst` gather. Each replica counts
 * separately. A caller that was idle while 10,000 others called is forgotten, and so has a full bucket: being
 * forgotten costs an empty caller more requests than it gains.
 */
export class RateLimiter {
  readonly #perSecond: number
  readonly burst: number
  #recent = new Map<string, Bucket>()
  #earlier = new Map<string, Bucket>()

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    // Less than one token could never be taken.
    this.burst = Math.max(1, burst)
  }

  /** Takes a token for a caller, if there is one. `now_ms` is the time by a clock that only goes forward. */
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

  /** Callers that are remembered. */
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
