import type { Server } from "node:http"
import type { BlockList, Socket } from "node:net"
import { logger } from "./log.ts"
import { peerOf } from "./rest/client.ts"
import { Tally } from "./tally.ts"

/** Descriptors for everything that is no client: database, RPC, files, pipes. */
const RESERVED_DESCRIPTORS = 256
/** More than this takes memory that the requests need: an idle connection has about 15 KB, one in use several times that. */
const MOST_CONNECTIONS = 4096
/** What an address (of IPv6, a /64) may have at once, as a share of all: many people may stand behind one. */
const NETWORK_SHARE = 1 / 4
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
  const free = Math.max(descriptors - RESERVED_DESCRIPTORS, Math.floor(descriptors / 2))
  return Math.min(free, MOST_CONNECTIONS)
}

export type Connections = {
  /** Ends the server: what is being answered may end first, for a few seconds. Resolves when no connection is left. */
  close(): Promise<void>
}

/**
 * Watches over a server's connections from their first byte, whatever becomes of them: Node forgets one that is still in
 * its TLS handshake, and one that has changed its protocol. Bounds them, overall and per address; a proxy that is
 * trusted carries many clients, so it has no bound of its own.
 */
export function watchConnections(
  server: Server,
  { max, trusted }: { max: number; trusted: BlockList | null },
): Connections {
  const open = new Set<Socket>()
  const perNetwork = new Tally()
  const mostPerNetwork = Math.max(1, Math.floor(max * NETWORK_SHARE))
  server.maxConnections = max
  let refused = 0
  let report: NodeJS.Timeout | undefined
  const refuse = () => {
    refused++
    report ??= setTimeout(() => {
      logger.warn({ refused, max, mostPerNetwork }, "connections were refused: there were too many")
      refused = 0
      report = undefined
    }, REPORT_MS).unref()
  }
  server.on("drop", refuse)
  server.on("connection", (socket: Socket) => {
    const { network, isProxy } = peerOf(socket, trusted)
    if (perNetwork.of(network) >= mostPerNetwork && !isProxy) {
      refuse()
      socket.destroy()
      return
    }
    perNetwork.add(network)
    open.add(socket)
    socket.once("close", () => {
      open.delete(socket)
      perNetwork.remove(network)
    })
  })
  return {
    close: () =>
      new Promise((resolve) => {
        // A connection that a client keeps alive would be served for as long as it sends: each ends with the request
        // that it is at.
        server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"))
        const idle = setInterval(() => server.closeIdleConnections(), 50)
        const timeout = setTimeout(() => {
          for (const socket of open) socket.destroy()
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
