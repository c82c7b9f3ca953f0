import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { databaseTime_ms } from "#server/lib/time.ts"

type Header = string | string[] | undefined

/** How far a signed time may be off, either way, in seconds, as Standard Webhooks recommends. */
export const TOLERANCE_SECONDS = 300
/** Seconds since 1970: only digits, without a leading zero. */
const TIMESTAMP = /^[1-9][0-9]{0,11}$/
/** The longest header and the most signatures to check. There are a few signatures during a rotation. */
const MAX_HEADER = 2000
const MAX_SIGNATURES = 8

/** Whether a time, in seconds since 1970, is now, within the tolerance. */
export const isNow = (timestamp: Header | number): boolean =>
  (typeof timestamp === "number" || (typeof timestamp === "string" && TIMESTAMP.test(timestamp))) &&
  Math.abs(Math.floor(databaseTime_ms() / 1000) - Number(timestamp)) <= TOLERANCE_SECONDS

/** Identifies repeats of a webhook whose vendor gives it no id. */
export const digestOf = (body: Buffer): string => createHash("sha256").update(body).digest("hex")

type Signed = { mac: Buffer; before?: string }

/**
 * Whether any of the keys made any of the signatures, which cover `before` and then these exact bytes. Compares in
 * constant time, so all signatures must have the algorithm's length.
 */
function isMadeBy(keys: readonly (string | Buffer)[], signed: readonly Signed[], body: Buffer | string, by = "sha256") {
  let held = false
  for (const { mac, before = "" } of signed)
    for (const key of keys) {
      if (key.length === 0) continue
      const expected = createHmac(by, key).update(before).update(body).digest()
      if (timingSafeEqual(mac, expected)) held = true
    }
  return held
}

/** Whether a header is the hex HMAC of these exact bytes under any of the secrets. */
export function isHexHmac(
  header: Header,
  body: Buffer | string,
  { secrets, algorithm = "sha256" }: { secrets: readonly string[]; algorithm?: "sha256" | "sha512" },
): boolean {
  const digits = algorithm === "sha256" ? 64 : 128
  if (typeof header !== "string" || header.length !== digits || !/^[0-9a-fA-F]+$/.test(header)) return false
  return isMadeBy(secrets, [{ mac: Buffer.from(header, "hex") }], body, algorithm)
}

/**
 * Whether a header such as `t=1614265330,v1=5257a8…` signs these exact bytes with any of the secrets, now. Stripe sends
 * several `v1` for one time, Persona several pairs separated by spaces.
 */
export function isSignedWithTime(header: Header, body: Buffer, secrets: readonly string[]): boolean {
  if (typeof header !== "string" || header.length > MAX_HEADER) return false
  const signed = header.split(" ").flatMap((group): Signed[] => {
    const parts = group.split(",").map((part) => part.trim())
    const [timestamp, ...others] = parts.filter((part) => part.startsWith("t=")).map((part) => part.slice(2))
    // With a second time, it would be unclear which one is signed.
    if (others.length > 0 || !isNow(timestamp)) return []
    const macs = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? [])
    return macs.map((mac) => ({ mac: Buffer.from(mac, "hex"), before: `${timestamp}.` }))
  })
  return isMadeBy(secrets, signed.slice(0, MAX_SIGNATURES), body)
}

/** Secrets of Standard Webhooks: `whsec_` and base64, several separated by spaces during a rotation. */
export const standardSecrets = z
  .string()
  .transform((text) => text.split(" ").filter((secret) => secret !== ""))
  .refine((secrets) => secrets.length > 0 && secrets.every(isSecret), {
    error: "must be whsec_ and base64 of 16 bytes or more",
  })

const isSecret = (secret: string): boolean => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && keyOf(secret).length >= 16

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64")

/** SHA-256's 32 bytes in base64. */
const MAC = /^v1,([A-Za-z0-9+/]{43}=)$/

/** Whether https://www.standardwebhooks.com (symmetric, version 1) accepts the webhook with any of the secrets, now. */
export function isSignedByStandard(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = headers
  if (typeof id !== "string" || id === "" || id.length > 255 || typeof signature !== "string") return false
  if (!isNow(timestamp)) return false
  const macs = signature.split(" ", MAX_SIGNATURES).flatMap((one) => MAC.exec(one)?.[1] ?? [])
  const signed = macs.map((mac) => ({ mac: Buffer.from(mac, "base64"), before: `${id}.${timestamp}.` }))
  return isMadeBy(secrets.map(keyOf), signed, body)
}
