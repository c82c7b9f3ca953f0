import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startTestApp, type TestApp } from "#test/app.ts"
import { Browser, member, PASSWORD } from "#test/people.ts"
import { nameText } from "./text.ts"

const name = nameText(100)
const problemOf = (text: string) => name.safeParse(text).error?.issues[0]?.message ?? null

const UNSEEN = [
  ..." \u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u180e\u200b\u200c\u200d\u2060\u2061\u2800\u3000\u3164",
  ..."\ufe0f\ufeff\uffa0\ufff9\u{1d173}\u{e0041}\u{e0100}",
]
const TURNS = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]

test.each(UNSEEN.map((one) => [one.codePointAt(0)!.toString(16), one]))(
  "a name of U+%s alone shows nothing, and is none; in a name it may be",
  (_, one) => {
    for (const text of [one, one.repeat(3), ` ${one}\u200b`])
      expect(problemOf(text)).toBe("must contain a visible character")
    expect(problemOf(`a${one}b`)).toBeNull()
  },
)

test.each(TURNS.map((one) => [one.codePointAt(0)!.toString(16), one]))(
  "a name has no U+%s, by which it reads otherwise than it is written",
  (_, one) => {
    expect(problemOf(one)).not.toBeNull()
    expect(problemOf(`Owner${one}gpj.exe`)).toBe(
      "must not contain characters that change the direction of text",
    )
  },
)

test.each([...["Ada", "名前", "محمد", "می‌خواهم", "שלום", "क्‍ष", "👩‍💻", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "é", "1", "_", "김"]])(
  "%s is a name",
  (text) => {
    expect(problemOf(text)).toBeNull()
  },
)

test.each(["", "\u202e", "\u202e".repeat(200), "\n\ud800", "\ud800\u202e"])(
  "a text with several flaws is told one of them (%#)",
  (text) => {
    expect(name.safeParse(text).error?.issues).toHaveLength(1)
  },
)

test("the document's form takes every name that the server takes, and none of what is unseen up to U+FFFF", () => {
  const { pattern } = name.meta() as { pattern: string }
  for (const flags of ["", "u"]) {
    const form = new RegExp(pattern, flags)
    const some = fc.constantFrom("a", ...UNSEEN, ...TURNS, "\n", "\u{e0041}")
    const text = fc.string({
      unit: fc.oneof(some, fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
    })
    fc.assert(fc.property(text, (one) => problemOf(one) !== null || form.test(one)))
    for (const one of [...UNSEEN, ...TURNS].filter((one) => one.length === 1))
      expect(form.test(one), one.codePointAt(0)!.toString(16)).toBe(false)
    for (const one of TURNS) expect(form.test(`a${one}`)).toBe(false)
  }
})

describe("every name that somebody gives", () => {
  let app: TestApp
  let owner: Awaited<ReturnType<typeof member>>

  beforeAll(async () => {
    app = await startTestApp({ VOUCH_ROLE: "web" })
    owner = await member(app)
  })
  afterAll(() => app.stop())

  const token = {
    id: "a_v1",
    symbol: "A",
    decimals: 0,
    required_schema: "kyc_individual_v1",
    transfer_mode: "agent",
  }
  test.each<[string, object]>([
    ["me.rename", {}],
    ["workspace.renameAccount", {}],
    ["schema.create", { id: "a_schema_v1", validity_days: 30 }],
    ["schema.change", { id: "kyc_individual_v1", validity_days: 30 }],
    ["key.create", { scopes: ["kyc:read"], expires_at: null }],
    ["mintConfig.create", { ...token, rules: {} }],
    ["setup.createUser", { token: "A".repeat(43), email: "a@example.com", password: PASSWORD }],
  ])("is readable: %s", async (procedure, more) => {
    const browser = procedure.startsWith("setup.") ? new Browser(app) : owner.browser
    for (const name of ["\u200b", "\u3164", "\u{e0041}", "Owner\u202egpj.exe"]) {
      const { status, error } = await browser.mutate(procedure, { ...more, name })
      expect([status, error?.error], procedure).toEqual([422, "validation_failed"])
      expect(error.detail).toMatch(/^name: must /)
    }
  })
})
