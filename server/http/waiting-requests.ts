import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Tally } from "#server/lib/tally.ts"

/** The most unanswered requests of one connection. Node reads up to 64 KiB of them before the first answer. */
const MOST_OF_CONNECTION = 100
/** The most unanswered requests of all connections. Each takes a few KiB, without its body. */
const MOST_OF_ALL = 2048

type Waiting = {
  socket: Socket
  network: string
  /** In order of arrival. */
  places: Set<TakenPlace>
  /** Whether it exceeded the limit, so that no more of its requests are answered. */
  isOver: boolean
}

/** A request's slot, freed when its work is done and its response is sent or its client has disconnected. */
export type Place = {
  /**
   * Runs `work` once all earlier answers are sent, because its answer would wait in memory until then. Runs `never` if
   * the connection ends first.
   */
  runAfterEarlier(work: () => Promise<void>, never: () => void): void
}

/**
 * Limits unfinished requests. A client can send thousands in one packet, and each takes memory until its response is
 * read. No network may have more of them than are left for all others. If there are too many, the connection with the
 * longest queue is closed, so that clients that send one request at a time are served.
 */
export class WaitingRequests {
  readonly #mostOfConnection: number
  readonly #mostOfAll: number
  readonly #connections = new Map<Socket, Waiting>()
  readonly #perNetwork = new Tally()
  #all = 0

  constructor({ mostOfConnection = MOST_OF_CONNECTION, mostOfAll = MOST_OF_ALL } = {}) {
    this.#mostOfConnection = mostOfConnection
    this.#mostOfAll = mostOfAll
  }

  /** The number of unfinished requests. */
  get count(): number {
    return this.#all
  }

  /**
   * A place for a request. `over`: its connection had too many and was closed, so there is nothing to answer. `busy`:
   * its network has too many, and the answer that says so ends the connection.
   */
  take(socket: Socket, response: ServerResponse, network: string): Place | "over" | "busy" {
    const waiting = this.#of(socket, network)
    if (waiting.isOver || socket.destroyed) return "over"
    if (waiting.places.size >= this.#mostOfConnection) {
      this.#close(waiting)
      return "over"
    }
    if (!this.#hasRoom(waiting)) {
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
      if (!socket.destroyed) waiting.places.values().next().value?.earlierAnswered()
    })
    return place
  }

  /** Whether one more request of a connection fits, if necessary by closing connections with longer queues. */
  #hasRoom({ network, places }: Waiting): boolean {
    const isFull = () => this.#all >= this.#mostOfAll
    const hasShare = () => this.#perNetwork.of(network) < this.#mostOfAll - this.#all
    while (isFull() || !hasShare()) {
      const own = isFull() ? undefined : this.#longest(places.size + 1, network)
      const longest = own ?? this.#longest(places.size + 1, null)
      if (!longest) return false
      this.#close(longest)
    }
    return true
  }

  /** The connection with the longest queue above this length, of a network or of all. */
  #longest(than: number, network: string | null): Waiting | undefined {
    let longest: Waiting | undefined
    for (const one of this.#connections.values()) {
      if (network !== null && one.network !== network) continue
      if (one.places.size > (longest?.places.size ?? than)) longest = one
    }
    return longest
  }

  #close(waiting: Waiting): void {
    waiting.isOver = true
    readNoMore(waiting.socket)
    waiting.socket.destroy()
    this.#end(waiting)
  }

  #end({ socket, places }: Waiting): void {
    this.#connections.delete(socket)
    // Answers behind the first one get no event themselves.
    for (const place of places) place.answered()
    places.clear()
  }

  #of(socket: Socket, network: string): Waiting {
    const known = this.#connections.get(socket)
    if (known) return known
    const waiting: Waiting = { socket, network, places: new Set(), isOver: false }
    this.#connections.set(socket, waiting)
    socket.once("close", () => this.#end(waiting))
    return waiting
  }

  #release(network: string): void {
    this.#all--
    this.#perNetwork.remove(network)
  }
}

/** llhttp's return value for "the rest is not for this parser" (its `on_headers_complete`). */
const NOT_FOR_PARSER = 2

/**
 * Stops parsing the received bytes. Otherwise Node would create every request of the packet and keep it as long as the
 * socket. Node has no public way to stop. A test checks that this one works. Without it only memory use is higher.
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

  runAfterEarlier(work: () => Promise<void>, never: () => void): void {
    this.#next = { work, never }
    if (this.#isItsTurn) this.#begin()
  }

  /** All earlier requests have been answered. */
  earlierAnswered(): void {
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
