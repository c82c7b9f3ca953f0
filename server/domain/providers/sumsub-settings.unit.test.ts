import { createHmac } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { configuredSumsub, type SumsubDouble, startSumsub } from "#test/vendor/sumsub.ts"
import { sumsub } from "./sumsub.ts"

// The effect of settings: signatures, levels, and which values stop the start.
let vendor: SumsubDouble
beforeAll(async () => {
  vendor = await startSumsub()
})
afterAll(() => vendor.stop())
const provider = (more: Record<string, string | undefined> = {}) => configuredSumsub({ ...vendor.settings, ...more })

test("a level that no setting names is refused if its workflow is not clear", () => {
  const { readEvent } = provider({ VOUCH_SUMSUB_FINAL_LEVELS: undefined })
  const body = vendor.webhook("applicantReviewed", { userId: "inv_1", levelName: "Extra questions" })
  expect(() => readEvent({}, Buffer.from(body))).toThrow("VOUCH_SUMSUB_FINAL_LEVELS")
})

test.each([
  ["applicantDeactivated", "person_deactivated"],
  ["amlCaseRejected", "watchlist_match"],
  ["amlCaseOnHold", "case_opened"],
  ["amlCaseCreated", "case_opened"],
])("%s is a signal about the person, at every level", (type, signal) => {
  const at = new Date("2026-01-02T03:04:05.678Z")
  const body = Buffer.from(vendor.webhook(type, { userId: "inv_1", at }))
  expect(provider().readEvent({}, body)).toMatchObject({
    about: {
      references: ["inv_1 basic-kyc-level", "inv_1 Accredited investors", "inv_1 workflow-entry"],
    },
    says: { kind: "signal", signal, occurredAt: at },
  })
})

test("the setting chooses the algorithm, and a header that names another has no effect", () => {
  const body = Buffer.from(vendor.webhook("applicantReviewed", { userId: "inv_1" }))
  const secret = vendor.settings.VOUCH_SUMSUB_WEBHOOK_SECRET!
  const by = (name: string) => createHmac(name, secret).update(body).digest("hex")
  const [only256, only512] = [provider(), provider({ VOUCH_SUMSUB_WEBHOOK_ALGORITHM: "HMAC_SHA512_HEX" })]
  for (const algorithm of ["HMAC_SHA1_HEX", "HMAC_SHA256_HEX", "HMAC_SHA512_HEX", undefined]) {
    const headers = (digest: string) => ({
      "x-payload-digest": digest,
      ...(algorithm && { "x-payload-digest-alg": algorithm }),
    })
    expect(only256.isSigned(headers(by("sha256")), body)).toBe(true)
    expect(only512.isSigned(headers(by("sha512")), body)).toBe(true)
    for (const other of ["sha1", "sha512"]) expect(only256.isSigned(headers(by(other)), body)).toBe(false)
    for (const other of ["sha1", "sha256"]) expect(only512.isSigned(headers(by(other)), body)).toBe(false)
  }
})

test("Sumsub's published vector uses SHA-1 and is refused", () => {
  const { isSigned } = provider({ VOUCH_SUMSUB_WEBHOOK_SECRET: "SoMe_SeCrEt_KeY" })
  const published = "f6e92ffe371718694d46e28436f76589312df8db"
  const body = Buffer.from("someText")
  expect(createHmac("sha1", "SoMe_SeCrEt_KeY").update(body).digest("hex")).toBe(published)
  const headers = { "x-payload-digest": published, "x-payload-digest-alg": "HMAC_SHA1_HEX" }
  expect(isSigned(headers, body)).toBe(false)
})

test("during a rotation of the webhook's secret both are valid; the API key never is", () => {
  const { VOUCH_SUMSUB_WEBHOOK_SECRET: before, VOUCH_SUMSUB_SECRET_KEY: key } = vendor.settings
  const { isSigned } = provider({ VOUCH_SUMSUB_WEBHOOK_SECRET: `${before} the-next-secret` })
  const body = Buffer.from("{}")
  const signed = (secret: string) => isSigned(vendor.sign("{}", { secret }), body)
  expect([before!, "the-next-secret", key!].map(signed)).toEqual([true, true, false])
})

test.each<[string, Record<string, string>, string]>([
  ["an algorithm that attackers can forge", { SUMSUB_WEBHOOK_ALGORITHM: "HMAC_SHA1_HEX" }, "HMAC_SHA256_HEX or"],
  ["levels without a default", { SUMSUB_LEVELS: "accredited_investor_v1=a" }, "for all schemas"],
  ["two default levels", { SUMSUB_LEVELS: "a, b" }, "for all schemas"],
  ["an invalid schema", { SUMSUB_LEVELS: "a, B-C=b" }, "for all schemas"],
  ["one schema twice", { SUMSUB_LEVELS: "a, b=c, b=d" }, "for all schemas"],
  ["an address without TLS", { SUMSUB_URL: "http://api.sumsub.com" }, "must be an https address"],
  ["an address with a path", { SUMSUB_URL: "https://api.sumsub.com/v1" }, "must be an https address"],
  ["a final level without an entry", { SUMSUB_FINAL_LEVELS: "proof-of-address" }, "entry=final"],
  ["a workflow from a level of no schema", { SUMSUB_FINAL_LEVELS: "other=final" }, "other is not one"],
  [
    "a workflow that ends at a level of another schema",
    { SUMSUB_FINAL_LEVELS: "basic-kyc-level=Accredited investors" },
    "Accredited investors is one",
  ],
  [
    "a level that ends two workflows",
    { SUMSUB_FINAL_LEVELS: "basic-kyc-level=end, workflow-entry=end" },
    "end would end two workflows",
  ],
  ["a secret with a line break", { SUMSUB_SECRET_KEY: "abcdefgh\n" }, "visible characters"],
  ["a short secret", { SUMSUB_WEBHOOK_SECRET: "abc" }, "visible characters"],
])("%s stops the start with a message", (_name, wrong, problem) => {
  const values = Object.fromEntries(
    Object.entries(vendor.settings).map(([name, value]) => [name.replace("VOUCH_", ""), value]),
  )
  const configured = sumsub.configure({ ...values, ...wrong })
  const [name] = Object.keys(wrong)
  expect(configured).toEqual({ wrong: [{ name, problem: expect.stringContaining(problem) }] })
})
