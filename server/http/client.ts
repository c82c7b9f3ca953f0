import type { IncomingMessage } from "node:http"
import { type BlockList, isIP } from "node:net"
import ipaddr from "ipaddr.js"

export type Client = {
  address: string
  /** What counts as one caller: an IPv4 address, or an IPv6 /64, which one customer has as a whole. */
  network: string
  secure: boolean
}

/** The peer of a connection, and whether it is a trusted proxy. */
export function peerOf(
  socket: { remoteAddress?: string | undefined },
  trusted: BlockList | null,
): { address: string; network: string; isProxy: boolean } {
  const address = readAddress(socket.remoteAddress ?? "") ?? ""
  return { address, network: networkOf(address), isProxy: trusted !== null && isTrusted(address, trusted) }
}

/** The caller, and whether the request came over HTTPS. Forwarding headers count only from trusted proxies. */
export function clientOf(request: IncomingMessage, trusted: BlockList | null): Client {
  const { isProxy, ...peer } = peerOf(request.socket, trusted)
  const encrypted = "encrypted" in request.socket && request.socket.encrypted === true
  if (!isProxy) return { ...peer, secure: encrypted }
  const address = originalAddress(request, peer.address, trusted!)
  const isSecure = lastOf(request.headers["x-forwarded-proto"]) === "https"
  return { address, network: networkOf(address), secure: encrypted || isSecure }
}

/**
 * The rightmost address in X-Forwarded-For that is not a trusted proxy. Everything left of it may be forged. A hop that
 * cannot be parsed ends the search at the proxy that wrote it.
 */
function originalAddress(request: IncomingMessage, socket: string, trusted: BlockList): string {
  let nearest = socket
  for (const hop of hopsOf(request.headers["x-forwarded-for"])) {
    const address = readAddress(hop)
    if (address === null) return nearest
    nearest = address
    if (!isTrusted(address, trusted)) return nearest
  }
  return nearest
}

/** The hops of all X-Forwarded-For headers, the last one first. */
function hopsOf(header: string | string[] | undefined): string[] {
  const joined = Array.isArray(header) ? header.join(",") : (header ?? "")
  return joined.trim() === "" ? [] : joined.split(",").reverse()
}

/**
 * An address in the form used for comparisons, or null. Some proxies add the port, and dual-stack sockets show IPv4 as
 * IPv6.
 */
function readAddress(hop: string): string | null {
  const text = hop.trim()
  const [, host = text] = /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(text) ?? /^([0-9.]+):\d{1,5}$/.exec(text) ?? []
  if (isIP(host) === 4) return host
  // A dual-stack socket shows every IPv4 client in this form.
  if (host.startsWith("::ffff:") && isIP(host.slice(7)) === 4) return host.slice(7)
  // Without the zone of a link-local address: the name of an interface may have characters that the parser refuses.
  const [plain] = host.split("%") as [string]
  return isIP(host) === 6 && ipaddr.isValid(plain) ? ipaddr.process(plain).toString() : null
}

/** The network of one customer: for IPv6, the first 64 bits. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4")
}

const lastOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.join(",") : header)?.split(",").at(-1)?.trim().toLowerCase()
