import { randomBytes } from "node:crypto"
import postgres from "postgres"
import { expect, test, vi } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { parseSettings } from "#server/settings/env.ts"
import { feePayerPurpose, localKeys, payerMarkerPurpose } from "#server/solana/keys.ts"
import { derivedPurposes } from "#server/solana/signers/choose.ts"
import { startTestApp, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { fund } from "#test/fixtures/tokens.ts"
import { scrape } from "#test/matchers/scrape.ts"
import { startAwsKms } from "#test/vendor/aws-kms.ts"

/** Including what the database knows: a scrape waits a second at most for that, and this machine may be busy. */
const whole = (port: number) =>
  waitFor(async () => {
    const scraped = await scrape(port)
    return scraped.values.has("vouch_workers") && scraped
  }, "the deployment's metrics")

test("a process that only answers requests shows the deployment's queue and no ledger", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_METRICS_PORT: "0" })
  const { values, text } = await whole(app.metricsPort!)
  await app.stop()
  expect(values.get('vouch_operations_unfinished{mode="live",status="queued"}')).toBe(0)
  expect(values.get("vouch_workers")).toBe(0)
  expect(text).toMatch(/^vouch_build_info\{version="[^"]+",role="web"\} 1$/m)
  // Declared without a value, so that rules which name it are valid.
  expect(text).toContain("# TYPE vouch_fee_payer_sol gauge\n# HELP")
})

test("a worker shows its ledgers, and serves nothing but metrics", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "worker", VOUCH_METRICS_PORT: "0" })
  const { values } = await whole(app.metricsPort!)
  await expect(fetch(`${app.origin}/v1/health`)).rejects.toThrow()
  await app.stop()
  expect(values.get('vouch_transactions_in_flight{mode="live"}')).toBe(0)
  expect(values.get("vouch_workers")).toBe(1)
  await expect(scrape(app.metricsPort!)).rejects.toThrow()
})

test("without a port there are no metrics, and a port in use stops the start and names the setting", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web" })
  expect(app.metricsPort).toBeNull()
  const port = new URL(app.origin).port
  await expect(startTestApp({ VOUCH_ROLE: "web", VOUCH_METRICS_PORT: port })).rejects.toThrow(
    `Port ${port} is in use. Stop the other program, or set VOUCH_METRICS_PORT to a free port.`,
  )
  await app.stop()
})

/** Records the public keys of a secret, like a worker that has it. */
const recordedBy = (secret: Buffer) => async (url: string) => {
  const sql = postgres(url, { ...socketOptions(url), max: 1 })
  for (const purpose of derivedPurposes(parseSettings({}))) {
    const address = localKeys(secret)(purpose).publicKey.toBase58()
    await sql`insert into derived_keys (purpose, address) values (${purpose}, ${address})`
  }
  await sql.end()
  return url
}

test("a process that only answers requests needs no VOUCH_SIGNER, and gets only public keys from a key service", async () => {
  const service = await startAwsKms()
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const secret = randomBytes(32)
  const app = await startTestApp(
    {
      ...{ VOUCH_ROLE: "web", VOUCH_SIGNER: "" },
      ...{ VOUCH_TEST_FEE_PAYER: service.uri, VOUCH_TEST_AUTHORITY: service.uri },
      VOUCH_LIVE_AUTHORITY: service.uri,
    },
    { between: recordedBy(secret) },
  )
  expect(deployment.hasSigner).toBe(false)
  const key = await app.key({ plan: "growth" })
  const { sessionId } = await app.startSession(key)
  const decide = {
    method: "POST",
    path: `/test/sessions/${sessionId}/decide`,
    json: { decision: "approved" },
  }
  expect((await app.request({ ...decide, key: key.apiKey })).status).toBe(200)
  const create = { method: "POST", path: "/mint-configs", json: { ...fund("fund"), rules: {} } }
  const later = { headers: { Prefer: "respond-async" }, key: key.apiKey }
  expect((await app.request({ ...create, ...later })).status).toBe(202)
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  // The dashboard in live mode, whose fee payer derives from the secret.
  const { browser } = await member(app, { mode: "live" })
  expect((await browser.query("workspace.get")).data.chain.fee_payer).toBe(
    localKeys(secret)(feePayerPurpose("live")).publicKey.toBase58(),
  )
  for (const page of ["overview.get", "monitoring.get", "usage.get", "key.list"])
    expect((await browser.query(page)).status, page).toBe(200)
  const marker = localKeys(secret)(payerMarkerPurpose("test")).publicKey
  const start = { userPubkey: marker.toBase58(), schemaId: "kyc_individual_v1" }
  const refused = await app.request({ method: "POST", path: "/kyc/start", json: start, key: key.apiKey })
  expect(refused.json.error).toBe("invalid_public_key")
  await app.stop()
  await service.stop()
  vi.unstubAllEnvs()
  const asked = service.requests.map(({ body }) => Object.keys(JSON.parse(body.toString())))
  expect(new Set(asked.flat())).toEqual(new Set(["KeyId"]))
})
