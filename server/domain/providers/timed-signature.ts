import { createHmac, timingSafeEqual } from "node:crypto"
import { databaseTime_ms } from "#server/lib/time.ts"

/** How far a vendor's signed time may be off, either way, in seconds. */
export const TOLERANCE_SECONDS = 300

/** The longest header and the most signatures to check. There are a few signatures during a rotation. */
const MAX_HEADER = 2000
const MAX_SIGNATURES = 8

type Signature = { timestamp: string; mac: Buffer }

/** Whether a time, in seconds since 1970, is now, within the tolerance. */
export const isNow = (seconds: number): boolean =>
  Math.abs(Math.floor(databaseTime_ms() / 1000) - seconds) <= TOLERANCE_SECONDS

/**
 * Whether a header such as `t=1614265330,v1=5257a8…` signs these exact bytes with any of the secrets, within 300
 * seconds. Stripe sends several `v1` for one time, Persona several pairs separated by spaces.
 */
export function isSignedWithTime(
  header: string | string[] | undefined,
  body: Buffer,
  secrets: readonly string[],
): boolean {
  if (typeof header !== "string" || header.length > MAX_HEADER) return false
  let held = false
  for (const { timestamp, mac } of signaturesOf(header)) {
    for (const secret of secrets) {
      if (secret === "") continue
      const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest()
      if (timingSafeEqual(expected, mac)) held = true
    }
  }
  return held
}

/** The signatures of a header that have a known form and are not too old. */
function signaturesOf(header: string): Signature[] {
  const signatures: Signature[] = []
  for (const group of header.split(" ")) {
    const parts = group.split(",").map((part) => part.trim())
    const [timestamp, ...others] = parts.filter((part) => part.startsWith("t=")).map((part) => part.slice(2))
    // With a second time, it would be unclear which one is signed.
    if (timestamp === undefined || others.length > 0 || !/^[1-9][0-9]{0,11}$/.test(timestamp)) continue
    if (!isNow(Number(timestamp))) continue
    for (const part of parts) {
      const [, hex] = /^v1=([0-9a-f]{64})$/.exec(part) ?? []
      if (hex !== undefined) signatures.push({ timestamp, mac: Buffer.from(hex, "hex") })
    }
  }
  return signatures.slice(0, MAX_SIGNATURES)
}
