import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { Authenticator } from "#test/fixtures/authenticator.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

/** A valid body for each endpoint. */
const bodies: Record<string, Record<string, unknown>> = {
  "/sign-in/email": { email: "x@example.com", password: PASSWORD, rememberMe: true },
  "/change-password": { currentPassword: PASSWORD, newPassword: PASSWORD, revokeOtherSessions: false },
  "/two-factor/enable": { password: "wrong" },
  "/two-factor/disable": { password: "wrong" },
  "/two-factor/verify-totp": { code: "000000" },
  "/two-factor/verify-backup-code": { code: "aaaaa-aaaaa" },
  "/two-factor/generate-backup-codes": { password: "wrong" },
  "/passkey/verify-registration": { response: { response: {} }, name: "Laptop" },
  "/passkey/verify-authentication": { response: { id: "a" } },
  "/passkey/delete-passkey": { id: "a" },
  "/passkey/update-passkey": { id: "a", name: "Laptop" },
}
const endpoints = [...Object.keys(bodies), "/sign-out", "/revoke-other-sessions"]
const reads = [
  "/get-session",
  "/passkey/generate-register-options",
  "/passkey/generate-authenticate-options",
  "/passkey/list-user-passkeys",
]
const junk: unknown[] = [
  null,
  true,
  0,
  -1e308,
  "",
  "\u0000",
  "\ud800",
  "x".repeat(20_000),
  [],
  [[{}]],
  {},
  { toString: 1, valueOf: 1 },
  { __proto__: null, constructor: { prototype: 1 } },
  { id: "AAAA", rawId: "AAAA", type: "public-key", clientExtensionResults: {}, response: {} },
  {
    id: "AAAA",
    rawId: "AAAA",
    type: "public-key",
    response: { clientDataJSON: "!!", attestationObject: "!!" },
  },
]

test("no input to an authentication endpoint causes a 5xx, and every refusal has a message", async () => {
  const { browser } = await member(app)
  for (const who of [new Browser(app), browser]) {
    for (const path of endpoints) {
      if (who === browser && /sign-out|revoke/.test(path)) continue
      const fields = Object.keys(bodies[path] ?? { x: 1 })
      const sent = [...junk, ...fields.flatMap((field) => junk.map((value) => ({ ...bodies[path], [field]: value })))]
      for (const body of sent) {
        if (path === "/passkey/verify-registration") await who.fetch("/api/auth/passkey/generate-register-options")
        if (path === "/passkey/verify-authentication")
          await who.fetch("/api/auth/passkey/generate-authenticate-options")
        const { status, json } = await who.auth(path, body)
        const context = JSON.stringify({ path, body, status, json }).slice(0, 300)
        expect(status, context).toBeLessThan(500)
        if (status >= 400) expect(json?.message ?? json?.detail, context).toBeTypeOf("string")
      }
    }
    for (const path of reads) {
      for (const query of ["?name=%00", "?name=a&name=b", "?authenticatorAttachment=x", "?disableRefresh=%ff"]) {
        expect((await who.fetch(`/api/auth${path}${query}`)).status).toBeLessThan(500)
      }
    }
  }
  expect((await browser.query("me.get")).status).toBe(200)
  expect(app.log.filter((line) => /PostgresError|SERVER_ERROR/.test(line))).toEqual([])
})

test("U+0000 is refused with the name of its field", async () => {
  const { browser } = await member(app)
  for (const [path, body, field] of [
    ["/sign-in/email", { email: "x@y.zz\0", password: "a" }, "email"],
    ["/passkey/verify-authentication", { response: { id: "a\0" } }, "response.id"],
    ["/passkey/delete-passkey", { id: "\0" }, "id"],
    ["/passkey/update-passkey", { id: "\0", name: "a" }, "id"],
    ["/passkey/verify-authentication", { response: { id: "a", "b\0": 1 } }, "response.b?"],
  ] as const) {
    const { status, json } = await browser.auth(path, body)
    expect([status, json.error, json.detail]).toEqual([
      422,
      "validation_failed",
      `${field}: must not contain the character U+0000.`,
    ])
  }
})

