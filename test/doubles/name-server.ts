import { createSocket } from "node:dgram"

/** The response for a name: its IPv4 addresses, "does not exist", or none. */
type Says = string[] | "unknown" | "nothing"

const [HEADER_BYTES, TYPE_A, CLASS_IN, TTL_S] = [12, 1, 1, 60]
const [RESPONSE, NO_SUCH_NAME] = [0x8180, 3]

/** A name server (RFC 1035). Returns its address in the form of `setServers`. */
export async function startNameServer(say: (name: string) => Says) {
  const socket = createSocket("udp4")
  let asked = 0
  socket.on("message", (query, { port, address }) => {
    asked++
    const { name, type, end } = questionOf(query)
    const said = say(name)
    if (said === "nothing") return
    const addresses = said === "unknown" || type !== TYPE_A ? [] : said
    const header = Buffer.alloc(HEADER_BYTES)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(RESPONSE | (said === "unknown" ? NO_SUCH_NAME : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(addresses.length, 6)
    const answers = addresses.map((ip) => {
      const record = Buffer.alloc(16)
      // A pointer to the name in the question.
      record.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
      record.writeUInt16BE(TYPE_A, 2)
      record.writeUInt16BE(CLASS_IN, 4)
      record.writeUInt32BE(TTL_S, 6)
      record.writeUInt16BE(4, 10)
      for (const [i, byte] of ip.split(".").entries()) record[12 + i] = Number(byte)
      return record
    })
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

/** Reads a query's question: labels, each preceded by its length, then type and class. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}
