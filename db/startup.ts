import { createHash, X509Certificate } from "node:crypto"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { DatabaseAddress } from "./address.ts"
import { bindingOf, startScram } from "./scram.ts"
import { int32, lengthened, message, readMessage, refusalOf, strings } from "./wire.ts"

/** Types of Authentication messages, by number. */
const METHODS = { ok: 0, cleartext: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const
const PLUS = "SCRAM-SHA-256-PLUS"
const PLAIN = "SCRAM-SHA-256"

export type Started = {
  /** The server's messages so far, for the connection's next user: as if it had started the session. */
  messages: Buffer
  /** Parameters that the server reports, such as in_hot_standby. */
  reported: Record<string, string>
}

/** Starts a session: settings, password, channel binding if possible. Rejects with the server's refusal. */
export async function startSession(
  socket: Socket | TLSSocket,
  address: DatabaseAddress,
  settings: Record<string, string>,
  signal: AbortSignal,
): Promise<Started> {
  const named = Object.entries(settings).flat()
  socket.write(lengthened([int32(3 << 16), ...named.map((text) => `${text}\0`), "\0"]))
  const authentication = new Authentication(socket, address)
  const messages: Buffer[] = []
  const reported: Record<string, string> = {}
  for (;;) {
    const { type, body, raw } = await readMessage(socket, signal)
    if (type === "E") throw refusalOf(body)
    if (type === "R") await authentication.continue(body)
    if (type === "S") {
      const [name = "", value = ""] = strings(body)
      reported[name] = value
    }
    const isDone = type === "R" && body.readInt32BE(0) === METHODS.ok
    if (isDone || "SKZ".includes(type)) messages.push(raw)
    if (type === "Z") return { messages: Buffer.concat(messages), reported }
  }
}

/** Whether the server accepts writes. A pooler does not report it, so it is queried. */
export async function takesWrites(
  socket: Socket,
  reported: Record<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  const { in_hot_standby, default_transaction_read_only } = reported
  if (in_hot_standby !== undefined && default_transaction_read_only !== undefined)
    return in_hot_standby === "off" && default_transaction_read_only === "off"
  socket.write(message("Q", "show transaction_read_only\0"))
  for (let answer = ""; ; ) {
    const { type, body } = await readMessage(socket, signal)
    if (type === "E") throw refusalOf(body)
    // One column, after its number and its length.
    if (type === "D") answer = body.toString("utf8", 6)
    if (type === "Z") return answer === "off"
  }
}

class Authentication {
  readonly #socket: Socket | TLSSocket
  readonly #address: DatabaseAddress
  #scram: ReturnType<typeof startScram> | null = null
  #expected: string | null = null
  #isProven = false
  #isBound = false

  constructor(socket: Socket | TLSSocket, address: DatabaseAddress) {
    this.#socket = socket
    this.#address = address
  }

  async continue(body: Buffer): Promise<void> {
    const method = body.readInt32BE(0)
    const rest = body.subarray(4)
    if (method === METHODS.ok) return this.#end()
    if (method === METHODS.saslContinue && this.#scram) {
      const { final, expected } = await this.#scram.answer(rest.toString("utf8"))
      this.#expected = expected
      this.#send(final)
    } else if (method === METHODS.saslFinal && this.#expected !== null) {
      if (rest.toString("utf8").split(",")[0] !== this.#expected)
        throw new Error("the server could not prove that it knows the password: it may be an impostor")
      this.#isProven = true
    } else if (method === METHODS.sasl) this.#startSasl(strings(rest))
    else if (this.#needsBinding) this.#refuseUnbound()
    else if (method === METHODS.cleartext) this.#send(`${this.#password()}\0`)
    else if (method === METHODS.md5) this.#send(`${this.#md5(rest)}\0`)
    else throw new Error("the server requires an authentication method that Vouch does not support (GSSAPI or SSPI)")
  }

  get #needsBinding(): boolean {
    return this.#address.channelBinding === "require"
  }

  /** Like libpq: a server that skips part of the exchange has proven nothing. */
  #end(): void {
    if (this.#scram && !this.#isProven) throw new Error("the server ended the password exchange too early")
    if (this.#needsBinding && !this.#isBound) this.#refuseUnbound()
  }

  #startSasl(offered: string[]): void {
    const { channelBinding } = this.#address
    const certificate = "getPeerX509Certificate" in this.#socket ? this.#peer(this.#socket) : null
    const binding = certificate && channelBinding !== "disable" ? bindingOf(certificate) : null
    this.#isBound = binding !== null && offered.includes(PLUS)
    if (this.#needsBinding && !this.#isBound) this.#refuseUnbound()
    if (!this.#isBound && !offered.includes(PLAIN))
      throw new Error("the server requires an authentication method that Vouch does not support")
    const header = this.#isBound ? "p=tls-server-end-point,," : binding ? "y,," : "n,,"
    this.#scram = startScram(this.#password(), header, this.#isBound ? binding! : Buffer.alloc(0))
    const first = this.#scram.first
    const mechanism = this.#isBound ? PLUS : PLAIN
    this.#send(`${mechanism}\0`, int32(Buffer.byteLength(first)), first)
  }

  #peer(socket: TLSSocket): X509Certificate | null {
    const raw = socket.getPeerCertificate().raw
    return raw ? new X509Certificate(raw) : null
  }

  #refuseUnbound(): never {
    throw new Error(
      "channel_binding=require, but the server does not offer it: it needs TLS and a scram-sha-256 password. A pooler may not support it",
    )
  }

  #password(): string {
    const { password } = this.#address
    if (password === "") throw new Error("the server requires a password, and the address has none")
    return password
  }

  #md5(salt: Buffer): string {
    const inner = createHash("md5").update(`${this.#password()}${this.#address.user}`).digest("hex")
    return `md5${createHash("md5").update(inner).update(salt).digest("hex")}`
  }

  #send(...parts: (string | Buffer)[]): void {
    this.#socket.write(message("p", ...parts))
  }
}
