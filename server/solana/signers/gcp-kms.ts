import type { GoogleAuth } from "google-auth-library"
import { crc32c } from "#server/lib/crc32c.ts"
import { ask, bytesOf } from "./ask.ts"
import { defineScheme, type KeyService, SignerFailure, WrongSigner } from "./definition.ts"
import { keyFromSpki } from "./ed25519.ts"

const LABEL = "Google Cloud KMS"
const PART = "[A-Za-z0-9_.:-]+"
const VERSION = new RegExp(
  `^projects/${PART}/locations/${PART}/keyRings/${PART}/cryptoKeys/${PART}/cryptoKeyVersions/\\d+$`,
)
const SCOPE = "https://www.googleapis.com/auth/cloudkms"

/**
 * A key version of Google Cloud KMS (EC_SIGN_ED25519). Credentials come from where Google's libraries look for them.
 */
export const gcpKms = defineScheme({
  scheme: "gcp-kms",
  label: LABEL,
  example: "gcp-kms:projects/p/locations/europe-west3/keyRings/vouch/cryptoKeys/live/cryptoKeyVersions/1",
  read(rest) {
    if (VERSION.test(rest)) return { name: rest }
    throw new WrongSigner(
      "what follows gcp-kms: must be projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…",
    )
  },
  open: ({ name }) => ({ service: serviceOf(name) }),
})

function serviceOf(name: string): KeyService {
  let auth: GoogleAuth | undefined
  const call = async (path: string, signal: AbortSignal, body?: object) => {
    auth ??= await authOf()
    const { origin, headers } = await authorised(auth)
    const url = `${origin}/v1/${name}${path}`
    const question = { label: LABEL, url, headers, signal, reasonOf, ...(body && { body }) }
    return (await ask(question)) as Record<string, unknown>
  }
  return {
    async publicKey(signal) {
      const { algorithm, pem, pemCrc32c } = await call("/publicKey", signal)
      if (algorithm !== "EC_SIGN_ED25519" || typeof pem !== "string")
        throw new SignerFailure(`${LABEL} has a key of ${algorithm}, not of EC_SIGN_ED25519`)
      checkSum(Buffer.from(pem), pemCrc32c)
      const der = Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ""), "base64")
      return keyFromSpki(LABEL, der)
    },
    async sign(message, signal) {
      const data = Buffer.from(message).toString("base64")
      const answer = await call(":asymmetricSign", signal, { data, dataCrc32c: String(crc32c(message)) })
      if (answer.name !== name || answer.verifiedDataCrc32c !== true) return damaged()
      const signature = bytesOf(LABEL, answer.signature, 64)
      checkSum(signature, answer.signatureCrc32c)
      return signature
    },
  }
}

async function authOf(): Promise<GoogleAuth> {
  const { GoogleAuth } = await import("google-auth-library")
  const auth = new GoogleAuth({ scopes: SCOPE })
  // A service account signs its own tokens, as in Google's clients, so no token server is needed.
  auth.useJWTAccessWithScope = true
  return auth
}

async function authorised(auth: GoogleAuth) {
  try {
    const origin =
      process.env.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS?.replace(/\/+$/, "") ??
      `https://cloudkms.${await auth.getUniverseDomain()}`
    const headers = await auth.getRequestHeaders(`${origin}/`)
    return { origin, headers: Object.fromEntries(headers) as Record<string, string> }
  } catch (error) {
    // Leave out the library's message: it may repeat the credentials that it has read.
    throw new SignerFailure(`${LABEL}: no credentials (${(error as Error).name})`, { passing: true })
  }
}

/** JSON has 64-bit numbers as text. */
function checkSum(bytes: Uint8Array, sum: unknown): void {
  if (String(sum) !== String(crc32c(bytes))) damaged()
}

function damaged(): never {
  throw new SignerFailure(`${LABEL}: the request or the answer was damaged in transit`, { passing: true })
}

const reasonOf = (answer: unknown): string | null =>
  (answer as { error?: { status?: string } } | undefined)?.error?.status ?? null
