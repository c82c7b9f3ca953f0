import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Tally } from "./tally.ts"

/** Requests of one connection that may be unanswered at once. Node reads up to 64 KiB of them before the first answer. */
const MOST_OF_CONNECTION = 100
/** Of all connections. One takes some KiB, without its body. */
const MOST_OF_ALL = 2048

type Waiting = {
  /** In the order in which the requests came. */
  places: Set<TakenPlace>
  /** Whether it had more than it may, so that nothing more of it is answered. */
  isOver: boolean
}

/** What a request takes: given back when its work is done, and its answer sent or nobody is there to read it. */
export type Place = {
  /**
   * Does the work once the answers before this one are sent: an answer that is ready lies in memory until then, and a
   * client need not read. Where the connection ends before, it calls `never` instead.
   */
  whenItsTurn(work: () => Promise<void>, never: () => void): void
}

/**
 * Bounds the requests that have begun and not ended: a client may send thousands in one packet, and each takes memory from
 * its first byte until its answer is read. No network may have more of them than are left for all others.
 */
export class WaitingRequests {
  readonly #mostOfConnection: number
  readonly #mostOfAll: number
  readonly #connections = new WeakMap<Socket, Waiting>()
  readonly #perNetwork = new Tally()
  #all = 0

  constructor({ mostOfConnection = MOST_OF_CONNECTION, mostOfAll = MOST_OF_ALL } = {}) {
    this.#mostOfConnection = mostOfConnection
    this.#mostOfAll = mostOfAll
  }

  /** How many there are. */
  get count(): number {
    return this.#all
  }

  /**
   * A place for a request. `over`: its connection had too many and has been closed, so there is nothing to answer. `busy`:
   * its network has too many, which ends the connection with the answer that says so.
   */
  take(socket: Socket, response: ServerResponse, network: string): Place | "over" | "busy" {
    const waiting = this.#of(socket)
    if (waiting.isOver || socket.destroyed) return "over"
    if (waiting.places.size >= this.#mostOfConnection) {
      waiting.isOver = true
      readNoMore(socket)
      socket.destroy()
      return "over"
    }
    if (this.#perNetwork.of(network) >= this.#mostOfAll - this.#all) {
      waiting.isOver = true
      readNoMore(socket)
      return "busy"
    }
    this.#all++
    this.#perNetwork.add(network)
    const isFirst = waiting.places.size === 0
    const place = new TakenPlace(isFirst, () => this.#release(network))
    waiting.places.add(place)
    response.once("close", () => {
      waiting.places.delete(place)
      place.answered()
      if (!socket.destroyed) waiting.places.values().next().value?.itsTurn()
    })
    return place
  }

  #of(socket: Socket): Waiting {
    const known = this.#connections.get(socket)
    if (known) return known
    const waiting: Waiting = { places: new Set(), isOver: false }
    this.#connections.set(socket, waiting)
    // Answers behind the first one never hear of it themselves.
    socket.once("close", () => {
      for (const place of waiting.places) place.answered()
      waiting.places.clear()
    })
    return waiting
  }

  #release(network: string): void {
    this.#all--
    this.#perNetwork.remove(network)
  }
}

/** llhttp's word for "what follows is not for this parser" (its `on_headers_complete`). */
const NOT_FOR_PARSER = 2

/**
 * Ends the parsing of what has been read: Node would make every request of the packet, and keep it as long as the socket. It has
 * no way of its own for that; a test holds that this one works, and without it nothing is wrong but the memory.
 */
function readNoMore(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: unknown } | null }
  if (parser) parser.onIncoming = () => NOT_FOR_PARSER
}

class TakenPlace implements Place {
  readonly #release: () => void
  #isItsTurn: boolean
  #next: { work: () => Promise<void>; never: () => void } | null = null
  #isWorking = false
  #isWaiting = true

  constructor(isItsTurn: boolean, release: () => void) {
    this.#isItsTurn = isItsTurn
    this.#release = release
  }

  whenItsTurn(work: () => Promise<void>, never: () => void): void {
    this.#next = { work, never }
    if (this.#isItsTurn) this.#begin()
  }

  /** All before it have been answered. */
  itsTurn(): void {
    this.#isItsTurn = true
    this.#begin()
  }

  answered(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    if (this.#isWorking) return
    this.#release()
    this.#next?.never()
    this.#next = null
  }

  #begin(): void {
    const next = this.#next
    if (next === null) return
    this.#next = null
    this.#isWorking = true
    next.work().finally(() => {
      this.#isWorking = false
      if (!this.#isWaiting) this.#release()
    })
  }
}
