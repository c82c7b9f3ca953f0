import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"
import { expect, test } from "vitest"
import { parseSettings } from "./env.ts"
import { loadSecrets, placeOfWebhookSecret } from "./secrets.ts"

const own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

test("a generated webhook secret is in the named file, which only its owner can read", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "vouch-secrets-"))
  try {
    const settings = parseSettings({ VOUCH_DATA_DIR: dataDir })
    const { generated } = loadSecrets(settings)
    const { variable, file } = placeOfWebhookSecret(settings, "test")
    expect(isAbsolute(file!)).toBe(true)
    expect(statSync(file!).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file!, "utf8"))[variable]).toBe(generated[variable])
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

test("a secret from the environment is named by its variable", () => {
  const all = parseSettings({ VOUCH_WEBHOOK_SECRET: own })
  expect(placeOfWebhookSecret(all, "live")).toEqual({ variable: "VOUCH_WEBHOOK_SECRET", file: null })
  const one = parseSettings({ VOUCH_LIVE_WEBHOOK_SECRET: own })
  expect(placeOfWebhookSecret(one, "live")).toEqual({ variable: "VOUCH_LIVE_WEBHOOK_SECRET", file: null })
  expect(placeOfWebhookSecret(one, "test").file).toMatch(/secrets\.json$/)
})
