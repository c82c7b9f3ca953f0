import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { parseSettings, SettingsError } from "./env.ts"
import { loadSecrets } from "./secrets.ts"

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

test.each([
  ["PORT", "http"],
  ["PORT", "70000"],
  ["VOUCH_PUBLIC_URL", "vouch.example.com"],
  ["VOUCH_PUBLIC_URL", "ftp://vouch.example.com"],
  ["VOUCH_ROLE", "everything"],
  ["VOUCH_RATE_LIMIT", "-1"],
  ["VOUCH_DATABASE_POOL", "8"],
  ["VOUCH_LOG_LEVEL", "loud"],
  ["VOUCH_TLS_CERT", "cert.pem"],
])("a wrong %s=%s stops the start, and is named", (name, value) => {
  expect(() => parseSettings({ [name]: value })).toThrow(SettingsError)
  expect(() => parseSettings({ [name]: value })).toThrow(new RegExp(name))
})

test("an address of the chain has no password, and one that has is not repeated", () => {
  const refused = () => parseSettings({ SOLANA_RPC_URL: "https://a.example https://user:secret@rpc.example" })
  expect(refused).toThrow(/SOLANA_RPC_URL.*no user name and no password/)
  expect(refused).not.toThrow(/secret/)
})

test("an empty variable counts as absent", () => {
  expect(parseSettings({ PORT: "", VOUCH_PUBLIC_URL: "" })).toMatchObject({ PORT: 3000 })
})

test("a public address is cut down to its origin", () => {
  const settings = parseSettings({ VOUCH_PUBLIC_URL: "https://Vouch.example.com/app/?x#y" })
  expect(settings.VOUCH_PUBLIC_URL).toBe("https://vouch.example.com")
})

test("without a public address, secrets are generated once, into a file that only its owner reads", () => {
  const first = load({})
  const again = load({})
  expect(again).toEqual(first)
  const path = join(directory, "secrets.json")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toHaveLength(3)
})

test.each(["VOUCH_SIGNER", "VOUCH_DATA_KEY"])(
  "with a public address, a missing %s stops the start",
  (name) => {
    const environment = { ...given(), VOUCH_PUBLIC_URL: "https://vouch.example.com", [name]: "" }
    expect(() => load(environment)).toThrow(new RegExp(`${name}: required when`))
  },
)

test.each([
  ["VOUCH_SIGNER", base64(31)],
  ["VOUCH_SIGNER", "not base64!"],
  ["VOUCH_DATA_KEY", base64(33)],
])("a secret that is too weak or malformed stops the start, and is not repeated: %s", (name, value) => {
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

test("several data keys are read in their order, and a wrong one among them stops the start", () => {
  const [first, second] = [base64(32), base64(32)]
  const { dataKeys } = load({ ...given(), VOUCH_DATA_KEY: `${first} ${second}` })
  expect(dataKeys.map((key) => key.toString("base64"))).toEqual([first, second])
  expect(() => load({ ...given(), VOUCH_DATA_KEY: `${first} ${base64(16)}` })).toThrow(/VOUCH_DATA_KEY/)
})
