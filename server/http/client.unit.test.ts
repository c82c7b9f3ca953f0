import { createServer, get, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { parseNetworks } from "#server/lib/networks.ts"
import { clientOf } from "./client.ts"

const from = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const trusted = parseNetworks("VOUCH_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7,, fd00::/8, fe80::/10")

const local = parseNetworks("VOUCH_TRUSTED_PROXIES", "127.0.0.1")

// The connection's address, X-Forwarded-For, and the client that results.
test.each([
  ["203.0.113.9", "198.51.100.1", "203.0.113.9", "a stranger's header is not read"],
  ["10.1.2.3", "198.51.100.1", "198.51.100.1", "a trusted proxy names its caller"],
  ["10.1.2.3", "6.6.6.6, 198.51.100.1", "198.51.100.1", "a caller's forged entry comes first"],
  ["10.1.2.3", "198.51.100.1, 192.0.2.7", "198.51.100.1", "a chain of trusted proxies is followed"],
  ["10.1.2.3", "198.51.100.1, rubbish", "10.1.2.3", "entries before an unreadable hop are ignored"],
  ["10.1.2.3", "198.51.100.1, rubbish, 192.0.2.7", "192.0.2.7", "the last readable hop counts"],
  ["10.1.2.3", "198.51.100.1, unknown", "10.1.2.3", "a proxy that hides its caller"],
  ["10.1.2.3", "198.51.100.1,,", "10.1.2.3", "an empty hop cannot be read"],
  ["10.1.2.3", "198.51.100.1:52001", "198.51.100.1", "a port is left off"],
  ["10.1.2.3", "[2001:db8::5]:52001", "2001:db8::5", "a port of IPv6 is left off"],
  ["10.1.2.3", "[2001:db8::5]", "2001:db8::5", "brackets alone"],
  ["10.1.2.3", "198.51.100.1:52001:1", "10.1.2.3", "two ports are not readable"],
  ["10.1.2.3", "::ffff:198.51.100.1", "198.51.100.1", "IPv4 written as IPv6"],
  ["10.1.2.3", "::FFFF:C633:6401", "198.51.100.1", "IPv4 written as IPv6, in hexadecimal"],
  [
    "10.1.2.3",
    "::ffff:a01:203, 198.51.100.1",
    "198.51.100.1",
    "a caller's forged entry with a trusted address comes first",
  ],
  ["10.1.2.3", "198.51.100.1, 0:0:0:0:0:ffff:10.9.9.9", "198.51.100.1", "a trusted proxy in IPv6 notation"],
  ["10.1.2.3", "", "10.1.2.3", "a proxy that names no caller is the caller"],
  ["10.1.2.3", "10.9.9.9", "10.9.9.9", "a proxy that calls for itself"],
  ["::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1", "IPv4 on a socket for both"],
  ["fd00::1", "2001:db8::5", "2001:db8::5", "IPv6"],
  ["fe80::1%br-lan.5", "2001:db8::5", "2001:db8::5", "a proxy on the same link, behind an interface of any name"],
])("%s with X-Forwarded-For %j is %s: %s", (remote, forwarded, address) => {
  expect(clientOf(from(remote, { "x-forwarded-for": forwarded }), trusted).address).toBe(address)
})

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["fe80::1%br-lan.5", "fe80:0:0:0::/64"],
  ["", ""],
])("%s counts as %s", (remote, network) => {
  expect(clientOf(from(remote, {}), null).network).toBe(network)
})

test("several X-Forwarded-For headers are one", async () => {
  const server = createServer((request, response) => response.end(clientOf(request, local).address))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const answer = await new Promise<string>((resolve) => {
    const headers = { "X-Forwarded-For": ["6.6.6.6", "198.51.100.1"] }
    get({ port, host: "127.0.0.1", headers }, async (response) => resolve((await response.toArray()).join("")))
  })
  expect(answer).toBe("198.51.100.1")
  server.close()
})

test.each(["10.0.0.0/33", "10.0.0.0/x", "proxy.internal", "10.0.0", "10.0.0.0/"])(
  "an invalid trusted proxy stops the start with an error: %s",
  (text) => {
    expect(() => parseNetworks("VOUCH_TRUSTED_PROXIES", text)).toThrow(/^VOUCH_TRUSTED_PROXIES: /)
  },
)
