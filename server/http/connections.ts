import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { BlockList, Socket } from "node:net"
import { logger } from "#server/lib/log.ts"
import { refuseBody } from "./body.ts"
import { peerOf } from "./client.ts"

/** Descriptors reserved for everything except clients: database, RPC, files, pipes. */
const RESERVED_DESCRIPTORS = 256
/** More would take memory that requests need: a connection takes 15 KB while idle, and 50 KB with a few requests. */
const MOST_CONNECTIONS = 2048
/** The share of all connections that one address (for IPv6, a /64) may have. Many people can share an address. */
const NETWORK_SHARE = 1 / 4
/** How many connections beyond the limit may stay until their request is answered, and for how long. */
const LEAVING = 256
const LEAVING_MS = 1000
/** How long running requests may take once the server stops. */
const DRAIN_MS = 5000
/** Refused connections are logged once in this time, with their number. */
const REPORT_MS = 60_000

/** The most connections of this process, by the descriptors that the system allows. */
export function connectionLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const descriptors = Number(userLimits?.open_files?.soft)
  if (!(descriptors > 0)) return MOST_CONNECTIONS
  // If there are few, connections may take half of them.
  const free = Math.max(descriptors - RESERVED_DESCRIPTORS - LEAVING, Math.floor(descriptors / 2))
  return Math.min(free, MOST_CONNECTIONS)
}

export type Connections = {
  /** Stops the server. Running requests may finish for a few seconds. Resolves when no connection is left. */
  close(): Promise<void>
}

/** Identifies a connection and the TLS connection on top of it. Stored, because a closed socket loses the parts. */
const names = new WeakMap<Socket, string>()
function peerName(socket: Socket): string {
  const known = names.get(socket)
  if (known !== undefined) return known
  const name = `${socket.remoteAddress} ${socket.remotePort}`
  names.set(socket, name)
  return name
}

const beyondLimit = new WeakSet<IncomingMessage>()

/** Whether a request came on a connection beyond the limit. It is answered with `server_busy` and not run. */
export const isBeyondLimit = (request: IncomingMessage): boolean => beyondLimit.has(request)

/** A connection and its unfinished answers. */
type Connection = { socket: Socket; network: string; answers: ServerResponse[] }

/** Whether a request of it is being served. Not while it is silent, still sending, or not reading its answer. */
function isServed({ answers }: Connection): boolean {
  // Later answers wait for it.
  const first = answers.find(({ closed }) => !closed)
  return first?.req.complete === true && !first.writableEnded && !first.writableNeedDrain
}

/**
 * Tracks a server's connections from their first byte, because Node does not count those in a TLS handshake or after an
 * upgrade. Limits them in total and per address. A trusted proxy carries many clients and is not limited itself.
 * If there are too many, the oldest idle connection of the address with the most is closed. A connection beyond the limit
 * is closed only after its request is answered, because its client would take a reset for a network failure.
 */
export function watchConnections(
  server: Server,
  { max, trusted }: { max: number; trusted: BlockList | null },
): Connections {
  const byPeer = new Map<string, Connection>()
  /** Oldest first. */
  const byNetwork = new Map<string, Set<Connection>>()
  const mostPerNetwork = Math.max(1, Math.floor(max * NETWORK_SHARE))
  // Oldest first.
  const leaving = new Map<string, Socket>()
  // Destroyed connections still count for a moment.
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
  /** Returns whether one was closed. */
  const makeRoom = (own: Iterable<Connection>): boolean => {
    for (const connection of own) {
      if (isServed(connection)) continue
      forget(connection)
      const open = connection.answers.find(({ closed }) => !closed)
      // A client that is still sending gets the reason. One that does not read gets nothing.
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
    if (leaving.size > 0 && leaving.has(peerName(request.socket))) beyondLimit.add(request)
  })
  server.on("request", ({ socket }, response) => {
    const connection = byPeer.get(peerName(socket))
    // Usually its answer was already sent, and no listener is needed.
    if (connection) connection.answers = [...connection.answers.filter(({ closed }) => !closed), response]
  })
  return {
    close: () =>
      new Promise((resolve) => {
        // Otherwise a kept-alive connection would be served as long as its client sends. Each ends with its current
        // request.
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
