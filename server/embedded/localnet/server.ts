import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { WebSocketServer } from "ws"
import { Chain } from "./chain.ts"
import { noFaults, rollFate, undisturbed } from "./faults.ts"
import { httpServer } from "./http.ts"
import { accountMethods } from "./methods/accounts.ts"
import { blockMethods } from "./methods/blocks.ts"
import { clusterMethods } from "./methods/cluster.ts"
import { contextOf } from "./methods/context.ts"
import { mostParams } from "./methods/limits.ts"
import { localnetMethods } from "./methods/localnet.ts"
import { sendMethods } from "./methods/send.ts"
import { tokenMethods } from "./methods/tokens.ts"
import { transactionMethods } from "./methods/transactions.ts"
import { validatorMethods } from "./methods/validators.ts"
import { type Method, methodsOf, withLimits } from "./rpc.ts"
import { openStorage } from "./storage.ts"
import { Subscriptions } from "./subscriptions.ts"
import { webSocketServer } from "./websocket.ts"

const HOST = "127.0.0.1"
const DEFAULT_SLOT_MS = 50

export type LocalnetOptions = {
  /** 0 takes any port whose neighbour is free as well. */
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

/** Serves a chain. Errors: `DirectoryInUse`, and the listeners' `EADDRINUSE`. */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
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
        mostParams,
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
    fateOf: (request) => (faults === noFaults || isControl(request) ? undisturbed : rollFate(faults)),
  })
  const subscriptions = new Subscriptions(context)
  let sockets: WebSocketServer
  try {
    sockets = await listen(http, port, (next) => webSocketServer(next, HOST, subscriptions))
  } catch (error) {
    await chain.close()
    throw error
  }
  // One slot per tick and none for ticks that were missed: a stopped process must not let blockhashes expire that
  // nobody could use meanwhile.
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

/** Both ports or none. With port 0 it tries until the neighbour of the port it was given is free, too. */
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
