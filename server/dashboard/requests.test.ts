import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  const logged = async (answer: Response) => {
    const request_id = String(answer.headers["x-request-id"])
    return waitFor(async () => (await browser.query("request.get", { request_id })).data ?? null, "it to be logged")
  }
  return { browser, account, workspaceId, key, tokens: tokenFixture(app, key), logged }
}

test("a request names the investors of its wallets and its token, and a compliance officer sees what a rule read", async () => {
  const { browser, account, workspaceId, key, tokens, logged } = await enter()
  const { wallet } = await app.verifiedWallet(key, undefined, { country: "KP", age_over_18: true })
  const config = await tokens.config({ blocked_countries: ["KP"] })
  const refused = await tokens.mint(config, wallet, "1")
  expect(refused).toMatchObject({ status: 403, json: { error: "country_not_allowed" } })
  const request = await logged(refused)
  expect(request).toMatchObject({
    wallets: [{ role: "Wallet", wallet, investor: { investor_id: expect.stringMatching(/^inv_/) } }],
    token: { id: config, rules: { blocked_countries: ["KP"] } },
    claims_decided: true,
  })
  expect(JSON.stringify(request.response_body)).not.toContain("North Korea")
  const { request_id } = request
  for (const role of ["developer", "viewer"] as const) {
    const { browser: other } = await member(app, { account, role })
    expect((await other.mutate("request.viewClaims", { request_id })).error.error).toBe("insufficient_scope")
  }
  const views = () => sql`select from audit_entries where workspace_id = ${workspaceId} and action = 'claims.viewed'`
  expect(await views()).toHaveLength(0)
  const { browser: officer } = await member(app, { account, role: "compliance" })
  const { data } = await officer.mutate("request.viewClaims", { request_id })
  expect(data.data).toMatchObject([{ user_pubkey: wallet, claims: { country: "KP" } }])
  expect(await views()).toHaveLength(1)

  // Claims did not decide, so none are shown.
  const unverified = await tokens.mint(config, (await app.startSession(key)).wallet, "1")
  expect(unverified.json.error).toBe("wallet_not_verified")
  const other = await logged(unverified)
  expect(other).toMatchObject({ claims_decided: false })
  expect((await officer.mutate("request.viewClaims", { request_id: other.request_id })).data).toEqual({ data: [] })
  expect(await views()).toHaveLength(1)
  expect((await browser.mutate("request.viewClaims", { request_id: newId("req") })).error.error).toBe(
    "request_not_found",
  )
})

test("a stranger's wallet and token are not named", async () => {
  const one = await enter()
  const { wallet } = await app.verifiedWallet(one.key)
  const config = await one.tokens.config()
  const other = await enter()
  const refused = await other.tokens.mint(config, wallet, "1")
  expect(refused.status).toBe(422)
  expect(await other.logged(refused)).toMatchObject({
    wallets: [{ wallet, investor: null }],
    token: null,
    claims_decided: false,
  })
})

test("the list names the investor and the token of each request to those who may read them", async () => {
  const { browser, account, key, tokens, logged } = await enter()
  const { wallet } = await app.verifiedWallet(key)
  const config = await tokens.config()
  await logged(await tokens.mint(config, wallet, "1"))
  await logged(await app.request({ method: "GET", path: "/schemas", key: key.apiKey }))
  const about = async (by: typeof browser) => {
    const { data } = (await by.query("request.list", { path: "/token/mint" })).data
    return data.map((one: { about: unknown }) => one.about)
  }
  const named = { investor: { investor_id: expect.stringMatching(/^inv_/), external_id: null }, token: { id: config } }
  expect(await about(browser)).toMatchObject([named])
  const { browser: viewer } = await member(app, { account, role: "viewer" })
  expect(await about(viewer)).toMatchObject([named])
  const { data } = (await browser.query("request.list", { path: "/schemas" })).data
  expect(data[0].about).toEqual({ investor: null, token: null })
})

test("requests of the last 24 hours are counted by hour, outcome and code, and listed by code", async () => {
  const { browser, workspaceId, key } = await enter()
  const now = clock.now()
  const insert = (at: Date, status: number, code: string | null) => sql`
    insert into api_requests (workspace_id, id, at, method, path, status, error_code, duration_us, key_id, headers)
    values (${workspaceId}, ${newId("req")}, ${at}, 'POST', '/token/mint', ${status}, ${code}, 1, ${key.keyId}, '{}')`
  await insert(now, 200, null)
  await insert(now, 403, "country_not_allowed")
  await insert(now, 403, "country_not_allowed")
  await insert(addSeconds(now, -3600), 422, "validation_failed")
  await insert(addSeconds(now, -3600), 500, "internal_error")
  await insert(addSeconds(now, -25 * 3600), 500, "internal_error")
  const { hours, codes } = (await browser.query("request.errors")).data
  expect(hours).toHaveLength(24)
  expect(hours.slice(-2)).toMatchObject([
    { successes: 0, client_errors: 1, server_errors: 1 },
    { successes: 1, client_errors: 2, server_errors: 0 },
  ])
  expect(hours.slice(0, -2).every((one: { server_errors: number }) => one.server_errors === 0)).toBe(true)
  expect(codes).toEqual([
    { code: "country_not_allowed", count: 2 },
    { code: "internal_error", count: 1 },
    { code: "validation_failed", count: 1 },
  ])
  const { data } = await browser.query("request.list", { error: "country_not_allowed" })
  expect(data.data.map((one: { error: string }) => one.error)).toEqual(["country_not_allowed", "country_not_allowed"])
  const begun = (await browser.query("request.list", { error: "country_n" })).data
  expect(begun.data).toEqual(data.data)
  expect((await browser.query("request.list", { error: "not_allowed" })).data.data).toEqual([])
})
