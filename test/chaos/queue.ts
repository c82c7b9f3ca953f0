import { setTimeout as sleep } from "node:timers/promises"
import type { Client } from "./client.ts"

/** Pieces of work in progress at once. */
const PARALLEL = 16

/** Does a client's work with many pieces in progress at once. Pieces start only after they are released. */
export class Queue<Work> {
  readonly #work: readonly Work[]
  readonly #client: Client
  #released = 0
  #next = 0

  constructor(client: Client, work: readonly Work[]) {
    this.#client = client
    this.#work = work
  }

  /** Raises the number of pieces that may start, in total. */
  release(upTo: number): void {
    this.#released = Math.min(upTo, this.#work.length)
  }

  /** Resolves when all pieces are done or the client is stopped. */
  async run(perform: (one: Work) => Promise<void>): Promise<void> {
    await Promise.all(Array.from({ length: PARALLEL }, () => this.#take(perform)))
  }

  async #take(perform: (one: Work) => Promise<void>): Promise<void> {
    while (this.#next < this.#work.length && !this.#client.isStopped) {
      if (this.#next >= this.#released) await sleep(20)
      else await perform(this.#work[this.#next++]!)
    }
  }
}

/** Does all pieces, many at once. */
export function forAll<Work>(
  client: Client,
  work: readonly Work[],
  perform: (one: Work) => Promise<void>,
): Promise<void> {
  const queue = new Queue(client, work)
  queue.release(work.length)
  return queue.run(perform)
}