test("invalid JSON, a wrong method and unknown fields are refused with our error codes", async () => {
  const browser = new Browser(app)
  const post = (path: string, body: string, type = "application/json") =>
    browser.fetch(`/api/auth${path}`, { method: "POST", body, headers: { "content-type": type } })
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).error]
  const form = "email=x%40y.zz%00&password=a"
  expect(await codeOf(await post("/sign-in/email", form, "application/x-www-form-urlencoded"))).toEqual([
    415,
    "unsupported_media_type",
  ])
  expect(await codeOf(await post("/sign-in/email", "{"))).toEqual([400, "malformed_json"])
  expect(await codeOf(await post("/sign-in/email", "[]"))).toEqual([400, "malformed_request"])
  expect(await codeOf(await post("/get-session", "{}"))).toEqual([405, "method_not_allowed"])
  const read = await browser.fetch("/api/auth/sign-in/email")
  expect(read.headers.get("allow")).toBe("POST")
  expect(await codeOf(read)).toEqual([405, "method_not_allowed"])
  const away = { email: "x@y.zz", password: "a", callbackURL: "https://evil.example/" }
  expect((await browser.auth("/sign-in/email", away)).json.detail).toBe("callbackURL: unknown field.")
  expect(await codeOf(await post("/sign-in/email?callbackURL=//evil.example", "{}"))).toEqual([
    422,
    "validation_failed",
  ])
})

test("malformed passkey data is a 400, and a passkey with an unreadable name is refused", async () => {
  const { browser, email } = await member(app)
  const key = new Authenticator(deployment.origin)
  const answer = async () => {
    const options = await (await browser.fetch("/api/auth/passkey/generate-register-options")).json()
    return key.register(options, true)
  }
  for (const part of [
    { response: { attestationObject: "AAAA" } },
    { response: { clientDataJSON: "!!", attestationObject: "AAAA" } },
    { id: "AAAA" },
  ]) {
    const { response } = await answer()
    const broken = { ...response, ...part, response: { ...response.response, ...part.response } }
    const { status, json } = await browser.auth("/passkey/verify-registration", { response: broken })
    expect([status, json.code]).toEqual([400, "FAILED_TO_VERIFY_REGISTRATION"])
  }
  const fresh = await answer()
  const way = { ...fresh.response, response: { ...fresh.response.response, transports: "usb" } }
  expect((await browser.auth("/passkey/verify-registration", { response: way })).json.detail).toBe(
    "response.response.transports: must be a list.",
  )
  expect((await browser.auth("/passkey/verify-registration", { ...fresh, name: " " })).status).toBe(422)
  const { status, json } = await browser.auth("/passkey/verify-registration", await answer())
  expect(status).toBe(200)
  for (const name of ["", " ", "\u0007", "\u200b", "\u202egpj.exe", "x".repeat(101)]) {
    const refused = await browser.auth("/passkey/update-passkey", { id: json.id, name })
    expect([refused.status, refused.json.detail]).toEqual([422, expect.stringMatching(/^name: must/)])
  }
  expect((await browser.auth("/passkey/update-passkey", { id: json.id, name: "Laptop" })).status).toBe(200)
  const keys = await sql`
    select p.name from user_passkeys p join users u on u.id = p.user_id where u.email = ${email}`
  expect(keys.map(({ name }) => name)).toEqual(["Laptop"])
})

test("a failure in the library is logged once and answered with internal_error", async () => {
  const { browser } = await member(app)
  await sql`alter table user_passkeys rename column credential_id to moved`
  const { status, json } = await browser
    .auth("/passkey/verify-authentication", { response: { id: "planted-in-a-query" } })
    .finally(() => sql`alter table user_passkeys rename column moved to credential_id`)
  expect([status, json.error]).toEqual([500, "internal_error"])
  const lines = app.log.filter((line) => line.includes("moved") || line.includes("credential_id"))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!).err.type).toBe("PostgresError")
  expect(app.log.join("\n")).not.toContain("planted-in-a-query")
})
