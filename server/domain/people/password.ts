import { monotonic } from "#server/lib/time.ts"
import { Failure } from "#shared/errors.ts"
import { currentAttempt } from "./attempt.ts"

/** Hashes to compute at once. One takes 32 MB, a tenth of all memory, and a thread for tens of milliseconds. */
const AT_ONCE = 1
/** Beyond this many, another request would wait for seconds. */
const MAX_WAITING = 64
/** The most for one network, because a whole office may share an address. */
const MAX_WAITING_EACH = 8
/** For how long a past hash counts against a network. */
const REMEMBERED_MS = 30_000
const RETRY_SECONDS = 5

/** The scrypt hash of a password. Errors: rate_limited, while too many are made. */
export const hashPassword = (password: string): Promise<string> =>
  queued(async () => (await import("better-auth/crypto")).hashPassword(password))

/** Errors: rate_limited, while too many are made. */
export const verifyPassword = (given: { hash: string; password: string }): Promise<boolean> =>
  queued(async () => (await import("better-auth/crypto")).verifyPassword(given))

type Waiting = { who: string; begin: () => void; refuse: (failure: Failure) => void }

/**
 * The queue for hashes. The network whose last hash was longest ago is next, so many requests from few networks delay
 * only those networks. When the queue is full, the one that would be last is dropped.
 */
class Queue {
  readonly #waiting: Waiting[] = []
  /** When each network had its last hash, latest last. */
  readonly #served = new Map<string, number>()

  get length(): number {
    return this.#waiting.length
  }

  /** Resolves when this network's hash may start. Errors: rate_limited. */
  wait(who: string): Promise<void> {
    return new Promise((begin, refuse) => {
      this.#waiting.push({ who, begin, refuse })
      const own = this.#waiting.filter((one) => one.who === who)
      if (own.length > MAX_WAITING_EACH) this.#drop(own.at(-1)!)
      else if (this.#waiting.length > MAX_WAITING) this.#drop(this.#inOrder().at(-1)!)
    })
  }

  /** Starts the next hash. */
  next(): void {
    const [next] = this.#inOrder() as [Waiting]
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.note(next.who)
    next.begin()
  }

  /** Records that a hash is being computed. */
  note(who: string): void {
    const now = monotonic.now()
    this.#served.delete(who)
    this.#served.set(who, now)
    for (const [other, at] of this.#served) {
      if (at > now - REMEMBERED_MS) break
      this.#served.delete(other)
    }
  }

  /** The queue in serving order: first each network's first request, by its last hash, then the second ones. */
  #inOrder(): Waiting[] {
    const forgotten = monotonic.now() - REMEMBERED_MS
    const seen = new Set<string>()
    const ranked = this.#waiting.map((one) => {
      const rank = seen.has(one.who) ? Number.POSITIVE_INFINITY : Math.max(this.#served.get(one.who) ?? 0, forgotten)
      seen.add(one.who)
      return { one, rank }
    })
    return ranked.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).map(({ one }) => one)
  }

  #drop(one: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(one), 1)
    one.refuse(
      new Failure("rate_limited", `Too many people are signing in right now. Retry in ${RETRY_SECONDS} s.`, {
        retryAfterSeconds: RETRY_SECONDS,
      }),
    )
  }
}

let running = 0
/** `returning`: users at a browser that they signed in from before. `others`: networks of everyone else. */
const returning = new Queue()
const others = new Queue()
let lastWasReturning = false

/** How many hashes are running and how many are waiting. */
export const passwordWork = () => ({ running, waiting: returning.length + others.length })

/** Runs a hash when it reaches the front of the queue. Errors: rate_limited, while too many wait. */
export async function queued<T>(work: () => Promise<T>): Promise<T> {
  const attempt = currentAttempt()
  const person = attempt?.returning ?? null
  const [queue, who] = person === null ? [others, attempt?.network ?? ""] : [returning, person]
  if (running < AT_ONCE) {
    running++
    queue.note(who)
  } else await queue.wait(who)
  try {
    return await work()
  } finally {
    // Start the next one.
    const next = nextQueue()
    if (next) next.next()
    else running--
  }
}

/** Known browsers go first, but never twice in a row while others wait, so that they cannot shut others out. */
function nextQueue(): Queue | null {
  const first = lastWasReturning ? [others, returning] : [returning, others]
  const queue = first.find(({ length }) => length > 0) ?? null
  lastWasReturning = queue === returning
  return queue
}
