import { expect, test } from "vitest"
import { addDays } from "#server/lib/time.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { moveClock, realNow } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const statusOf = async (wallet: string, query = "") =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}${query}`, key: key.apiKey })).json

test("during a renewal the old attestation keeps the wallet verified until the new one replaces it", async () => {
  const { wallet, status: old } = await app.verifiedWallet(key)
  const renewal = await app.startSession(key, wallet)
  expect(await statusOf(wallet)).toEqual(old)
  await app.webhook({ session_id: renewal.sessionId, decision: "approved", claims: { country: "CA" } })
  const replaced = await (async () => {
    for (;;) {
      const now = await statusOf(wallet)
      expect(now.status).toBe("verified")
      if (now.attestation_id !== old.attestation_id) return now
    }
  })()
  expect(replaced.onchain_tx).not.toBe(old.onchain_tx)
  const path = `/attestation/${old.attestation_id}`
  const { json } = await app.request({ method: "GET", path, key: key.apiKey })
  expect(json).toMatchObject({ status: "expired", revocation_reason: "superseded", revoked_at: null })
  expect(json.onchain_tx).toBe(old.onchain_tx)
})

test("a renewal that is rejected leaves the old attestation verified", async () => {
  const { wallet, status: old } = await app.verifiedWallet(key)
  const renewal = await app.startSession(key, wallet)
  await app.webhook({ session_id: renewal.sessionId, decision: "rejected" })
  expect(await statusOf(wallet)).toEqual(old)
})

test("a verified attestation takes precedence over newer ones; without one, the newest counts", async () => {
  const { wallet, status: verified } = await app.verifiedWallet(key)
  const business = await app.startSession(key, wallet, "kyc_business_v1")
  expect(await statusOf(wallet)).toEqual(verified)
  expect((await statusOf(wallet, "?schema=kyc_business_v1")).status).toBe("pending")
  expect(await statusOf(wallet, "?schema=kyc_individual_v1")).toEqual(verified)
  await app.webhook({ session_id: business.sessionId, decision: "rejected" })
  const later = addDays(realNow(), 366)
  await moveClock(later)
  expect(await statusOf(wallet)).toMatchObject({ status: "rejected", schema: "kyc_business_v1" })
  expect(await statusOf(wallet, "?schema=kyc_individual_v1")).toEqual({ ...verified, status: "expired" })
})

test("of two verified schemas, the one started last counts", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const { sessionId } = await app.startSession(key, wallet, "accredited_investor_v1")
  await app.webhook({ session_id: sessionId, decision: "approved" })
  for (;;) {
    const { status } = await statusOf(wallet, "?schema=accredited_investor_v1")
    if (status === "verified") break
  }
  expect((await statusOf(wallet)).schema).toBe("accredited_investor_v1")
})

test("requests that arrive together get their own wallet's status, and only within their workspace", async () => {
  const other = await app.key()
  const sessions = await Promise.all([app.startSession(key), app.startSession(key), app.startSession(other)])
  const wallets = sessions.map(({ wallet }) => wallet)
  const [first, second, theirs] = wallets
  const ask = async (wallet: string, apiKey: string, query = "") =>
    (await app.request({ method: "GET", path: `/kyc/status/${wallet}${query}`, key: apiKey })).json
  const alone = [await ask(first!, key.apiKey), await ask(second!, key.apiKey), await ask(theirs!, other.apiKey)]
  const together = await Promise.all([
    ask(first!, key.apiKey),
    ask(theirs!, key.apiKey),
    ask(second!, key.apiKey),
    ask(second!, key.apiKey, "?schema=kyc_business_v1"),
    ask(first!, other.apiKey),
    ask(theirs!, other.apiKey),
  ])
  const missing = expect.objectContaining({ error: "attestation_not_found" })
  expect(together).toEqual([alone[0], missing, alone[1], missing, missing, alone[2]])
})

test("a schema for which the wallet has no session is attestation_not_found", async () => {
  const { wallet } = await app.startSession(key)
  expect((await statusOf(wallet, "?schema=kyc_business_v1")).error).toBe("attestation_not_found")
  expect((await statusOf(newWallet())).error).toBe("attestation_not_found")
})

test("a workspace lists the schemas that every workspace starts with", async () => {
  const { json } = await app.request({ method: "GET", path: "/schemas", key: key.apiKey })
  const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const common = { wallet_proof: false, created_at }
  expect(json.data.sort((a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id))).toEqual([
    { id: "accredited_investor_v1", name: "Accredited investor", validity_days: 90, ...common },
    { id: "kyc_business_v1", name: "Business identity", validity_days: 365, ...common },
    { id: "kyc_individual_v1", name: "Individual identity", validity_days: 365, ...common },
  ])
})
