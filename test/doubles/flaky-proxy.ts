import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { socketPort, socketUrl } from "#server/embedded/socket.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"

/** A connection to the database that a test can cut and restore without the database noticing. */
export type FlakyProxy = {
  url: string
  cut(): Promise<void>
  mend(): Promise<void>
  stall(): void
  flow(): void
}

export async function flakyProxy(databaseUrl: string): Promise<FlakyProxy> {
  const directory = mkdtempSync(join(tmpdir(), "vouch-cut-"))
  const file = `.s.PGSQL.${socketPort}`
  const { host, port } = socketOptions(databaseUrl)
  const { pathname, password } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let stalled = false
  let server: Server

  const forward = (near: Socket) => {
    const far = connect(join(host!, `.s.PGSQL.${port}`))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (stalled) from.pause()
    }
  }
  const mend = async () => {
    server = createServer(forward).listen(join(directory, file))
    await once(server, "listening")
  }
  await mend()
  return {
    url: socketUrl(directory, decodeURIComponent(password), pathname.slice(1)),
    mend,
    async cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
      rmSync(join(directory, file), { force: true })
    },
    /** Stops all traffic, without an error. */
    stall() {
      stalled = true
      for (const socket of sockets) socket.pause()
    },
    flow() {
      stalled = false
      for (const socket of sockets) socket.resume()
    },
  }
}
