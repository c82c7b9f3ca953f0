import type { LookupAddress } from "node:dns"
import { type BlockList, isIP, type LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { z } from "zod"
import { deployment } from "#domain/deployment"
import { parseNetworks } from "#server/lib/networks.ts"
import { fail } from "#shared/errors.ts"
import { resolveName } from "./resolve.ts"

// Customers choose where Vouch connects. Addresses outside the public Internet may belong to Vouch or its operator.
// They are refused when connecting, by the address itself, because a name may resolve differently each time.

/** A refused connection, with the reason for the endpoint's owner. */
export class Refused extends Error {}

/** Networks that the operator allows besides public ones: `VOUCH_WEBHOOK_NETWORKS`. */
const allowed = (): BlockList | null =>
  parseNetworks("VOUCH_WEBHOOK_NETWORKS", deployment.settings.VOUCH_WEBHOOK_NETWORKS)

const isAllowed = (address: string): boolean =>
  allowed()?.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") ?? false

/** Azure's internal services answer here, although the address is public: secrets and extensions of the machine. */
const AZURE_WIRE_SERVER = "168.63.129.16"

/**
 * Blocks that IANA has assigned to registries (https://www.iana.org/assignments/ipv6-unicast-address-assignments), down
 * to /8.
 */
const allocated = parseNetworks("IPv6", "2001::/16, 2003::/16, 2400::/8, 2600::/8, 2800::/8, 2a00::/8, 2c00::/8")!

/**
 * Whether an address is on the public Internet, by IANA's special-purpose registries. An IPv6 address that contains an
 * IPv4 address (mapped, or of a NAT64) is judged by that address.
 */
export function isPublic(address: string): boolean {
  let parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.zoneId) return false
    const isNat64 = parsed.range() === "rfc6052"
    if (parsed.isIPv4MappedAddress()) parsed = parsed.toIPv4Address()
    else if (isNat64) parsed = new ipaddr.IPv4(parsed.toByteArray().slice(12))
  }
  if (parsed.range() !== "unicast") return false
  const plain = parsed.toString()
  return parsed instanceof ipaddr.IPv6 ? allocated.check(plain, "ipv6") : plain !== AZURE_WIRE_SERVER
}

/** Rejects with Refused for an address to which Vouch does not connect. */
function check(address: string, isPlain: boolean): void {
  if (isAllowed(address)) return
  if (!isPublic(address))
    throw new Refused(
      "The endpoint's address is not on the public Internet. An operator can allow a network with VOUCH_WEBHOOK_NETWORKS.",
    )
  if (isPlain) throw new Refused("The endpoint's address needs https.")
}

/** Resolves names. Tests replace it. */
export const resolver = {
  resolve: (hostname: string, family: number): Promise<LookupAddress[]> =>
    resolveName(hostname, { family, withSystem: deployment.settings.VOUCH_WEBHOOK_NETWORKS !== "" }),
}

const families: Record<string, number> = { IPv4: 4, IPv6: 6 }

/** Resolves a name for `net.connect`. Refuses it if it leads to an address to which Vouch does not connect. */
export const lookupFor =
  (protocol: string): LookupFunction =>
  (hostname, { family = 0, all }, callback) => {
    const refuse = (cause: NodeJS.ErrnoException) => callback(cause, "")
    resolver.resolve(hostname, typeof family === "string" ? (families[family] ?? 0) : family).then((found) => {
      try {
        for (const { address } of found) check(address, protocol === "http:")
        if (found.length === 0) throw new Refused("The endpoint's name has no address.")
      } catch (cause) {
        return refuse(cause as Error)
      }
      if (all) return callback(null, found)
      const [first] = found as [LookupAddress]
      callback(null, first.address, first.family)
    }, refuse)
  }

/** Checks an address that is given in place of a name, since it is never resolved. Rejects with Refused. */
export function checkLiteral({ hostname, protocol }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, "$1")
  if (isIP(address) !== 0) check(address, protocol === "http:")
}

const ADDRESS = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+$/

/** The form of an address; `readUrl` explains what is wrong with one. */
export const endpointUrl = z
  .string()
  .max(2000)
  .refine((text) => ADDRESS.test(text) && URL.canParse(text), "must be an https address")
  .meta({ format: "uri", pattern: ADDRESS.source })

/** Reads and normalizes the address of a new endpoint. Errors: validation_failed. */
export function readUrl(text: string): string {
  const refuse = (why: string): never => fail("validation_failed", `url: must be an https address ${why}.`)
  const url = new URL(text)
  if (url.protocol === "http:" && deployment.settings.VOUCH_WEBHOOK_NETWORKS === "")
    refuse("(an operator can allow http in a network with VOUCH_WEBHOOK_NETWORKS, such as 127.0.0.0/8)")
  if (url.username !== "" || url.password !== "") refuse("without a user or a password")
  if (url.hash !== "") refuse("without #")
  try {
    if (/(^|\.)localhost\.?$/.test(url.hostname) && !isAllowed("127.0.0.1") && !isAllowed("::1"))
      throw new Refused("The endpoint is on this machine.")
    checkLiteral(url)
  } catch {
    refuse("on the public Internet (an operator can allow another network with VOUCH_WEBHOOK_NETWORKS)")
  }
  return url.href
}
