import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { decisionFields, readVouchDecision } from "#server/domain/providers/vouch-event.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { newId } from "./ids.ts"
import { nameText } from "./text.ts"

const name = nameText(100)
const problemOf = (text: string) => name.safeParse(text).error?.issues[0]?.message ?? null

const UNSEEN = [
  ..." \u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u180e\u200b\u200c\u200d\u2060\u2061\u2800\u3000\u3164",
  ..."\ufe0f\ufeff\uffa0\ufff9\u{1d173}\u{e0041}\u{e0100}",
]
const DIRECTION_CHANGES = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]

test.each(UNSEEN.map((one) => [one.codePointAt(0)!.toString(16), one]))(
  "a name of only U+%s is refused because nothing is visible, and U+%s within a name is allowed",
  (_, one) => {
    for (const text of [one, one.repeat(3), ` ${one}\u200b`])
      expect(problemOf(text)).toBe("must contain a visible character")
    expect(problemOf(`a${one}b`)).toBeNull()
  },
)

test.each(DIRECTION_CHANGES.map((one) => [one.codePointAt(0)!.toString(16), one]))(
  "a name must not contain U+%s, which changes how it reads",
  (_, one) => {
    expect(problemOf(one)).not.toBeNull()
    expect(problemOf(`Owner${one}gpj.exe`)).toBe("must not contain characters that change the direction of text")
  },
)

test.each([...["Ada", "名前", "محمد", "می‌خواهم", "שלום", "क्‍ष", "👩‍💻", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "é", "1", "_", "김"]])(
  "%s is a valid name",
  (text) => {
    expect(problemOf(text)).toBeNull()
  },
)

test.each(["", "\u202e", "\u202e".repeat(200), "\n\ud800", "\ud800\u202e"])(
  "text with several problems is refused for one of them (%#)",
  (text) => {
    expect(name.safeParse(text).error?.issues).toHaveLength(1)
  },
)

test("the documented pattern accepts every name that the server accepts, and no invisible text up to U+FFFF", () => {
  const { pattern } = name.meta() as { pattern: string }
  for (const flags of ["", "u"]) {
    const form = new RegExp(pattern, flags)
    const some = fc.constantFrom("a", ...UNSEEN, ...DIRECTION_CHANGES, "\n", "\u{e0041}")
    const text = fc.string({
      unit: fc.oneof(some, fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
    })
    fc.assert(fc.property(text, (one) => problemOf(one) !== null || form.test(one)))
    for (const one of [...UNSEEN, ...DIRECTION_CHANGES].filter((one) => one.length === 1))
      expect(form.test(one), one.codePointAt(0)!.toString(16)).toBe(false)
    for (const one of DIRECTION_CHANGES) expect(form.test(`a${one}`)).toBe(false)
  }
})

describe("every text that another person reads", () => {
  let app: TestApp
  let owner: Awaited<ReturnType<typeof member>>

  beforeAll(async () => {
    app = await startTestApp({ VOUCH_ROLE: "web" })
    owner = await member(app)
  })
  afterAll(() => app.stop())

  const refused = {
    error: "validation_failed",
    detail: expect.stringMatching(/^(reason|text|filter\.q): must not contain characters that change the direc/),
  }
  const seen = { review_id: newId("rev"), version: 1, decision: "approve" }
  test.each<[string, object]>([
    ["attestation.revoke", { id: newId("att"), reason: "Owner\u202egpj.exe" }],
    ["bulkRevocation.start", { attestation_ids: [newId("att")], reason: "a\u2066b" }],
    ["session.cancel", { id: newId("sess"), reason: "Owner\u202egpj.exe" }],
    ["review.note", { review_id: newId("rev"), text: "a\u200fb" }],
    ["review.decide", { ...seen, reason: "a\u202db" }],
    ["investor.addNote", { id: newId("inv"), text: "a\n\u202eb" }],
    ["investor.editNote", { note_id: newId("note"), text: "\u061c" }],
    ["savedFilter.save", { list: "attestations", name: "Mine", filter: { q: "a\u202eb" } }],
  ])("must not contain characters that change its direction: %s", async (procedure, input) => {
    const { status, error } = await owner.browser.mutate(procedure, input)
    expect({ status, error }).toMatchObject({ status: 422, error: refused })
  })

  test("a saved filter must not contain control characters", async () => {
    const { error } = await owner.browser.mutate("savedFilter.save", {
      list: "attestations",
      name: "Mine",
      filter: { q: "a\u0007b" },
    })
    expect(error.detail).toBe("filter.q: must not contain control characters.")
  })

  test("a reason from the API must not contain characters that change its direction", async () => {
    const { apiKey } = await app.key({ account: owner.account })
    for (const path of [`/attestation/${newId("att")}/revoke`, `/kyc/session/${newId("sess")}/cancel`]) {
      const json = { reason: "Owner\u202egpj.exe" }
      expect(await app.request({ method: "POST", path, key: apiKey, json })).toMatchObject({
        status: 422,
        json: refused,
      })
    }
  })

  test("a vendor's reason with characters that change its direction is cleaned and its decision kept", () => {
    const decisionFor = (reason: string) =>
      readVouchDecision(decisionFields.parse({ decision: "rejected", occurred_at: "2026-01-01T00:00:00Z", reason }))
        .reason
    expect(decisionFor(`Owner${DIRECTION_CHANGES.join("")}gpj.exe`)).toBe("Ownergpj.exe")
    expect(decisionFor("\u202e")).toBeNull()
  })
})

describe("every name that a user gives", () => {
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
