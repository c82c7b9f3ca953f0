import { createHmac, timingSafeEqual } from "node:crypto"
import { databaseTime_ms } from "#server/lib/time.ts"

/** How far a vendor's signed time may be off, either way, in seconds. */
export const TOLERANCE_SECONDS = 300

/** Longest header that is looked at, and signatures in it: while secrets rotate there are a few. */
const MAX_HEADER = 2000
const MAX_SIGNATURES = 8

type Signature = { timestamp: string; mac: Buffer }

/** Whether a time, in seconds since 1970, is now, as far as clocks agree. */
export const isNow = (seconds: number): boolean =>
  Math.abs(Math.floor(databaseTime_ms() / 1000) - seconds) <= TOLERANCE_SECONDS

/**
 * Whether a header such as `t=1614265330,v1=5257a8…` signs these very bytes by any one of the secrets, at a time that is
 * not off by more than 300 seconds. Stripe gives several `v1` for one time, Persona several pairs separated by spaces.
 * Each signature is as long as the one it is compared with, in constant time.
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

/** The signatures of a header that may hold: of a known form, and not too old. */
function signaturesOf(header: string): Signature[] {
  const signatures: Signature[] = []
  for (const group of header.split(" ")) {
    const parts = group.split(",").map((part) => part.trim())
    const [timestamp, ...others] = parts.filter((part) => part.startsWith("t=")).map((part) => part.slice(2))
    // A second time would leave open which of them is signed.
    if (timestamp === undefined || others.length > 0 || !/^[1-9][0-9]{0,11}$/.test(timestamp)) continue
    if (!isNow(Number(timestamp))) continue
    for (const part of parts) {
      const [, hex] = /^v1=([0-9a-f]{64})$/.exec(part) ?? []
      if (hex !== undefined) signatures.push({ timestamp, mac: Buffer.from(hex, "hex") })
    }
  }
  return signatures.slice(0, MAX_SIGNATURES)
}
