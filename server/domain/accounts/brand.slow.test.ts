import { readFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

type Owner = Awaited<ReturnType<typeof member>>

const png = readFileSync(new URL("../../../public/apple-touch-icon.png", import.meta.url))
/** A PNG whose header claims this size. */
const pngOf = (width: number, height: number) => {
  const image = Buffer.from(png)
  image.writeUInt32BE(width, 16)
  image.writeUInt32BE(height, 20)
  return image
}

async function upload(
  { browser, account }: Owner,
  body: Buffer,
  { method = "POST", headers = {} as Record<string, string>, workspace = account.workspaces.test } = {},
) {
  const response = await browser.fetch(`/api/upload/logo?workspace=${workspace}`, {
    method,
    headers: { "content-type": "application/octet-stream", ...headers },
    ...(method === "POST" && { body: new Uint8Array(body) }),
  })
  return { status: response.status, json: await response.json() }
}

test("an owner sets the hosted page's colour, contact and logo, and removes them again", async () => {
  const owner = await member(app)
  const set = await owner.browser.mutate("workspace.setBrand", {
    color: "#1D4ED8",
    contact: "ask@acme.example",
  })
  expect(set.data).toEqual({ color: "#1d4ed8", contact: "ask@acme.example", logo: null })
  const { status, json } = await upload(owner, png)
  expect([status, json.logo]).toEqual([
    200,
    { path: expect.stringMatching(/^\/logo\/[0-9a-f]{64}$/), width: 180, height: 180 },
  ])
  expect((await owner.browser.query("workspace.brand")).data).toEqual({ ...set.data, logo: json.logo })

  const image = await fetch(app.origin + json.logo.path)
  expect(Buffer.from(await image.arrayBuffer()).equals(png)).toBe(true)
  expect(Object.fromEntries(image.headers)).toMatchObject({
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "public, max-age=31536000, immutable",
  })

  expect((await owner.browser.mutate("workspace.removeLogo")).data).toEqual(set.data)
  expect((await fetch(app.origin + json.logo.path)).status).toBe(404)
  await owner.browser.mutate("workspace.setBrand", { color: null, contact: null })
  // A save that changes nothing leaves no audit line.
  await owner.browser.mutate("workspace.setBrand", { color: null, contact: null })
  const lines = await sql`
    select detail from audit_entries where account_id = ${owner.account.id} and action = 'account.branded' order by seq`
  expect(lines.map(({ detail }) => detail.changed)).toEqual([
    ["color", "contact"],
    ["logo"],
    ["logo"],
    ["color", "contact"],
  ])
})

test("the hosted pages of both workspaces show it, and those of other accounts don't", async () => {
  const [owner, other] = [await member(app), await member(app)]
  await owner.browser.mutate("workspace.setBrand", { color: "#ffe066", contact: "https://acme.example/help" })
  const { json } = await upload(owner, png)
  const pageOf = async ({ browser }: Owner) => {
    const started = await browser.mutate("kyc.start", {
      userPubkey: newWallet(),
      schemaId: "kyc_individual_v1",
    })
    return (await fetch(started.data.session_url.replace(/^.*\/verify/, `${app.origin}/verify`))).text()
  }
  const page = await pageOf(owner)
  expect(page).toContain(`<img class="logo" src="${json.logo.path}" width="180" height="180"`)
  expect(page).toContain(`href="https://acme.example/help"`)
  expect(page).toContain("--button:#ffe066;--button-ink:#000000")
  const others = await pageOf(other)
  expect(others).not.toMatch(/\/logo\/|acme\.example|--button:/)
})

test.each([
  [
    "no image",
    Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
    /PNG, JPEG or WebP/,
  ],
  ["a page", Buffer.from("<!doctype html><script>alert(1)</script>"), /PNG, JPEG or WebP/],
  ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"), /PNG, JPEG or WebP/],
  ["nothing", Buffer.alloc(0), /PNG, JPEG or WebP/],
  ["a PNG that is cut off", png.subarray(0, 20), /damaged/],
  ["a PNG that is a tower", pngOf(100, 2001), /100 × 2001 pixels/],
  ["a bomb", pngOf(65_535, 65_535), /65535 × 65535 pixels/],
  ["a dot", pngOf(1, 1), /1 × 1 pixels/],
  ["a PNG of negative size", pngOf(0xffffffff, 20), /pixels/],
])("%s is refused, whatever type the upload claims", async (_what, body, problem) => {
  const owner = await member(app)
  const { status, json } = await upload(owner, body, { headers: { "content-type": "image/png" } })
  expect([status, json.error]).toEqual([422, "validation_failed"])
  expect(json.detail).toMatch(/^logo: /)
  expect(json.detail).toMatch(problem)
  expect((await owner.browser.query("workspace.brand")).data.logo).toBeNull()
})

test("a logo of 100 kB is accepted, and one more byte is refused", async () => {
  const owner = await member(app)
  const of = (length: number) =>
    Buffer.concat([png, deflateSync(Buffer.alloc(0)), Buffer.alloc(length)]).subarray(0, length)
  expect((await upload(owner, of(100_000))).status).toBe(200)
  const { status, json } = await upload(owner, of(100_001))
  expect([status, json.error]).toEqual([413, "payload_too_large"])
})

test("no one else changes the brand: no stranger, no member below owner, no other account, no other site", async () => {
  const owner = await member(app)
  const other = await member(app)
  for (const role of ["developer", "compliance", "viewer"] as const) {
    const colleague = await member(app, { role, account: owner.account })
    expect((await upload(colleague, png)).json.error).toBe("insufficient_scope")
    const set = await colleague.browser.mutate("workspace.setBrand", { color: "#000000", contact: null })
    expect(set.error.error).toBe("insufficient_scope")
    expect((await colleague.browser.mutate("workspace.removeLogo")).error.error).toBe("insufficient_scope")
    expect((await colleague.browser.query("workspace.brand")).data.color).toBeNull()
  }
  expect((await upload(other, png, { workspace: owner.account.workspaces.test })).json.error).toBe(
    "workspace_not_found",
  )
  const stranger = await fetch(`${app.origin}/api/upload/logo?workspace=${owner.account.workspaces.test}`, {
    method: "POST",
    body: new Uint8Array(png),
  })
  expect(stranger.status).toBe(401)
  const crossing = await upload(owner, png, { headers: { origin: "https://evil.example" } })
  expect(crossing.json.error).toBe("cross_site_request")
  expect((await upload(owner, png, { method: "GET" })).json.error).toBe("method_not_allowed")
  expect((await owner.browser.query("workspace.brand")).data).toEqual({
    color: null,
    contact: null,
    logo: null,
  })
})

test.each([
  ["color", "red"],
  ["color", "#12345"],
  ["color", "#123456;}body{display:none"],
  ["color", ""],
  ["contact", "javascript:alert(1)"],
  ["contact", "http://acme.example"],
  ["contact", "acme"],
  ["contact", "https://"],
  ["contact", "data:text/html,x"],
  ["contact", "https://bank.example@acme.example/"],
  ["contact", "https://acme.example/\u202ehelp"],
  ["contact", "HTTPS://acme.example/"],
  ["contact", `a@acme.example"><script>`],
  ["contact", `https://acme.example/${"x".repeat(200)}`],
])("a %s such as %j is refused, and the error names the field", async (name, value) => {
  const owner = await member(app)
  const { status, error } = await owner.browser.mutate("workspace.setBrand", {
    ...{ color: null, contact: null },
    [name]: value,
  })
  expect(status).toBe(422)
  expect(error.detail).toMatch(new RegExp(`^${name}: `))
})

test.each(["/logo/", "/logo/x", `/logo/${"0".repeat(64)}`, `/logo/${"0".repeat(64)}/..`, "/logo/%00"])(
  "nothing is served at %s",
  async (path) => {
    const { status } = await fetch(app.origin + path)
    expect([400, 404]).toContain(status)
  },
)
