import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { databaseTime_ms } from "#server/lib/time.ts"

/** How far a webhook's timestamp may be off, either way, in seconds, as the standard recommends. */
const TOLERANCE_SECONDS = 300

/** Secrets of Standard Webhooks: `whsec_` and base64, several separated by spaces during a rotation. */
export const standardSecrets = z
  .string()
  .transform((text) => text.split(" ").filter((secret) => secret !== ""))
  .refine((secrets) => secrets.length > 0 && secrets.every(isSecret), {
    error: "must be whsec_ and base64 of 16 bytes or more",
  })

const isSecret = (secret: string): boolean => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && keyOf(secret).length >= 16

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(secret.startsWith("whsec_") ? 6 : 0), "base64")

/**
 * Whether a webhook is signed as Standard Webhooks defines (https://www.standardwebhooks.com, symmetric, version 1)
 * with any of the secrets, and its time is off by at most 300 seconds.
 */
export function isSignedByStandard(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): boolean {
  const signed = readSignature(headers)
  return signed !== null && secrets.some((secret) => holds(secret, signed, body))
}

type Signature = { id: string; timestamp: string; macs: Buffer[] }

/** SHA-256's 32 bytes in base64. */
const MAC = /^v1,([A-Za-z0-9+/]{43}=)$/
/** The most signatures of one webhook to check. There are a few during a rotation. */
const MAX_SIGNATURES = 8

/** Reads the signature headers. Null if they cannot be valid for any body, which is cheap to see. */
function readSignature(headers: IncomingHttpHeaders): Signature | null {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signature = headers["webhook-signature"]
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") return null
  // Only digits, without a leading zero.
  if (!/^[1-9][0-9]{0,11}$/.test(timestamp) || id === "" || id.length > 255) return null
  const age_s = Math.floor(databaseTime_ms() / 1000) - Number(timestamp)
  if (Math.abs(age_s) > TOLERANCE_SECONDS) return null
  const macs = signature
    .split(" ", MAX_SIGNATURES)
    .map((one) => MAC.exec(one)?.[1])
    .filter((mac) => mac !== undefined)
    .map((mac) => Buffer.from(mac, "base64"))
  return macs.length === 0 ? null : { id, timestamp, macs }
}

/** Whether the secret signed these exact bytes. All signatures have the same length; compared in constant time. */
function holds(secret: string, { id, timestamp, macs }: Signature, body: Buffer): boolean {
  const key = keyOf(secret)
  if (key.length === 0) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  return macs.some((mac) => timingSafeEqual(mac, expected))
}
