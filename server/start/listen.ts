import type { Server } from "node:net"

export type ListenOptions = {
  port: number
  /** Every address of this machine where nothing is said. */
  host?: string | undefined
  /** Which setting has the port: whoever cannot have it is told. */
  setting: string
}

/** Opens a port. Rejects with words for a person where it is not to be had. */
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
      `This machine has no address ${host}. Set ${setting.replace("PORT", "HOST")} to one of its own.`,
    )
  return new Error(`Port ${port} cannot be opened. Check ${setting}: ${error.message}`, { cause: error })
}
