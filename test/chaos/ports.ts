import { once } from "node:events"
import { createServer } from "node:net"

/**
 * A free port on loopback with `count - 1` free successors, below the range of outgoing connections: between a kill and
 * the restart, no client may use the dead server's port.
 */
export async function quietPorts(count: number): Promise<number> {
  for (;;) {
    const first = 15_000 + Math.floor(Math.random() * 15_000)
    const all = Array.from({ length: count }, (_, n) => isFree(first + n))
    if ((await Promise.all(all)).every(Boolean)) return first
  }
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return false
  }
  await once(server.close(), "close")
  return true
}
