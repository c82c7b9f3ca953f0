import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Mode } from "#shared/mode.ts"
import { type Settings, SettingsError } from "./env.ts"

export type Secrets = {
  /** Null in a web process without one: it answers requests and signs nothing. */
  signer: Buffer | null
  /** The first one encrypts, all of them decrypt. */
  dataKeys: readonly Buffer[]
  /** Secrets of providers that were not set and the server has generated, by variable. */
  generated: Record<string, string>
}

type Stored = { VOUCH_SIGNER: string; VOUCH_DATA_KEY: string; VOUCH_WEBHOOK_SECRET: string }

/**
 * The deployment's secrets, from the environment or generated into the data directory (mode 600). A public deployment
 * must set them, so that none is lost with a disk or shared by accident. A web process reads VOUCH_SIGNER only from the
 * environment and does not need it. Throws SettingsError.
 */
export function loadSecrets(settings: Settings): Secrets {
  const signs = settings.VOUCH_ROLE !== "web"
  const required = signs ? (["VOUCH_SIGNER", "VOUCH_DATA_KEY"] as const) : (["VOUCH_DATA_KEY"] as const)
  const missing = required.filter((name) => !settings[name])
  if (settings.VOUCH_PUBLIC_URL && missing.length > 0) {
    throw new SettingsError(
      missing.map((name) => `${name}: required when VOUCH_PUBLIC_URL is set; see .env.example to create one`),
    )
  }
  const hasWebhook =
    settings.VOUCH_WEBHOOK_SECRET || (settings.VOUCH_LIVE_WEBHOOK_SECRET && settings.VOUCH_TEST_WEBHOOK_SECRET)
  const makesSecrets = !settings.VOUCH_PUBLIC_URL && (missing.length > 0 || !hasWebhook)
  const stored = makesSecrets ? loadStored(settings.VOUCH_DATA_DIR) : null
  const value = (name: keyof Stored) => settings[name] ?? stored?.[name]
  // A secret that a web process generated would differ from the workers'.
  const signer = signs ? value("VOUCH_SIGNER") : settings.VOUCH_SIGNER
  return {
    signer: signer === undefined ? null : decode("VOUCH_SIGNER", signer, (bytes) => bytes >= 32, "32 bytes or more"),
    dataKeys: value("VOUCH_DATA_KEY")!
      .split(/\s+/)
      .map((key) => decode("VOUCH_DATA_KEY", key, (bytes) => bytes === 32, "32 bytes")),
    generated: stored ? { VOUCH_WEBHOOK_SECRET: stored.VOUCH_WEBHOOK_SECRET } : {},
  }
}

/** Where a mode's webhook secret is stored, for people who sign with it. Never the secret itself. */
export function placeOfWebhookSecret(settings: Settings, mode: Mode): { variable: string; file: string | null } {
  const own = mode === "live" ? "VOUCH_LIVE_WEBHOOK_SECRET" : "VOUCH_TEST_WEBHOOK_SECRET"
  if (settings[own]) return { variable: own, file: null }
  const file = settings.VOUCH_WEBHOOK_SECRET ? null : resolve(storedIn(settings.VOUCH_DATA_DIR))
  return { variable: "VOUCH_WEBHOOK_SECRET", file }
}

const storedIn = (dataDir: string): string => join(dataDir, "secrets.json")

function loadStored(dataDir: string): Stored {
  const path = storedIn(dataDir)
  if (!existsSync(path)) {
    const generated: Stored = {
      VOUCH_SIGNER: randomBytes(32).toString("base64"),
      VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
      VOUCH_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
    }
    // Written atomically: half a file after a crash would lose a key.
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(generated, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, path)
  }
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Stored
  } catch {
    // Without the cause, whose message would contain a part of the file.
    throw new SettingsError(
      `VOUCH_DATA_DIR: ${path} cannot be read. It has the keys of this deployment. Restore it from a backup`,
    )
  }
}

function decode(name: string, text: string, fits: (bytes: number) => boolean, expected: string): Buffer {
  const bytes = Buffer.from(text, "base64")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || !fits(bytes.length)) {
    throw new SettingsError(`${name}: must be base64 of ${expected}`)
  }
  return bytes
}
