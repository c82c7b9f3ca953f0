import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { afterEach, expect, test, vi } from "vitest"
import { Failure } from "#shared/errors.ts"
import { isSignedByStandard } from "./signatures.ts"
import { readVouchEvent } from "./vouch-event.ts"

afterEach(() => vi.useRealTimers())

type Headers = { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string }

/** The error's code. Any code other than `invalid_signature` means that the signature was valid. */
function refusalOf(secrets: string[], headers: Headers, body: string | Buffer): string {
  try {
    if (!isSignedByStandard(secrets, headers, Buffer.from(body))) return "invalid_signature"
    readVouchEvent(headers, Buffer.from(body))
    return "none"
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`

function sign(secret: string, body: string, id = "evt_1", at = new Date()): Headers {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  }
}

test("the standard's published example verifies", () => {
  // From the tests of the libraries at https://github.com/standard-webhooks/standard-webhooks.
  vi.useFakeTimers({ now: 1_614_265_330_000, toFake: ["Date"] })
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  }
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  // Signed, but not one of our events.
  expect(refusalOf([secret], headers, '{"test": 2432232314}')).toBe("validation_failed")
  expect(refusalOf([secret], headers, '{"test": 2432232315}')).toBe("invalid_signature")
  expect(refusalOf([newSecret()], headers, '{"test": 2432232314}')).toBe("invalid_signature")
})

test("any body signed by the standard's library verifies, and no changed body or signature does", () => {
  const id = fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom(..."abcXYZ019_-. ") })
  fc.assert(
    fc.property(id, fc.string({ unit: "grapheme", maxLength: 300 }), fc.nat(), (id, text, at) => {
      const secret = newSecret()
      const body = JSON.stringify({ text })
      const headers = sign(secret, body, id)
      expect(refusalOf([secret], headers, body)).toBe("validation_failed")
      expect(refusalOf([newSecret(), secret], headers, body)).toBe("validation_failed")
      const changed = Buffer.from(body)
      changed[at % changed.length]! ^= 1 << (at % 8)
      expect(refusalOf([secret], headers, changed)).toBe("invalid_signature")
      expect(refusalOf([secret], { ...headers, "webhook-id": `${id}x` }, body)).toBe("invalid_signature")
      const later = String(Number(headers["webhook-timestamp"]) + 1)
      expect(refusalOf([secret], { ...headers, "webhook-timestamp": later }, body)).toBe("invalid_signature")
    }),
  )
})

test("one valid signature among a few is enough, at any position", () => {
  const secret = newSecret()
  const headers = sign(secret, "{}")
  const other = sign(newSecret(), "{}")["webhook-signature"]
  for (const list of [
    `${other} ${headers["webhook-signature"]}`,
    `v2,abc v1a,${"A".repeat(88)} ${headers["webhook-signature"]} ${other}`,
  ]) {
    expect(refusalOf([secret], { ...headers, "webhook-signature": list }, "{}")).toBe("validation_failed")
  }
})

test("an empty secret verifies nothing", () => {
  const headers = { ...sign(newSecret(), "{}"), "webhook-signature": "" }
  for (const secret of ["", "whsec_"]) {
    expect(refusalOf([secret], headers, "{}")).toBe("invalid_signature")
    const forged = sign("whsec_AAAA", "{}")
    expect(refusalOf([secret], forged, "{}")).toBe("invalid_signature")
  }
  expect(refusalOf([], sign(newSecret(), "{}"), "{}")).toBe("invalid_signature")
})

test.each([299, -299])("a timestamp that is %i seconds off is accepted, and none beyond 300", (off) => {
  const secret = newSecret()
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
  expect(refusalOf([secret], sign(secret, "{}", "a", at(off)), "{}")).toBe("validation_failed")
  const past = off + 3 * Math.sign(off)
  expect(refusalOf([secret], sign(secret, "{}", "a", at(past)), "{}")).toBe("invalid_signature")
})
