import type { IncomingMessage } from "node:http"
import { type BlockList, isIP } from "node:net"

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

/** An address in the form used for comparisons, or null. Some proxies add the port, and dual-stack sockets show IPv4 as IPv6. */
function readAddress(hop: string): string | null {
  const text = hop.trim()
  const [, host = text] = /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(text) ?? /^([0-9.]+):\d{1,5}$/.exec(text) ?? []
  const family = isIP(host)
  if (family !== 6) return family === 4 ? host : null
  const groups = groupsOf(host)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return host.toLowerCase()
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".")
}

/** The network of one customer: for IPv6, the first 64 bits. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = groupsOf(address).slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [text] = address.split("%") as [string]
  // The last 32 bits may be written in IPv4 notation.
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [a * 256 + +b, c * 256 + +d].map((group) => group.toString(16)).join(":"),
  )
  const [left, right = []] = plain
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16)))) as [
    number[],
    number[]?,
  ]
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4")
}

const lastOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.join(",") : header)?.split(",").at(-1)?.trim().toLowerCase()
