/** Buckets that are kept; past it, full ones (which say nothing) are dropped. */
const MAX_BUCKETS = 50_000

type Bucket = { tokens: number; at: number }

export type Standing = { allowed: boolean; remaining: number; limit: number; resetSeconds: number }

/**
 * Token buckets, one for each caller: `perSecond` tokens flow in, at most `burst` gather. Time comes in, in
 * milliseconds. Each replica counts for itself.
 */
export class RateLimiter {
  readonly #perSecond: number
  readonly burst: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    // Less than one token could never be taken.
    this.burst = Math.max(1, burst)
  }

  /** Takes a token for a caller, if there is one. */
  take(caller: string, now: number): Standing {
    let bucket = this.#buckets.get(caller)
    if (!bucket) {
      if (this.#buckets.size >= MAX_BUCKETS) this.#dropFull(now)
      bucket = { tokens: this.burst, at: now }
      this.#buckets.set(caller, bucket)
    }
    const flowed = (Math.max(0, now - bucket.at) / 1000) * this.#perSecond
    bucket.tokens = Math.min(this.burst, bucket.tokens + flowed)
    bucket.at = now
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

  #dropFull(now: number): void {
    for (const [caller, { tokens, at }] of this.#buckets) {
      if (tokens + ((now - at) / 1000) * this.#perSecond >= this.burst) this.#buckets.delete(caller)
    }
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear()
  }
}
