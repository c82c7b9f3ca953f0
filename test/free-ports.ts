import { once } from "node:events"
import { createServer, type Server } from "node:net"

/** A free port on loopback whose `count - 1` successors are free as well: the local network needs two. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await listen(0)
    const { port } = first!.address() as { port: number }
    const rest = await Promise.all(Array.from({ length: count - 1 }, (_, n) => listen(port + 1 + n)))
    const servers = [first, ...rest]
    await Promise.all(servers.map((server) => server && once(server.close(), "close")))
    if (servers.every(Boolean)) return port
  }
}

async function listen(port: number): Promise<Server | undefined> {
  if (port > 65_535) return undefined
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
    return server
  } catch {
    return undefined
  }
}
