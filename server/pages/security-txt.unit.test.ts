import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { SECURITY_TXT, sendSecurityTxt } from "./security-txt.ts"

const server = createServer((request, response) => sendSecurityTxt(request, response, options))
let options: Parameters<typeof sendSecurityTxt>[2]
afterEach(() => server.close())

async function ask(given: typeof options, method = "GET"): Promise<Response> {
  options = given
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return fetch(`http://127.0.0.1:${port}${SECURITY_TXT}`, { method, headers: { connection: "close" } })
}

const contact = "mailto:security@example.com"
const origin = "https://vouch.example.com"

/** The fields of RFC 9116, each of ours once. */
const fieldsOf = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/: (.*)/, 2)),
  )

test("it names the operator's contact, where it belongs to, and when to look again", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: origin })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  const { Expires, ...others } = fieldsOf(await response.text())
  expect(others).toEqual({
    Contact: contact,
    Canonical: `${origin}/.well-known/security.txt`,
    "Preferred-Languages": "en",
  })
  // RFC 9116, 2.5.5: less than a year away. And a day's answers are alike, as caches keep them for one.
  const days = (Date.parse(Expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(90)
  expect(days).toBeLessThan(365)
  expect(Expires).toMatch(/T00:00:00\.000Z$/)
})

test("a server of this machine alone names no address of its own", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: null })
  expect(Object.keys(fieldsOf(await response.text()))).toEqual(["Contact", "Expires", "Preferred-Languages"])
})

test("who asks for the head alone gets no body, and its length", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: null }, "HEAD")
  expect(Number(response.headers.get("content-length"))).toBeGreaterThan(60)
  expect(await response.text()).toBe("")
})

test("without a contact there is none, and nobody remembers that", async () => {
  const response = await ask({ securityContact: null, publicOrigin: origin })
  expect(response.status).toBe(404)
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(await response.text()).not.toContain("Contact")
})
