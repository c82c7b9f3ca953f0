import { expect, test } from "./support.ts"

// The files of public/, requested without a session.
test.use({ storageState: { cookies: [], origins: [] } })

const PNG = "89504e470d0a1a0a"

const files = [
  { path: "/favicon.ico", type: "image/x-icon", begins: "00000100" },
  { path: "/icon.svg", type: "image/svg+xml", begins: Buffer.from("<svg ").toString("hex") },
  { path: "/apple-touch-icon.png", type: "image/png", begins: PNG, size: [180, 180] },
  { path: "/social.png", type: "image/png", begins: PNG, size: [1200, 630] },
  { path: "/site.webmanifest", type: "application/manifest+json", begins: Buffer.from("{").toString("hex") },
  { path: "/robots.txt", type: "text/plain", begins: Buffer.from("#").toString("hex") },
]

for (const { path, type, begins, size } of files) {
  test(`${path} is public, has the right type, and is cached for a day`, async ({ request }) => {
    const response = await request.get(path)
    expect(response.status()).toBe(200)
    const headers = response.headers()
    expect(headers["content-type"]?.split(";")[0]).toBe(type)
    expect(headers["cache-control"]).toBe("public, max-age=86400")
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["set-cookie"]).toBeUndefined()
    const body = await response.body()
    expect(body.subarray(0, begins.length / 2).toString("hex")).toBe(begins)
    // The first chunk of a PNG contains width and height.
    if (size) expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual(size)
    const again = await request.get(path, { headers: { "If-None-Match": headers.etag! } })
    expect(again.status()).toBe(304)
  })
}

test("every page names its icons, and each of them exists", async ({ page, request }) => {
  await page.goto("/sign-in")
  const links = page.locator("link[rel~=icon], link[rel=apple-touch-icon], link[rel=manifest]")
  const paths = await links.evaluateAll((all) => all.map((link) => new URL((link as HTMLLinkElement).href).pathname))
  expect(paths.sort()).toEqual(["/apple-touch-icon.png", "/favicon.ico", "/icon.svg", "/site.webmanifest"])
  const { icons } = await (await request.get("/site.webmanifest")).json()
  for (const { src } of icons) expect((await request.get(src)).status(), src).toBe(200)
})

test("search engines find only the documentation", async ({ request }) => {
  const rules = (await (await request.get("/robots.txt")).text())
    .split("\n")
    .flatMap((line) => /^(Allow|Disallow): (\S+)$/.exec(line)?.slice(1, 3) ?? [])
  const pairs = Array.from({ length: rules.length / 2 }, (_, index) => [rules[2 * index]!, rules[2 * index + 1]!])
  // RFC 9309: the longest rule that matches decides.
  const mayRead = (path: string) =>
    pairs
      .filter(([, start]) => path.startsWith(start!))
      .sort(([, one], [, other]) => other!.length - one!.length)[0]?.[0] !== "Disallow"
  for (const path of ["/docs", "/docs/errors/wallet_not_verified", "/docs/api", "/v1/openapi.json"])
    expect(mayRead(path), path).toBe(true)
  for (const path of [
    "/",
    "/sign-in",
    "/verify/sess_1",
    "/ws_1/overview",
    "/v1/kyc/start",
    "/api/trpc/me.get",
    "/join",
  ])
    expect(mayRead(path), path).toBe(false)
})

test("a server without a security contact has no security.txt", async ({ request }) => {
  expect((await request.get("/.well-known/security.txt")).status()).toBe(404)
})
