import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// Reads the hosted page as a browser does, without running its script.

usesCustomer()

const start = async () => {
  const { json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: newWallet(), schemaId: "kyc_individual_v1" },
  })
  return json.session_id as string
}

/** Sends no headers except these. `fetch` would add its own. */
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(`${app.origin}${path}`, { method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
      )
    })
    sent.on("error", reject).end()
  })
const languageOf = ({ body }: { body: Buffer }) => /<html lang="(\w+)"/.exec(body.toString())?.[1]

test("a session's page is complete, not cached, and only runs its own script", async () => {
  const { status, headers, body } = await get(`/verify/${await start()}`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-language": "en",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "x-content-type-options": "nosniff",
    "content-length": String(body.length),
  })
  expect(headers["set-cookie"]).toBeUndefined()
  const [, nonce] = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"]))!
  expect(body.toString()).toContain(`<script nonce="${nonce}">`)
  expect(body.toString()).toContain('<h1 tabindex="-1">Verify your identity</h1>')
  const second = await get(`/verify/${await start()}`)
  expect(String(second.headers["content-security-policy"])).not.toContain(nonce!)
})

test("neither the page nor the log contains the session's id", async () => {
  const sessionId = await start()
  const { body } = await get(`/verify/${sessionId}?lang=de`)
  expect(body.toString()).not.toContain(sessionId)
  await get(`/verify/${sessionId}`, { accept: "text/html" })
  expect(app.log.join("\n")).not.toContain(sessionId)
})

test.each(["sess_unknown", "x", "%20", "a%2Fb", newId("sess"), newId("att"), "x".repeat(500)])(
  "/verify/%s is not found",
  async (path) => {
    const { status, body } = await get(`/verify/${path}`)
    expect(status).toBe(404)
    expect(body.toString()).toContain("Verification not found")
  },
)

test("HEAD returns the headers of GET and no body", async () => {
  const sessionId = await start()
  const head = await get(`/verify/${sessionId}`, {}, "HEAD")
  expect([head.status, head.body.length]).toEqual([200, 0])
  expect(head.headers["content-type"]).toBe("text/html; charset=utf-8")
})

test.each([
  ["gzip", true],
  ["br, gzip;q=0.5", true],
  ["*", true],
  ["gzip;q=0", false],
  ["gzip;q=0.0, br", false],
  ["br", false],
  ["x-gzip-ish", false],
  ["", false],
])("Accept-Encoding %j is answered with gzip: %s", async (accepted, isCompressed) => {
  const { headers, body } = await get(`/verify/${await start()}`, { "accept-encoding": accepted })
  expect(headers["content-encoding"]).toBe(isCompressed ? "gzip" : undefined)
  expect((isCompressed ? gunzipSync(body) : body).toString()).toContain("</html>")
  if (isCompressed) expect(body.length).toBeLessThan(20_000)
})

test("the language is the browser's until the investor chooses another", async () => {
  const path = `/verify/${await start()}`
  const german = { "accept-language": "de-CH,fr;q=0.8" }
  expect(languageOf(await get(path))).toBe("en")
  expect(languageOf(await get(path, german))).toBe("de")
  const arabic = await get(path, { "accept-language": "ar-SA,ar;q=0.9,en;q=0.8" })
  expect(arabic.headers["content-language"]).toBe("ar")
  expect(arabic.body.toString()).toContain('<html lang="ar" dir="rtl"')
  const chosen = await get(`${path}?lang=ja`, german)
  expect(languageOf(chosen)).toBe("ja")
  const [cookie] = chosen.headers["set-cookie"] as string[]
  expect(cookie).toBe("vouch.language=ja; Path=/verify; Max-Age=2592000; HttpOnly; SameSite=Lax")
  expect(languageOf(await get(path, { ...german, cookie: "a=b; vouch.language=ja" }))).toBe("ja")
  // An unknown language changes nothing and is not remembered.
  for (const asked of ["xx", "constructor", "de-DE", "<script>", ""]) {
    const page = await get(`${path}?lang=${encodeURIComponent(asked)}`, german)
    expect([languageOf(page), page.headers["set-cookie"]]).toEqual(["de", undefined])
  }
  expect(languageOf(await get(path, { cookie: "vouch.language=klingon; xvouch.language=fr" }))).toBe("en")
})

test("without a database, a browser gets a page in its language and a program gets the error", async () => {
  const path = `/verify/${await start()}`
  await sql`alter table attestations rename to away`
  try {
    const page = await get(path, { accept: "text/html,*/*;q=0.8", "accept-language": "fr" })
    expect(page.status).toBe(500)
    expect(page.body.toString()).toContain("Cette page n’a pas pu être chargée")
    expect(page.body.toString()).not.toMatch(/does not exist|42P01/)
    const { status, body } = await get(path)
    expect([status, JSON.parse(body.toString()).error]).toEqual([500, "internal_error"])
  } finally {
    await sql`alter table away rename to attestations`
  }
  expect((await get(path)).status).toBe(200)
})
