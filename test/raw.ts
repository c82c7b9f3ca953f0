import { connect } from "node:net"

/**
 * Sends bytes to a port as they are, and gives back everything that came until the other side closed. With
 * `endAfter` nothing more is to come from here, so that a server which waits for more gives up at once.
 */
export function sendRaw(port: number, bytes: string | Buffer, { endAfter = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, "127.0.0.1", () => (endAfter ? socket.end(bytes) : socket.write(bytes)))
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", reject)
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")))
  })
}
