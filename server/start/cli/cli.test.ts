import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { ourselves } from "#server/embedded/lock.ts"
import { newId } from "#server/lib/ids.ts"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { commandSettings, runCommandHere } from "#test/fixtures/vouch-command.ts"

const secret = () => randomBytes(32).toString("base64")
/** One database belongs to one deployment. */
const signer = secret()
const settings = { ...commandSettings(), VOUCH_SIGNER: signer }
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url
})

const vouch = (args: string[], environment?: Record<string, string>) =>
  runCommandHere(args, { ...settings, DATABASE_URL: databaseUrl, ...environment })

const ownerLink = async (environment?: Record<string, string>) => {
  const args = ["account", "create", "--name", newId("acct"), "--plan", "free", "--owner", "a@example.com"]
  const { stdout, stderr } = await vouch([...args, "--json"], environment)
  const { owner_link } = JSON.parse(stdout || stderr) as { owner_link: string }
  return new URL(owner_link).origin
}

test("a link uses the address of the running server, or the default one", async () => {
  expect(await ownerLink()).toBe("http://localhost:3000")
  const file = join(settings.VOUCH_DATA_DIR, "services.json")
  const announce = (holder: object) =>
    writeFileSync(file, JSON.stringify({ ...holder, origin: "https://localhost:4800", embedded: {} }))
  announce(ourselves())
  expect(await ownerLink()).toBe("https://localhost:4800")
  const configured = {
    VOUCH_PUBLIC_URL: "https://vouch.example.com",
    VOUCH_SIGNER: signer,
    VOUCH_DATA_KEY: secret(),
    VOUCH_WEBHOOK_SECRET: `whsec_${secret()}`,
  }
  expect(await ownerLink(configured)).toBe("https://vouch.example.com")
  announce({ pid: process.pid, mark: "an earlier process" })
  expect(await ownerLink({ PORT: "4000" })).toBe("http://localhost:4000")
})

test.each(["\u200b", "Owner\u202egpj.exe", "a\nb"])(
  "%j is refused as a name of an account and of a key",
  async (name) => {
    const customer = ["account", "create", "--plan", "free", "--name", name]
    const key = ["key", "create", "--mode", "test", "--account", "Example", "--name", name]
    const keyOfNew = ["key", "create", "--mode", "test", "--account", name, "--create"]
    for (const args of [customer, key, keyOfNew]) {
      const { exitCode, stdout, stderr } = await vouch(args)
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
      expect(stderr).toMatch(/must (not |be |have |contain )/)
    }
  },
)

test("a key goes to the only account, or to the named one; a new account is created only with --create", async () => {
  const env = { DATABASE_URL: (await createTestDatabase()).url }
  const key = ["key", "create", "--mode", "test"]
  const none = await vouch(key, env)
  expect(none).toMatchObject({ exitCode: 2, stdout: "" })
  expect(none.stderr).toContain('There is no account yet. Create one with "vouch account create".')
  const first = await vouch([...key, "--account", "My company", "--create", "--json"], env)
  const { account_id } = JSON.parse(first.stdout)
  const missing = await vouch([...key, "--account", "acme"], env)
  expect(missing).toMatchObject({ exitCode: 2, stdout: "" })
  expect(missing.stderr).toContain('--account: no account is named "acme". Accounts: "My company".')
  expect(JSON.parse((await vouch([...key, "--json"], env)).stdout)).toMatchObject({ account_id })
  await vouch([...key, "--account", "acme", "--create"], env)
  const which = await vouch(key, env)
  expect(which).toMatchObject({ exitCode: 2, stdout: "" })
  expect(which.stderr).toContain("--account: say which account. Accounts: ")
})
