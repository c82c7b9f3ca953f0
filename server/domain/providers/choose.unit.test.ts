import { expect, test } from "vitest"
import { z } from "zod"
import { parseSettings, SettingsError } from "#server/settings/env.ts"
import { exampleId } from "#test/vendor/example-id.ts"
import { chooseProviders } from "./choose.ts"
import { defineProvider } from "./provider.ts"
import { sandbox } from "./sandbox.ts"

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64")
const secret = `whsec_${base64(32)}`
const exampleSettings = {
  VOUCH_EXAMPLEID_URL: "http://127.0.0.1:1",
  VOUCH_EXAMPLEID_API_KEY: "ek_12345678",
  VOUCH_EXAMPLEID_SECRET: "s",
}
const table = [sandbox, exampleId]
const choose = (environment: Record<string, string>, generated = {}) =>
  chooseProviders(parseSettings({ VOUCH_WEBHOOK_SECRET: secret, ...environment }), generated, table)
const refusal = (environment: Record<string, string>): string[] => {
  try {
    choose(environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}
const PUBLIC = { VOUCH_PUBLIC_URL: "https://vouch.example.com" }

test("without settings the sandbox verifies, but a public server has no provider for live cases", () => {
  expect(choose({}).live.default?.name).toBe("sandbox")
  const { live, test } = choose(PUBLIC)
  expect([live.default, [...live.configured.keys()]]).toEqual([null, []])
  expect(test.default?.name).toBe("sandbox")
})

test("each mode has its own provider, and single schemas can have others", () => {
  const { live, test } = choose({
    ...PUBLIC,
    ...exampleSettings,
    VOUCH_LIVE_PROVIDER: "exampleid",
    VOUCH_TEST_PROVIDER: "  sandbox  accredited_investor_v1=exampleid ",
  })
  expect([live.default?.name, live.bySchema.size]).toEqual(["exampleid", 0])
  expect(test.default?.name).toBe("sandbox")
  expect([...test.bySchema].map(([schema, { name }]) => [schema, name])).toEqual([
    ["accredited_investor_v1", "exampleid"],
  ])
  // Names only one schema, so the others keep the default.
  expect(choose({ ...exampleSettings, VOUCH_TEST_PROVIDER: "a=exampleid" }).test.default?.name).toBe("sandbox")
})

test("a provider that is no longer chosen stays connected while it has settings, for the sessions that it began", () => {
  const { test } = choose({ ...exampleSettings, VOUCH_TEST_PROVIDER: "sandbox" })
  expect([...test.configured.keys()]).toEqual(["sandbox", "exampleid"])
  expect([...choose({}).test.configured.keys()]).toEqual(["sandbox"])
})

test.each<[string, Record<string, string>, RegExp]>([
  [
    "an unknown provider",
    { VOUCH_TEST_PROVIDER: "sandbix" },
    /^VOUCH_TEST_PROVIDER: there is no provider "sandbix". Choose from: sandbox, exampleid\.$/,
  ],
  ["an unknown provider of a schema", { VOUCH_LIVE_PROVIDER: "sandbox a=toString" }, /"toString".*sandbox, exampleid/],
  ["two defaults", { ...exampleSettings, VOUCH_TEST_PROVIDER: "sandbox exampleid" }, /two providers for all schemas/],
  ["one schema twice", { VOUCH_TEST_PROVIDER: "a=sandbox a=exampleid" }, /names a twice/],
  ["an invalid schema", { VOUCH_TEST_PROVIDER: "A-B=sandbox" }, /cannot read "A-B=sandbox"/],
  ["a schema without a provider", { VOUCH_TEST_PROVIDER: "a=" }, /cannot read "a="/],
  ["three parts", { VOUCH_TEST_PROVIDER: "a=b=c" }, /cannot read "a=b=c"/],
  [
    "the sandbox for live cases of a public server",
    { ...PUBLIC, VOUCH_LIVE_PROVIDER: "kyc_individual_v1=sandbox" },
    /^VOUCH_LIVE_PROVIDER: sandbox does not verify anyone.*Choose from: exampleid\.$/,
  ],
])("%s stops the start with a message that lists the choices", (_name, environment, problem) => {
  expect(refusal(environment)).toEqual([expect.stringMatching(problem)])
})

test("a missing setting of a chosen provider is named, with the provider", () => {
  const { VOUCH_EXAMPLEID_API_KEY: _, ...rest } = exampleSettings
  expect(refusal({ ...rest, VOUCH_TEST_PROVIDER: "exampleid", VOUCH_TEST_EXAMPLEID_URL: "nowhere" })).toEqual([
    expect.stringMatching(/^VOUCH_TEST_EXAMPLEID_URL: .* \(provider exampleid\)$/),
    "VOUCH_EXAMPLEID_API_KEY: required (provider exampleid)",
  ])
  expect(refusal({ ...PUBLIC, VOUCH_WEBHOOK_SECRET: "" })).toEqual([
    "VOUCH_WEBHOOK_SECRET: required (provider sandbox)",
  ])
})

test("a mode's own setting takes precedence over the common one, and a generated one comes last", () => {
  const open = (environment: Record<string, string>, generated = {}) => {
    const seen: string[] = []
    const spy = defineProvider({
      ...{ name: "spy", label: "Spy", testOnly: null, setup: () => [] },
      settings: z.object({ KEY: z.string() }),
      create: ({ KEY }) => {
        seen.push(KEY)
        const report = () => ({ headers: {}, body: "" })
        return { flow: { kind: "form", report }, isSigned: () => false, readEvent: () => null }
      },
    })
    const settings = parseSettings({ VOUCH_WEBHOOK_SECRET: secret, ...environment })
    chooseProviders(settings, generated, [sandbox, spy])
    return seen
  }
  expect(open({ VOUCH_KEY: "both", VOUCH_TEST_KEY: "own" })).toEqual(["both", "own"])
  expect(open({}, { VOUCH_KEY: "made" })).toEqual(["made", "made"])
  expect(open({})).toEqual([])
})

test("with a webhook secret for each mode, the common one is not required", () => {
  const own = { ...PUBLIC, VOUCH_WEBHOOK_SECRET: "", VOUCH_TEST_WEBHOOK_SECRET: `${secret}  ${secret}` }
  expect(choose(own).test.default?.name).toBe("sandbox")
})

test.each(["secret", `whsec_${base64(8)}`, " "])(
  "a webhook secret that is too weak or malformed stops the start, and is not repeated: %s",
  (value) => {
    const problems = refusal({ VOUCH_WEBHOOK_SECRET: value })
    expect(problems).toEqual(["VOUCH_WEBHOOK_SECRET: must be whsec_ and base64 of 16 bytes or more (provider sandbox)"])
    if (value.trim() !== "") expect(problems.join()).not.toContain(value)
  },
)

test("an incomplete definition does not compile", () => {
  const facts = { name: "half", label: "Half", testOnly: null, settings: z.object({}) }
  const report = () => ({ headers: {}, body: "" })
  const webhooks = { isSigned: () => false, readEvent: () => null }
  const createSession = async () => ({ reference: "", url: "", usableUntil: new Date(), singleUse: false })
  // @ts-expect-error: nothing reads its webhooks
  defineProvider({ ...facts, create: () => ({ flow: { kind: "form", report }, isSigned: () => false }) })
  // @ts-expect-error: nothing replaces an expired link
  defineProvider({ ...facts, create: () => ({ flow: { kind: "redirect", createSession }, ...webhooks }) })
  const { label: _, ...nameless } = facts
  // @ts-expect-error: it has no label
  expect(defineProvider({ ...nameless, create: () => ({ flow: { kind: "form", report }, ...webhooks }) }))
    // At run time it returns what the table needs.
    .toMatchObject({ name: "half", settings: [] })
})
