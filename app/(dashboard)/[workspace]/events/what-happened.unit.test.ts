import { expect, test } from "vitest"
import type { Event } from "./subject.ts"
import { whatHappened } from "./what-happened.ts"

const of = (type: string, data: object) => whatHappened({ type, data } as unknown as Event)
const at = "2026-11-03T10:00:00Z"

test.each([
  ["revoked", { issued_at: at, revoked_at: at }, "A verification was revoked"],
  ["cancelled", { issued_at: null, revoked_at: at }, "A verification was cancelled before it was issued"],
  ["rejected", { issued_at: null, revoked_at: null }, "A verification was rejected"],
])("an event of a rejected attestation says that it was %s", (_, data, words) => {
  expect(of("attestation.rejected", data)).toBe(words)
})

test("any other event has the words of its type", () => {
  expect(of("attestation.verified", {})).toBe("An attestation was confirmed on chain")
})
