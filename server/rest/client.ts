import type { IncomingMessage } from "node:http"
import { BlockList, isIP } from "node:net"

/** Reads the addresses of proxies whose forwarding headers are believed: single ones and CIDR ranges. */
export function parseTrustedProxies(text: string): BlockList | null {
  if (text.trim() === "") return null
  const list = new BlockList()
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue
    const [address, bits] = entry.split("/") as [string, string?]
    const family = isIP(address)
    if (family === 0 || (bits !== undefined && !isPrefixLength(bits, family)))
      throw new Error(`VOUCH_TRUSTED_PROXIES: ${entry} is neither an address nor a CIDR range`)
    const type = family === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}

const isPrefixLength = (bits: string, family: number): boolean =>
  /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32)

export type Client = { address: string; secure: boolean }

/** Who is calling, and whether the way was HTTPS all along. Forwarding headers count only from trusted proxies. */
export function clientOf(request: IncomingMessage, trusted: BlockList | null): Client {
  const socket = plainAddress(request.socket.remoteAddress ?? "")
  const encrypted = "encrypted" in request.socket && request.socket.encrypted === true
  if (trusted === null || !isTrusted(socket, trusted)) return { address: socket, secure: encrypted }
  const proto = lastOf(request.headers["x-forwarded-proto"])
  return { address: originalAddress(request, trusted) ?? socket, secure: encrypted || proto === "https" }
}

/** The nearest address in X-Forwarded-For that is no proxy of ours: what stands before it may be made up. */
function originalAddress(request: IncomingMessage, trusted: BlockList): string | undefined {
  const forwarded = request.headers["x-forwarded-for"]
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? ""))
    .split(",")
    .map((hop) => hop.trim())
  return hops.reverse().find((hop) => isIP(hop) !== 0 && !isTrusted(hop, trusted))
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4")
}

const lastOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.join(",") : header)?.split(",").at(-1)?.trim().toLowerCase()

/** IPv4 addresses on a dual-stack socket come as `::ffff:1.2.3.4`. */
const plainAddress = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address)
