import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { BlockList, Socket } from "node:net"
import { logger } from "#server/lib/log.ts"
import { refuseBody } from "./body.ts"
import { peerOf } from "./client.ts"

/** Descriptors for everything that is no client: database, RPC, files, pipes. */
const RESERVED_DESCRIPTORS = 256
/** More than this takes memory that the requests need: one has 15 KB while it is idle, and 50 with a few requests. */
const MOST_CONNECTIONS = 2048
/** What an address (of IPv6, a /64) may have at once, as a share of all: many people may stand behind one. */
const NETWORK_SHARE = 1 / 4
/** Connections without a place that may stay beyond the bound until their request is answered, and for how long. */
const LEAVING = 256
const LEAVING_MS = 1000
/** How long requests that are being answered may take once the server stops. */
const DRAIN_MS = 5000
/** Refused connections are counted and told of once in this time. */
const REPORT_MS = 60_000

/** How many connections this process may have, by the descriptors that the system lets it open. */
export function connectionLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const descriptors = Number(userLimits?.open_files?.soft)
  if (!(descriptors > 0)) return MOST_CONNECTIONS
  // Where there are few, they are shared.
  const free = Math.max(descriptors - RESERVED_DESCRIPTORS - LEAVING, Math.floor(descriptors / 2))
  return Math.min(free, MOST_CONNECTIONS)
}

export type Connections = {
  /** Ends the server: what is being answered may end first, for a few seconds. Resolves when no connection is left. */
  close(): Promise<void>
}

/**
 * The same for a connection and for the one that TLS makes of it. Its parts are gone once it is closed, so it is kept.
 */
const names = new WeakMap<Socket, string>()
function peerName(socket: Socket): string {
  const known = names.get(socket)
  if (known !== undefined) return known
  const name = `${socket.remoteAddress} ${socket.remotePort}`
  names.set(socket, name)
  return name
}

const withoutPlace = new WeakSet<IncomingMessage>()

/** Whether a request came on a connection that has no place: it is answered with `server_busy`, and nothing is done. */
export const hasNoPlace = (request: IncomingMessage): boolean => withoutPlace.has(request)

/** A connection, and the answers that it waits for. */
type Connection = { socket: Socket; network: string; answers: ServerResponse[] }

/**
 * Whether something is being done for it: not while it says nothing, is still sending, or does not read what it
 * asked for.
 */
function isServed({ answers }: Connection): boolean {
  // Those behind it wait for it.
  const first = answers.find(({ closed }) => !closed)
  return first?.req.complete === true && !first.writableEnded && !first.writableNeedDrain
}

/**
 * Tracks a server's connections from their first byte: Node does not count those in a TLS handshake or after an
 * upgrade. Limits them, in total and per address; a trusted proxy carries many clients and has no limit of its own.
 * When there are too many, the oldest idle connection of the address with the most gives way. A connection without a place
 * is closed only once its request is answered: its client would take a reset for a failure of the network.
 */
export function watchConnections(
  server: Server,
  { max, trusted }: { max: number; trusted: BlockList | null },
): Connections {
  const byPeer = new Map<string, Connection>()
  /** The oldest first. */
  const byNetwork = new Map<string, Set<Connection>>()
  const mostPerNetwork = Math.max(1, Math.floor(max * NETWORK_SHARE))
  // The oldest first.
  const leaving = new Map<string, Socket>()
  // Those that were destroyed count for a moment more.
  server.maxConnections = max + 2 * LEAVING
  let refused = 0
  let report: NodeJS.Timeout | undefined
  const refuse = () => {
    refused++
    report ??= setTimeout(() => {
      logger.warn({ refused, max, mostPerNetwork }, "connections refused: too many")
      refused = 0
      report = undefined
    }, REPORT_MS).unref()
  }
  const forget = (connection: Connection) => {
    const { socket, network } = connection
    if (byPeer.get(peerName(socket)) === connection) byPeer.delete(peerName(socket))
    const own = byNetwork.get(network)
    own?.delete(connection)
    if (own?.size === 0) byNetwork.delete(network)
  }
  const leave = (socket: Socket) => {
    refuse()
    const name = peerName(socket)
    for (const [oldest, other] of leaving) {
      if (leaving.size < LEAVING) break
      leaving.delete(oldest)
      other.destroy()
    }
    leaving.set(name, socket)
    const timer = setTimeout(() => socket.destroy(), LEAVING_MS).unref()
    socket.once("close", () => {
      clearTimeout(timer)
      if (leaving.get(name) === socket) leaving.delete(name)
    })
  }
  /** Returns whether one gave way. */
  const makeRoom = (own: Iterable<Connection>): boolean => {
    for (const connection of own) {
      if (isServed(connection)) continue
      forget(connection)
      const open = connection.answers.find(({ closed }) => !closed)
      // What is still sending hears why; who does not read hears nothing.
      if (!open || refuseBody(open.req)) leave(connection.socket)
      else {
        refuse()
        connection.socket.destroy()
      }
      return true
    }
    return false
  }
  const bySize = () => [...byNetwork.values()].sort((a, b) => b.size - a.size)
  server.on("drop", refuse)
  server.on("connection", (socket: Socket) => {
    const { network, isProxy } = peerOf(socket, trusted)
    const own = byNetwork.get(network)
    const hasRoom = isProxy || own === undefined || own.size < mostPerNetwork || makeRoom(own)
    if (!hasRoom || (byPeer.size >= max && !bySize().some(makeRoom))) {
      leave(socket)
      return
    }
    const connection: Connection = { socket, network, answers: [] }
    byPeer.set(peerName(socket), connection)
    const known = byNetwork.get(network)
    if (known) known.add(connection)
    else byNetwork.set(network, new Set([connection]))
    socket.once("close", () => forget(connection))
  })
  // Before the request is answered.
  server.prependListener("request", (request) => {
    if (leaving.size > 0 && leaving.has(peerName(request.socket))) withoutPlace.add(request)
  })
  server.on("request", ({ socket }, response) => {
    const connection = byPeer.get(peerName(socket))
    // Usually there was one and it has been sent: no listener is needed.
    if (connection) connection.answers = [...connection.answers.filter(({ closed }) => !closed), response]
  })
  return {
    close: () =>
      new Promise((resolve) => {
        // A connection that a client keeps alive would be served for as long as it sends: each ends with the request
        // that it is at.
        server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"))
        const idle = setInterval(() => server.closeIdleConnections(), 50)
        const timeout = setTimeout(() => {
          for (const { socket } of byPeer.values()) socket.destroy()
          for (const socket of leaving.values()) socket.destroy()
        }, DRAIN_MS)
        server.close(() => {
          clearInterval(idle)
          clearTimeout(timeout)
          clearTimeout(report)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
