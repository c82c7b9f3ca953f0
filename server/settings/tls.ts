import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { createSecureContext } from "node:tls"
import { type Settings, SettingsError } from "./env.ts"

/** Throws SettingsError, with the setting's name, if the certificate or the key for our own TLS cannot be used. */
export function checkTls({ VOUCH_TLS_CERT: certFile, VOUCH_TLS_KEY: keyFile }: Settings): void {
  if (!certFile || !keyFile) return
  const cert = read("VOUCH_TLS_CERT", certFile)
  const key = read("VOUCH_TLS_KEY", keyFile)
  attempt("VOUCH_TLS_CERT", "has no certificate in PEM", () => new X509Certificate(cert))
  attempt("VOUCH_TLS_KEY", "has no key in PEM that belongs to the certificate", () =>
    createSecureContext({ cert, key }),
  )
}

function read(name: string, file: string): Buffer {
  return attempt(name, `${file} cannot be read`, () => readFileSync(file))
}

function attempt<T>(name: string, problem: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ""
    throw new SettingsError([`${name}: ${problem}${/^E[A-Z]+$/.test(code) ? ` (${code})` : ""}`])
  }
}
