import { randomBytes } from "node:crypto"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { commandSettings, runCommandHere } from "#test/fixtures/vouch-command.ts"
import { startDidit } from "#test/vendor/didit.ts"
import { startPersona } from "#test/vendor/persona.ts"
import { startStripe } from "#test/vendor/stripe.ts"

const base = commandSettings()
let databaseUrl: string
let persona: Awaited<ReturnType<typeof startPersona>>
let stripe: Awaited<ReturnType<typeof startStripe>>
let didit: Awaited<ReturnType<typeof startDidit>>
let said = ""

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url
  ;[persona, stripe, didit] = [await startPersona(), await startStripe(), await startDidit()]
})
afterEach(() => {
  for (const vendor of [persona, stripe, didit]) vendor.misbehave(null)
})
afterAll(async () => {
  expect(said).not.toContain("of-another-account")
  for (const vendor of [persona, stripe, didit]) {
    await vendor.stop()
    // No output contains a secret, even after an error.
    for (const secret of vendor.secrets) expect(said).not.toContain(secret)
  }
})

const secret = () => randomBytes(32).toString("base64")
/** One database belongs to one deployment. */
const signer = secret()
const inTest = (settings: Record<string, string>) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name.replace("VOUCH_", "VOUCH_TEST_"), value]))

const check = async (environment: Record<string, string>, ...args: string[]) => {
  const settings = { ...base, DATABASE_URL: databaseUrl, VOUCH_SIGNER: signer, ...environment }
  const result = await runCommandHere(["provider", "check", ...args], settings)
  said += result.stdout + result.stderr
  return result
}

test("valid credentials are reported, with what to enter at each vendor and its schemas", async () => {
  const environment = {
    ...inTest(persona.settings),
    ...inTest(stripe.settings),
    ...inTest(didit.settings),
    VOUCH_TEST_PROVIDER: "persona accredited_investor_v1=stripe",
  }
  const { exitCode, stdout } = await check(environment, "--mode", "test")
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain("live:")
  const [sandbox, ofPersona, ofStripe, ofDidit] = stdout.split("\n\n")
  expect(sandbox).toMatch(/^test: Built-in sandbox \(sandbox\)\n {2}built in\n/)
  expect(ofPersona).toMatch(
    /^test: Persona \(persona\)\n {2}ok: .*\n {2}verifies every schema without its own provider\n/,
  )
  for (const entered of ["http://localhost:3000/v1/kyc/webhook/persona", "inquiry.approved, ", "2025-12-08"])
    expect(ofPersona).toContain(entered)
  expect(ofStripe).toContain("verifies accredited_investor_v1")
  expect(ofStripe).toContain("identity.verification_session.verified, ")
  expect(ofDidit).toContain("no new sessions; it only finishes those it began")
})

test("a wrong setting is named in a sentence, and the exit code is 1", async () => {
  const problemOf = async (settings: Record<string, string>, provider: string) => {
    const { exitCode, stdout } = await check(settings, "--json")
    const { ok, providers } = JSON.parse(stdout)
    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false })
    return providers.find((one: { provider: string; ok: boolean }) => one.provider === provider && !one.ok).problem
  }
  expect(await problemOf(inTest(persona.wrongSettings), "persona")).toMatch(
    /^Persona refuses the credentials \(status 401\)\. Check VOUCH_TEST_PERSONA_API_KEY: /,
  )
  const closed = { ...stripe.settings, VOUCH_STRIPE_URL: `http://127.0.0.1:${await freePorts(1)}` }
  expect(await problemOf(closed, "stripe")).toMatch(
    /^Stripe Identity cannot be reached \(ECONNREFUSED\)\. Check VOUCH_STRIPE_URL, /,
  )
  didit.misbehave("fails")
  expect(await problemOf(didit.settings, "didit")).toMatch(/^Didit has a problem \(status 500\)\./)
  didit.misbehave("rubbish")
  expect(await problemOf(didit.settings, "didit")).toMatch(/this may not be Didit's server\. Check VOUCH_DIDIT_URL\.$/)
  didit.misbehave("redirects")
  expect(await problemOf(didit.settings, "didit")).toMatch(/^Didit has no API at that address \(status 307\)\./)
})

test("a sandbox's credentials cannot verify live investors on a public server", async () => {
  const live = { ...persona.settings, VOUCH_LIVE_PROVIDER: "persona" }
  const local = await check(live, "--mode", "live", "--json")
  expect(JSON.parse(local.stdout).providers[1]).toMatchObject({
    provider: "persona",
    ok: true,
    note: expect.stringContaining("where anyone can pass"),
  })
  const isPublic = {
    VOUCH_PUBLIC_URL: "https://vouch.example.com",
    VOUCH_SIGNER: signer,
    VOUCH_DATA_KEY: secret(),
    VOUCH_WEBHOOK_SECRET: `whsec_${secret()}`,
  }
  const { exitCode, stderr } = await check({ ...live, ...isPublic })
  expect(exitCode).toBe(2)
  expect(stderr).toContain("VOUCH_LIVE_PROVIDER: persona has credentials of Persona's sandbox")
})

test("without a provider, it says how to choose one", async () => {
  const isPublic = {
    VOUCH_PUBLIC_URL: "https://vouch.example.com",
    VOUCH_SIGNER: signer,
    VOUCH_DATA_KEY: secret(),
    VOUCH_WEBHOOK_SECRET: `whsec_${secret()}`,
  }
  const { exitCode, stdout } = await check(isPublic, "--mode", "live")
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("VOUCH_LIVE_PROVIDER"),
  })
})

test("its help says what it does, and another mode is refused", async () => {
  const { exitCode, stdout } = await check({}, "--help")
  expect(exitCode).toBe(0)
  for (const word of ["--mode <mode>", "live or test", "exits 1 if one fails"]) expect(stdout).toContain(word)
  expect((await check({}, "--mode", "both")).exitCode).toBe(2)
})
