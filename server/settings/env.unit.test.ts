import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { rootCertificates } from "node:tls"
import { afterAll, expect, test } from "vitest"
import { parseSettings, SettingsError } from "./env.ts"
import { loadSecrets } from "./secrets.ts"
import { checkTls } from "./tls.ts"

const directory = mkdtempSync(join(tmpdir(), "vouch-env-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const base64 = (bytes: number) => randomBytes(bytes).toString("base64")
const given = () => ({
  VOUCH_SIGNER: base64(32),
  VOUCH_DATA_KEY: base64(32),
  VOUCH_WEBHOOK_SECRET: `whsec_${base64(32)}`,
})
const load = (environment: Record<string, string>) =>
  loadSecrets(parseSettings({ VOUCH_DATA_DIR: directory, ...environment }))

const URL_OF_ANOTHER = "mysql://u:p@h/d"

const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v"

/** Each parsed setting, with a wrong value and the error it must cause. */
test.each<[string, string, RegExp]>([
  ["PORT", "http", /a port number from 0 to 65535/],
  ["PORT", "70000", /a port number from 0 to 65535/],
  ["PORT", "0x50", /a port number from 0 to 65535/],
  ["VOUCH_LOCALNET_PORT", "-1", /a port number/],
  ["VOUCH_METRICS_PORT", "9464/tcp", /a port number/],
  ["VOUCH_PUBLIC_URL", "vouch.example.com", /an address such as https:/],
  ["VOUCH_PUBLIC_URL", "ftp://vouch.example.com", /an address such as https:/],
  ["VOUCH_ROLE", "everything", /must be all, web or worker/],
  ["VOUCH_RATE_LIMIT", "-1", /must be a number such as 0.5, at least 0/],
  ["VOUCH_RATE_LIMIT", "many", /must be a number/],
  ["VOUCH_RPC_CALLS_PER_SECOND", " ", /must be a number/],
  ["VOUCH_DATABASE_POOL", "8", /a whole number from 9 to 500/],
  ["VOUCH_DATABASE_POOL", "20.5", /a whole number from 9 to 500/],
  ["VOUCH_LOCALNET_SLOT_MS", "1", /from 5 to 10000/],
  ["VOUCH_LOCALNET_FAULTS", "yes", /must be 0 or 1/],
  ["VOUCH_COMMITMENT", "processed", /confirmed or finalized/],
  ["VOUCH_PRIORITY_FEE_MICROLAMPORTS", "1e9", /a whole number/],
  ["VOUCH_PRIORITY_FEE_MAX_MICROLAMPORTS", "-5", /a whole number/],
  ["VOUCH_PRIORITY_FEE_PERCENTILE", "101", /from 0 to 100/],
  ["VOUCH_ACCOUNT_REOPENINGS", "three", /a whole number/],
  ["VOUCH_PAYMENT_MINTS", "USDC", /addresses of mints, such as EPjF/],
  ["VOUCH_LIVE_PAYMENT_MINTS", "1".repeat(44), /addresses of mints/],
  ["VOUCH_TEST_PAYMENT_MINTS", `${USDC}, ${USDC}`, /each mint once/],
  ["VOUCH_ARCHIVE_AFTER_DAYS", "never", /a whole number/],
  ["VOUCH_LOW_BALANCE_SOL", "0,5", /a number such as 0.5/],
  ["VOUCH_LOW_BALANCE_HOURS", "day", /a number/],
  ["VOUCH_LOG_LEVEL", "loud", /trace, debug, .* or silent/],
  ["VOUCH_TLS_CERT", "cert.pem", /VOUCH_TLS_KEY: set both/],
  ["VOUCH_SMTP_URL", "mail.example.com", /an address such as smtps:/],
  ["VOUCH_SMTP_URL", "smtp://mail.example.com", /VOUCH_MAIL_FROM: set both/],
  ["VOUCH_SECURITY_CONTACT", "me", /an address such as mailto:/],
  ["VOUCH_SANCTIONS_LIST", "/a/list /b/list", /different names/],
  ["VOUCH_SANCTIONS_LIST_ACCEPT", "yes", /64 hexadecimal digits/],
  ["VOUCH_METRICS_HOST", "localhost", /an IP address/],
  ["SOLANA_RPC_URL", "devnet", /an address such as https:\/\/api.devnet.solana.com/],
  ["SOLANA_RPC_URL", ",", /an address such as https:\/\/api.devnet.solana.com/],
  ["VOUCH_LIVE_SOLANA_RPC_URL", "https://a.example mainnet", /an address such as/],
  ["VOUCH_TEST_SOLANA_RPC_URL", "localhost:8899", /an address such as/],
  ["SOLANA_SEND_URL", "ws://a.example", /an address such as/],
  ["VOUCH_LIVE_SOLANA_SEND_URL", "a", /an address such as/],
  ["VOUCH_TEST_SOLANA_SEND_URL", Array(9).fill("https://a.example").join(" "), /at most 8 addresses/],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", /an address such as http:/],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector", /an address such as http:/],
  ["OTEL_TRACES_SAMPLER", "all", /always_on, .* or parentbased_traceidratio/],
  ["OTEL_TRACES_SAMPLER_ARG", "2", /from 0 to 1/],
  ["DATABASE_URL", URL_OF_ANOTHER, /an address such as postgres:/],
  ["DATABASE_URL", "postgres://u:p@h/d?sslmod=require", /the unknown parameter sslmod\. .*sslmode/],
  ["DATABASE_DIRECT_URL", URL_OF_ANOTHER, /an address such as postgres:/],
])("a wrong %s=%s stops the start with an error that names it", (name, value, problem) => {
  const refused = () => parseSettings({ [name]: value })
  expect(refused).toThrow(SettingsError)
  const said = problemsOf(refused)
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(new RegExp(`^${name}(:| and )`))
  expect(said[0]).toMatch(problem)
})

function problemsOf(refused: () => unknown): string[] {
  try {
    refused()
  } catch (error) {
    return (error as SettingsError).problems
  }
  return []
}

test.each<[string, object, RegExp]>([
  [
    "a certificate file that does not exist",
    { cert: "/nowhere/cert.pem" },
    /^VOUCH_TLS_CERT: \/nowhere\/cert.pem cannot be read \(ENOENT\)$/,
  ],
  ["a file without a certificate", { cert: "junk.pem" }, /^VOUCH_TLS_CERT: has no certificate in PEM/],
  ["a key file that does not exist", { key: "/nowhere/key.pem" }, /^VOUCH_TLS_KEY: .* cannot be read/],
  ["a file without a key", { key: "junk.pem" }, /^VOUCH_TLS_KEY: has no key in PEM that belongs to the certificate/],
])("%s stops the start with an error that names it", (_what, files: { cert?: string; key?: string }, problem) => {
  writeFileSync(join(directory, "junk.pem"), "junk")
  writeFileSync(join(directory, "cert.pem"), rootCertificates[0]!)
  const [cert, key] = [files.cert ?? "cert.pem", files.key ?? "cert.pem"].map((file) => resolve(directory, file))
  const settings = parseSettings({ VOUCH_TLS_CERT: cert, VOUCH_TLS_KEY: key })
  expect(problemsOf(() => checkTls(settings))[0]).toMatch(problem)
})

test("keys in the data directory that cannot be read stop the start, and the error does not repeat them", () => {
  const VOUCH_DATA_DIR = mkdtempSync(join(directory, "broken-"))
  writeFileSync(join(VOUCH_DATA_DIR, "secrets.json"), '{"VOUCH_SIGNER":"c2VjcmV0')
  const said = problemsOf(() => load({ VOUCH_DATA_DIR }))
  expect(said[0]).toMatch(/^VOUCH_DATA_DIR: .*secrets.json cannot be read/)
  expect(said[0]).not.toContain("c2Vj")
})

test("a chain address with a password is refused, and the error does not repeat it", () => {
  const refused = () => parseSettings({ SOLANA_RPC_URL: "https://a.example https://user:secret@rpc.example" })
  expect(refused).toThrow(/SOLANA_RPC_URL.*no user name and no password/)
  expect(refused).not.toThrow(/secret/)
})

test("an empty variable counts as absent", () => {
  expect(parseSettings({ PORT: "", VOUCH_PUBLIC_URL: "" })).toMatchObject({ PORT: 3000 })
})

test("a public address is reduced to its origin", () => {
  const settings = parseSettings({ VOUCH_PUBLIC_URL: "https://Vouch.example.com/app/?x#y" })
  expect(settings.VOUCH_PUBLIC_URL).toBe("https://vouch.example.com")
})

test("without a public address, secrets are generated once into a file that only its owner can read", () => {
  const first = load({})
  const again = load({})
  expect(again).toEqual(first)
  const path = join(directory, "secrets.json")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toHaveLength(3)
})

test.each(["VOUCH_SIGNER", "VOUCH_DATA_KEY"])("with a public address, a missing %s stops the start", (name) => {
  const environment = { ...given(), VOUCH_PUBLIC_URL: "https://vouch.example.com", [name]: "" }
  expect(() => load(environment)).toThrow(new RegExp(`${name}: required when`))
})

test("a public web process needs no VOUCH_SIGNER", () => {
  const environment = { ...given(), VOUCH_PUBLIC_URL: "https://vouch.example.com", VOUCH_SIGNER: "" }
  expect(load({ ...environment, VOUCH_ROLE: "web" }).signer).toBeNull()
  expect(() => load({ ...environment, VOUCH_ROLE: "worker" })).toThrow(/VOUCH_SIGNER: required when/)
})

test("a web process generates no VOUCH_SIGNER and reads none from its data directory", () => {
  const VOUCH_DATA_DIR = mkdtempSync(join(directory, "web-"))
  for (const VOUCH_ROLE of ["web", "all", "web"] as const)
    expect(load({ VOUCH_DATA_DIR, VOUCH_ROLE }).signer === null).toBe(VOUCH_ROLE === "web")
})

test.each([
  ["VOUCH_SIGNER", base64(31)],
  ["VOUCH_SIGNER", "not base64!"],
  ["VOUCH_DATA_KEY", base64(33)],
])("a weak or malformed secret stops the start, and the error does not repeat it: %s", (name, value) => {
  const environment = { ...given(), [name]: value }
  let message = ""
  try {
    load(environment)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toContain(name)
  if (value.trim() !== "") expect(message).not.toContain(value)
})

test("several data keys are read in order, and a wrong one stops the start", () => {
  const [first, second] = [base64(32), base64(32)]
  const { dataKeys } = load({ ...given(), VOUCH_DATA_KEY: `${first} ${second}` })
  expect(dataKeys.map((key) => key.toString("base64"))).toEqual([first, second])
  expect(() => load({ ...given(), VOUCH_DATA_KEY: `${first} ${base64(16)}` })).toThrow(/VOUCH_DATA_KEY/)
})

test("payment mints are separated by spaces or commas", () => {
  const other = "11111111111111111111111111111112"
  expect(parseSettings({ VOUCH_PAYMENT_MINTS: `${USDC},${other}` }).VOUCH_PAYMENT_MINTS).toEqual([USDC, other])
  expect(parseSettings({}).VOUCH_TEST_PAYMENT_MINTS).toBeUndefined()
})
