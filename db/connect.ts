import { connect, Socket } from "node:net"
import { type DatabaseAddress, type Host, isSocket } from "./address.ts"
import { hasCode } from "./errors.ts"
import { startSession, takesWrites } from "./startup.ts"
import { encrypt } from "./tls.ts"
import { int32, lengthened, nextEvent, readBytes } from "./wire.ts"

// Makes connections like libpq. postgres.js alone takes a standby for the primary, checks no certificate's address,
// does not support prefer, allow or channel binding, and waits indefinitely if all of several hosts are down (3.4.9).

const SSL_REQUEST = lengthened([int32(80_877_103)])

/** The last host used for an address, so that only the first connection waits for a failover. */
const lastUsed = new WeakMap<DatabaseAddress, number>()

/** No host of the address could be used. Has the code of the last reason, which says whether a retry helps. */
class ConnectFailed extends Error {
  readonly code: string
  constructor(reasons: { host: Host; error: Error }[]) {
    const { error } = reasons.at(-1)!
    super(reasons.map(({ host, error }) => `${place(host)}: ${reasonOf(error)}`).join("; "), { cause: error })
    this.name = "ConnectFailed"
    this.code = codeOf(error) ?? "CONNECTION_FAILED"
  }
}

const place = ({ name, port }: Host): string => (name.startsWith("/") ? name : `${name}:${port}`)

/** A network error has the system's code. For TLS and file errors it is unknown whether a retry helps, so it may. */
const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === "string" && !/^(ERR_|[A-Z]+_[A-Z_]*CERT|CERT_|UNABLE_|DEPTH_|SELF_|EACCES)/.test(code)
    ? code
    : undefined
}

/** If all addresses of a name fail, the error has no message. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? (error.errors as Error[]).map(({ message }) => message).join(", ") : error.message

/** Where to connect, the session's settings, and what ends the attempt. */
type Target = { address: DatabaseAddress; settings: Record<string, string>; gone: AbortSignal }

/**
 * A connection with a started session, for postgres.js. If none can be made, returns one that fails with the reason,
 * because the library would wait indefinitely for a connection that is refused here.
 */
export async function connection(target: Target): Promise<Socket> {
  try {
    return await anyHost(target)
  } catch (error) {
    return failing(error as Error)
  }
}

/** Connects to the first usable host, starting with the last one used. */
async function anyHost(target: Target): Promise<Socket> {
  const { address, gone } = target
  const { hosts } = address
  const first = lastUsed.get(address) ?? 0
  const reasons: { host: Host; error: Error }[] = []
  for (let tries = 0; tries < hosts.length; tries++) {
    const at = (first + tries) % hosts.length
    const host = hosts[at]!
    try {
      const socket = await oneHost(host, target)
      lastUsed.set(address, at)
      return socket
    } catch (error) {
      reasons.push({ host, error: error as Error })
      if (gone.aborted) break
    }
  }
  throw reasons.length === 1 && hasSqlState(reasons[0]!.error) ? reasons[0]!.error : new ConnectFailed(reasons)
}

/** The server's own message is passed on, for example that it is starting. */
const hasSqlState = (error: Error): boolean => error.name === "PostgresError"

/** Like libpq: `prefer` retries without TLS if the server refuses it, `allow` the other way round. */
async function oneHost(host: Host, target: Target): Promise<Socket> {
  const mode = isSocket(host) ? "disable" : target.address.tls.mode
  // Whether to ask for TLS.
  const first = mode !== "disable" && mode !== "allow"
  try {
    return await attempt(host, first, target)
  } catch (error) {
    const mayRetry = mode === "allow" || mode === "prefer"
    if (!mayRetry || !hasCode(error, "invalid_authorization_specification")) throw error
    return attempt(host, !first, target)
  }
}

async function attempt(host: Host, withTls: boolean, { address, settings, gone }: Target): Promise<Socket> {
  const late = Object.assign(new Error(`no answer within ${address.connectTimeout_ms / 1000} s`), {
    code: "CONNECT_TIMEOUT",
  })
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(late), address.connectTimeout_ms)
  const signal = AbortSignal.any([gone, limit.signal])
  let socket = dial(host)
  try {
    await nextEvent(socket, ["connect"], signal)
    if (withTls) socket = await secured(socket, host, address, signal)
    const { messages, reported } = await startSession(socket, address, settings, signal)
    if (address.needsPrimary && !(await takesWrites(socket, reported, signal)))
      throw Object.assign(new Error("it is read-only"), { code: "25006" })
    return handOver(socket, host, messages)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function dial(host: Host): Socket {
  const socket = isSocket(host)
    ? connect(`${host.name}/.s.PGSQL.${host.port}`)
    : connect({ host: host.ip ?? host.name, port: host.port, noDelay: true })
  // Ignores errors that come when no one waits for them, such as during destruction.
  return socket.on("error", () => {})
}

/** Asks for TLS. With `prefer` and `allow`, continues without it if the server has none. */
async function secured(socket: Socket, host: Host, { tls }: DatabaseAddress, signal: AbortSignal): Promise<Socket> {
  if (!tls.isDirect) {
    socket.write(SSL_REQUEST)
    const [answer] = await readBytes(socket, 1, signal)
    if (answer !== "S".charCodeAt(0)) {
      if (answer !== "N".charCodeAt(0)) throw new Error("the server there does not speak PostgreSQL's protocol")
      if (tls.mode === "prefer") return socket
      throw new Error(`the server does not support TLS, which sslmode=${tls.mode} requires`)
    }
    // Sent before the encryption began, possibly by an attacker in between.
    if (socket.readableLength > 0) throw new Error("the server sent unencrypted data behind its answer")
  }
  return encrypt(socket, host, tls, signal)
}

/** Gives postgres.js a started session: drops the library's first message, and replays the server's. */
function handOver(socket: Socket, { name, port }: Host, messages: Buffer): Socket {
  const write = socket.write.bind(socket)
  const taken: typeof socket.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    socket.write = write
    const bytes = Buffer.from(chunk as Uint8Array)
    const behind = bytes.subarray(bytes.readUInt32BE(0))
    return behind.length === 0 || write(behind, ...(rest as []))
  }
  socket.unshift(messages)
  // The library's errors name these.
  return Object.assign(socket, { write: taken, host: name, port })
}

function failing(error: Error): Socket {
  const socket = new Socket()
  return Object.assign(socket, { write: () => !socket.destroy(error) })
}
