import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { newApiKey, startOfApiKey } from "#server/domain/accounts/keys/secret.ts"
import { logger } from "./log.ts"
import { MASK, withoutKeys, withoutSecrets } from "./without-secrets.ts"

const apiKey = newApiKey("live")
const sessionId = "sess_Kx8vPq3mNbR5tYw2Lc7HdZ"
const webhookSecret = `whsec_${Buffer.alloc(24, "secret/+").toString("base64")}`
const signature = `v1,${Buffer.alloc(32, 251).toString("base64")}`
const secretKey = "4NMwxzmYj2uvHuq8xoqhY8RXg63KSVJM1DXkpbmkUY7YQWuoyQgFnnzn6yo3CMnqZasnNPNuAT2TLwQsCaKkUddp"

const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0")
const each = (text: string, write: (char: string) => string) => [...text].map(write).join("")

const writings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  "percent-encoded where it must be": encodeURIComponent,
  "percent-encoded throughout": (text) => each(text, (char) => `%${hex(char)}`),
  "percent-encoded in capitals": (text) => each(text, (char) => `%${hex(char).toUpperCase()}`),
  "percent-encoded here and there": (text) => text.replace(/[_,ew]/g, (char) => `%${hex(char)}`),
  "percent-encoded twice": (text) => encodeURIComponent(each(text, (char) => `%${hex(char)}`)),
  "percent-encoded seven times": (text) => `${each(text, (char) => `%25252525252525${hex(char)}`)}`,
  "percent-encoded twice, throughout": (text) =>
    each(
      each(text, (char) => `%${hex(char)}`),
      (char) => `%${hex(char)}`,
    ),
  "with JSON's escapes": (text) => each(text, (char) => `\\u00${hex(char)}`),
  "with JSON's escapes in a text of JSON": (text) => each(text, (char) => `\\\\u00${hex(char)}`),
  "with JSON's escapes, percent-encoded": (text) => encodeURIComponent(each(text, (char) => `\\u00${hex(char)}`)),
  "with a language's escapes": (text) => each(text, (char) => `\\x${hex(char)}`),
  "as old browsers escaped": (text) => each(text, (char) => `%u00${hex(char)}`),
}

describe.each(Object.entries(writings))("%s", (_how, write) => {
  test.each([
    ["an API key", apiKey, `${startOfApiKey(apiKey)}…`],
    ["a session", sessionId, "sess_…"],
    ["a webhook's secret", webhookSecret, "whsec_…"],
    ["a signature", signature, "v1,…"],
  ])("%s is hidden", (_what, secret, start) => {
    expect(withoutSecrets(write(secret))).toBe(start)
    expect(withoutSecrets(`?a=${write(secret)}&b=%20`)).toMatch(/^\?a=[^&]*…&b=%20$/)
  })

  test("a wallet's secret key is hidden", () => {
    expect(withoutKeys(write(secretKey))).toBe(MASK)
  })

  test("JSON around it stays JSON", () => {
    const line = JSON.stringify({ a: `"${write(sessionId)}\\"\n%22%5c"`, b: write(apiKey) })
    expect(JSON.parse(withoutSecrets(line))).toMatchObject({ b: `${startOfApiKey(apiKey)}…` })
    expect(withoutSecrets(line)).not.toContain(sessionId.slice(10))
  })
})

test("nothing is left of any word that contains a wallet's secret key", () => {
  for (const word of [`${secretKey}04e`, `0l_${secretKey}`, `a-${secretKey}-0${secretKey}`])
    expect(withoutKeys(`/attestation/${word}?limit=5`)).toBe(`/attestation/${MASK}?limit=5`)
})

test("two secrets in one text are hidden, each in its own encoding", () => {
  const text = `/${sessionId}/${writings["percent-encoded twice"]!(apiKey)}`
  expect(withoutSecrets(text)).toBe(`/sess_…/${startOfApiKey(apiKey)}…`)
})

test("two adjacent secrets are hidden", () => {
  const secrets = [apiKey, sessionId, webhookSecret, signature]
  for (const a of secrets) {
    for (const b of secrets) {
      const text = withoutSecrets(a + b)
      for (const secret of [a, b]) expect(text).not.toContain(secret.slice(-12))
    }
  }
})

test("a text without secrets stays unchanged", () => {
  for (const text of [
    "/a%20b%2Fc?d=%C3%A9%",
    "100 %",
    "C:\\users\\x",
    "\\u00e9",
    "%zz%2",
    "sess_short",
    '{"a":"\\n"}',
  ]) {
    expect(withoutKeys(text)).toBe(text)
  }
})

test("no part of a session id is left in any mixture of escapes", () => {
  const writing = fc.constantFrom(...Object.values(writings))
  fc.assert(
    fc.property(fc.array(writing, { minLength: sessionId.length, maxLength: sessionId.length }), (mixture) => {
      const text = [...sessionId].map((char, i) => mixture[i]!(char)).join("")
      expect(withoutSecrets(`x/${text}/y`)).toBe("x/sess_…/y")
    }),
  )
})

test("text with too many nested encodings is not kept", () => {
  const wrap = (text: string) => text.replace(/%/g, "\\u0025")
  let text = "%73ess_Kx8vPq3mNbR5tYw2Lc7HdZ"
  for (let n = 0; n < 8; n++) text = n % 2 ? wrap(text).replaceAll("\\", "%5c") : wrap(text)
  expect(withoutSecrets(text)).not.toContain("Kx8vPq3mNbR5tYw2Lc7HdZ")
})

test("a long text of only escapes is processed quickly", () => {
  for (const part of ["%25", "%5c", "\\", "%", "%u0025", "%255c", "\\u0025", "v1,", "sess_"]) {
    expect(withoutKeys(part.repeat(16_384 / part.length)).length).toBeLessThanOrEqual(16_384)
  }
})

test("no line of the server's log contains a secret, and every line is JSON", () => {
  const lines: string[] = []
  const stream = Object.getOwnPropertySymbols(logger).find((symbol) => String(symbol) === "Symbol(pino.stream)")!
  const open = logger as unknown as Record<symbol, unknown>
  const real = { stream: open[stream], level: logger.level }
  open[stream] = { write: (line: string) => void lines.push(line) }
  logger.level = "info"
  for (const write of Object.values(writings)) {
    const cause = new Error(`GET /x?k=${write(apiKey)} failed`)
    logger.warn(
      { err: new Error(write(sessionId), { cause }), url: `/verify/${write(sessionId)}` },
      write(webhookSecret),
    )
  }
  open[stream] = real.stream
  logger.level = real.level
  expect(lines).toHaveLength(Object.keys(writings).length)
  for (const line of lines) {
    expect(line).toMatch(/\n$/)
    expect(JSON.parse(line)).toMatchObject({ level: 40, url: "/verify/sess_…", msg: "whsec_…" })
    expect(line).not.toContain(apiKey.slice(20))
    expect(line).not.toContain(sessionId.slice(10))
  }
})
