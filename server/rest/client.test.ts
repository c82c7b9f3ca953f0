import type { IncomingMessage } from "node:http"
import { expect, test } from "vitest"
import { clientOf, parseTrustedProxies } from "#server/rest/client.ts"

const from = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const trusted = parseTrustedProxies("10.0.0.0/8, 192.0.2.7,, fd00::/8")

// Who the client is, by the connection's address and X-Forwarded-For.
test.each([
  ["203.0.113.9", "198.51.100.1", "203.0.113.9", "a stranger's header is not read"],
  ["10.1.2.3", "198.51.100.1", "198.51.100.1", "a proxy of ours names its caller"],
  ["10.1.2.3", "6.6.6.6, 198.51.100.1", "198.51.100.1", "what a caller made up stands before"],
  ["10.1.2.3", "198.51.100.1, 192.0.2.7", "198.51.100.1", "a chain of our proxies is walked"],
  ["10.1.2.3", "198.51.100.1, rubbish", "198.51.100.1", "what is no address is passed over"],
  ["10.1.2.3", "", "10.1.2.3", "a proxy that names nobody is the caller"],
  ["10.1.2.3", "10.9.9.9", "10.1.2.3", "a proxy that calls for itself"],
  ["::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1", "IPv4 on a socket for both"],
  ["fd00::1", "2001:db8::5", "2001:db8::5", "IPv6"],
])("%s with X-Forwarded-For %j is %s: %s", (remote, forwarded, address) => {
  expect(clientOf(from(remote, { "x-forwarded-for": forwarded }), trusted).address).toBe(address)
})

test.each(["10.0.0.0/33", "10.0.0.0/x", "proxy.internal", "10.0.0", "10.0.0.0/"])(
  "a trusted proxy that is none stops the start, and says so: %s",
  (text) => {
    expect(() => parseTrustedProxies(text)).toThrow(/^VOUCH_TRUSTED_PROXIES: /)
  },
)
