import type { Server } from "node:net"

export type ListenOptions = {
  port: number
  /** Without a host, every address of this machine. */
  host?: string | undefined
  /** The setting with the port, for error messages. */
  setting: string
}

/** Opens a port. If it is unavailable, rejects with a message for the operator. */
export const listen = (server: Server, { port, host, setting }: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(explain(error, { port, host, setting }))
    server.once("error", refused)
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off("error", refused)
      resolve()
    })
  })

function explain(error: NodeJS.ErrnoException, { port, host, setting }: ListenOptions): Error {
  if (error.code === "EADDRINUSE")
    return new Error(`Port ${port} is in use. Stop the other program, or set ${setting} to a free port.`)
  if (error.code === "EACCES")
    return new Error(`This user may not open port ${port}. Set ${setting} to a port above 1023.`)
  if (error.code === "EADDRNOTAVAIL")
    return new Error(
      `This machine has no address ${host}. Set ${setting.replace("PORT", "HOST")} to one of its addresses.`,
    )
  return new Error(`Port ${port} cannot be opened. Check ${setting}: ${error.message}`, { cause: error })
}
