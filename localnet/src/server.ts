import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { WebSocketServer } from "ws"
import { Chain } from "./chain/chain.ts"
import { disruptionOf, noDisruption, noFaults } from "./rpc/faults.ts"
import { httpServer } from "./rpc/http.ts"
import { accountMethods } from "./rpc/methods/accounts.ts"
import { blockMethods } from "./rpc/methods/blocks.ts"
import { clusterMethods } from "./rpc/methods/cluster.ts"
import { contextOf } from "./rpc/methods/context.ts"
import { maxParams } from "./rpc/methods/limits.ts"
import { localnetMethods } from "./rpc/methods/localnet.ts"
import { sendMethods } from "./rpc/methods/send.ts"
import { tokenMethods } from "./rpc/methods/tokens.ts"
import { transactionMethods } from "./rpc/methods/transactions.ts"
import { validatorMethods } from "./rpc/methods/validators.ts"
import { type Method, methodsOf, withLimits } from "./rpc/rpc.ts"
import { Subscriptions } from "./rpc/subscriptions.ts"
import { webSocketServer } from "./rpc/websocket.ts"
import { openStorage } from "./storage/storage.ts"

const HOST = "127.0.0.1"
const DEFAULT_SLOT_MS = 50

export type LocalnetOptions = {
  /** The WebSocket is on the next port. 0 takes any two adjacent free ports. */
  port?: number
  /** null keeps everything in memory. */
  dataDir?: string | null
  slotMs?: number
  /** Whether `localnet_*` methods may make it misbehave. */
  allowFaults?: boolean
}

export type Localnet = {
  url: string
  wsUrl: string
  port: number
  genesisHash: string
  close(): Promise<void>
}

/** Serves a chain over HTTP and WebSocket. Errors: `DirectoryInUse`, and `EADDRINUSE` for either port. */
export async function serve(options: LocalnetOptions): Promise<Localnet> {
  const { port = 0, dataDir = null, slotMs = DEFAULT_SLOT_MS, allowFaults = false } = options
  const chain = new Chain(openStorage(dataDir), { canRollBack: allowFaults })
  const context = contextOf(chain, slotMs)
  let faults = noFaults
  const methods = new Map<string, Method>(
    Object.entries({
      ...withLimits(
        {
          ...clusterMethods(context),
          ...validatorMethods(context),
          ...accountMethods(context),
          ...tokenMethods(context),
          ...sendMethods(context),
          ...transactionMethods(context),
          ...blockMethods(context),
        },
        maxParams,
      ),
      ...(allowFaults
        ? localnetMethods(chain, (wanted) => {
            faults = wanted
          })
        : {}),
    }),
  )
  const isControl = (request: unknown) => methodsOf(request).every((name) => name.startsWith("localnet_"))
  const http = httpServer({
    methods,
    disruptionOf: (request) => (faults === noFaults || isControl(request) ? noDisruption : disruptionOf(faults)),
  })
  const subscriptions = new Subscriptions(context)
  let sockets: WebSocketServer
  try {
    sockets = await listen(http, port, (next) => webSocketServer(next, HOST, subscriptions))
  } catch (error) {
    await chain.close()
    throw error
  }
  // One slot per tick, and none for missed ticks: while the process is stopped, no client can use a blockhash, so none
  // may expire.
  const timer = setInterval(() => chain.advance(1), slotMs)
  const taken = (http.address() as AddressInfo).port
  let closing: Promise<void> | null = null
  return {
    url: `http://${HOST}:${taken}`,
    wsUrl: `ws://${HOST}:${taken + 1}`,
    port: taken,
    genesisHash: chain.genesisHash,
    close() {
      closing ??= (async () => {
        clearInterval(timer)
        for (const socket of sockets.clients) socket.terminate()
        http.closeAllConnections()
        await Promise.all([ended(sockets), ended(http)])
        await chain.close()
      })()
      return closing
    },
  }
}

/** Opens both ports or neither. With port 0 it retries until the port after the assigned one is free as well. */
async function listen(http: Server, port: number, openSockets: (port: number) => WebSocketServer) {
  for (let attempt = 1; ; attempt++) {
    http.listen(port, HOST)
    await once(http, "listening")
    const sockets = openSockets((http.address() as AddressInfo).port + 1)
    try {
      await once(sockets, "listening")
      return sockets
    } catch (error) {
      await ended(http)
      if (port !== 0 || attempt === 20) throw error
    }
  }
}

const ended = (server: Server | WebSocketServer) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
