import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { SECURITY_TXT, sendSecurityTxt } from "./files.ts"

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

/** The fields of RFC 9116. We use each once. */
const fieldsOf = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/: (.*)/, 2)),
  )

test("it names the operator's contact, its own address and when it expires", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: origin })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  const { Expires, ...others } = fieldsOf(await response.text())
  expect(others).toEqual({
    Contact: contact,
    Canonical: `${origin}/.well-known/security.txt`,
    "Preferred-Languages": "en",
  })
  // RFC 9116, 2.5.5: less than a year away. Caches keep the file for a day, so it is the same all day.
  const days = (Date.parse(Expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(90)
  expect(days).toBeLessThan(365)
  expect(Expires).toMatch(/T00:00:00\.000Z$/)
})

test("a local server names no address", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: null })
  expect(Object.keys(fieldsOf(await response.text()))).toEqual(["Contact", "Expires", "Preferred-Languages"])
})

test("HEAD returns the length and no body", async () => {
  const response = await ask({ securityContact: contact, publicOrigin: null }, "HEAD")
  expect(Number(response.headers.get("content-length"))).toBeGreaterThan(60)
  expect(await response.text()).toBe("")
})

test("without a contact it is not found, and no cache keeps that", async () => {
  const response = await ask({ securityContact: null, publicOrigin: origin })
  expect(response.status).toBe(404)
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(await response.text()).not.toContain("Contact")
})
