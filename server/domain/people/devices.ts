import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { clock } from "#server/lib/time.ts"

/** How long a browser is known after a sign-in. */
export const DEVICE_SECONDS = 180 * 86_400

/** A browser that a user has signed in from. */
export type Device = {
  userId: string
  /** The person's number of resets at that time. The next reset makes the device unknown. */
  generation: number
  /** Unique to this sign-in. */
  nonce: string
}

/**
 * Makes and reads device cookies, as OWASP describes them ("Slow Down Online Guessing Attacks with Device Cookies"). A
 * device cookie grants no access. It only exempts its browser from limits that other people's guesses cause.
 */
export function deviceCookies(dataKeys: readonly Buffer[]) {
  const keys = dataKeys.map((one) => Buffer.from(hkdfSync("sha256", one, "", "vouch device cookies", 32)))
  const macBy = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest("base64url")
  return {
    issue(userId: string, generation: number): string {
      const ends = Math.floor(clock.now().getTime() / 1000) + DEVICE_SECONDS
      const text = [userId, generation, randomBytes(16).toString("base64url"), ends].join(".")
      return `${text}.${macBy(keys[0]!, text)}`
    },

    /** Null if Vouch did not issue it or it has expired. */
    read(cookie: string): Device | null {
      const end = cookie.lastIndexOf(".")
      // Compare as text: several base64 texts decode to the same bytes.
      const given = Buffer.from(cookie.slice(end + 1))
      const macs = keys.map((key) => Buffer.from(macBy(key, cookie.slice(0, Math.max(0, end)))))
      if (!macs.some((own) => given.length === own.length && timingSafeEqual(given, own))) return null
      const [userId, generation, nonce, ends] = cookie.split(".") as [string, string, string, string]
      if (Number(ends) * 1000 <= clock.now().getTime()) return null
      return { userId, generation: Number(generation), nonce }
    },
  }
}
