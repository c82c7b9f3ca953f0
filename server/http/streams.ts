import type { IncomingMessage, ServerResponse } from "node:http"
import { Tally } from "#server/lib/tally.ts"
import { fail } from "#shared/errors.ts"

/** The most long-running answers at once: of one member, in one workspace, and in this process. */
export type Most = { person: number; workspace: number; process: number }

export type Watcher = { userId: string; workspaceId: string }

/** When to retry after a refusal. */
const RETRY_SECONDS = 30

/** Places for long-running answers such as event streams, which take memory and a descriptor while they are open. */
export class StreamPlaces {
  readonly #what: string
  readonly #most: Most
  readonly #longest_ms: number
  readonly #taken = new Tally()

  /** `what` names them in a refusal. A stream still open after `longest_ms` is cut off: its client reads nothing. */
  constructor(what: string, most: Most, longest_ms: number) {
    this.#what = what
    this.#most = most
    this.#longest_ms = longest_ms
  }

  /** The number of taken places. */
  get size(): number {
    return this.#taken.of("")
  }

  /** Takes a place until the answer ends or its client leaves; none if it has left. Errors: rate_limited. */
  take(request: IncomingMessage, response: ServerResponse, { userId, workspaceId }: Watcher): boolean {
    const { socket } = request
    if (socket.destroyed || response.closed) return false
    const names = [userId, workspaceId, ""]
    this.#requireRoom(userId, this.#most.person, "You have")
    this.#requireRoom(workspaceId, this.#most.workspace, "This workspace has")
    this.#requireRoom("", this.#most.process, "This server has")
    for (const name of names) this.#taken.add(name)
    let isOpen = true
    const leave = () => {
      // The connection's end reaches the response and other listeners at the same time.
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      response.off("close", leave)
      socket.off("close", leave)
      for (const name of names) this.#taken.remove(name)
    }
    const timer = setTimeout(() => socket.destroy(), this.#longest_ms).unref()
    response.on("close", leave)
    // An answer that waits behind another one gets no event when their connection closes.
    socket.on("close", leave)
    return true
  }

  #requireRoom(name: string, most: number, who: string): void {
    if (this.#taken.of(name) < most) return
    fail("rate_limited", `${who} the maximum of ${most} ${this.#what} open. Close some or retry later.`, {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
}
