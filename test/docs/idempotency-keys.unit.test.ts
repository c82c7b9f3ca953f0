import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { languages, stepsFor, usual } from "#app/(dashboard)/[workspace]/developers/samples.ts"
import { reference } from "#app/docs/api/openapi.ts"
import { samplesOf } from "#app/docs/api/samples.ts"
import { blocksOf, documents } from "./blocks.ts"

type Sample = { place: string; code: string }

/**
 * Readers try samples one after the other with one API key. If two samples share an idempotency key, the second is
 * refused or replays the first one's response.
 */
const samples: Sample[] = [
  ...documents.flatMap(blocksOf).map(({ file, language, code }) => ({ place: `${file} (${language})`, code })),
  ...reference().tags.flatMap((tag) =>
    tag.endpoints.flatMap((endpoint) =>
      samplesOf(tag, endpoint).map(({ code }) => ({ place: `/docs/api, ${endpoint.id}`, code })),
    ),
  ),
  ...Object.entries(stepsFor(usual)).flatMap(([name, { call }]) =>
    languages.map(({ write }) => ({
      place: `Developers, ${name}`,
      code: write(call, { baseUrl: "https://vouch.example.com/v1", key: "vouch_test_…", attempt: "k3x" }),
    })),
  ),
  textOf("app/docs/quick-start.tsx"),
  ...Object.entries(reference().document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      place: `openapi.yaml, ${method} ${path}`,
      code: keyExample(JSON.stringify(operation)),
    })),
  ),
]

function textOf(file: string): Sample {
  return { place: file, code: readFileSync(join(import.meta.dirname, "..", "..", file), "utf8") }
}

/** The value that a tool fills in for the header, in a sample's form. */
function keyExample(operation: string): string {
  const { example } = (reference().document.components.parameters as Record<string, { example?: string }>)[
    "Idempotency-Key"
  ]!
  return operation.includes("#/components/parameters/Idempotency-Key") && example !== undefined
    ? `idempotency_key="${example}"`
    : ""
}

const KEY =
  /Idempotency-Key: ([^"'\s\\]+)|"Idempotency-Key": "([^"]+)"|idempotencyKey: ("[^"]+"|`[^`]+`|[\w.]+)|idempotency_key="([^"]+)"/g

/** A sample's keys. If a key is a variable's field, its value comes from the sample. */
const keysIn = (code: string): string[] =>
  [...code.matchAll(KEY)].map(([, ...found]) => {
    const written = found.find((one) => one !== undefined)!
    const [, variable, field] = /^(\w+)\.(\w+)$/.exec(written) ?? []
    const value = variable && new RegExp(`${variable} = \\{.*\\b${field}: "([^"]+)"`).exec(code)?.[1]
    return value || written.replaceAll(/["`]/g, "")
  })

const placesOf = new Map<string, Set<string>>()
for (const { place, code } of samples)
  for (const key of keysIn(code)) placesOf.set(key, (placesOf.get(key) ?? new Set()).add(place))

test("no two samples share an idempotency key", () => {
  const shared = [...placesOf].filter(([, places]) => places.size > 1)
  expect(shared.map(([key, places]) => `${key}: ${[...places].join(" and ")}`)).toEqual([])
})

test("keys are found wherever samples have them", () => {
  const places = [...placesOf.values()].flatMap((found) => [...found])
  for (const place of [
    "README.md (js)",
    "docs/guides/curl.md (sh)",
    "client/README.md (ts)",
    "client/python/README.md (python)",
    "docs/guides/issue.md (js)",
    "docs/guides/move.md (js)",
    "docs/guides/move.md (sh)",
    "docs/guides/events.md (js)",
    "/docs/api, mintTokens",
    "Developers, mint",
    "app/docs/quick-start.tsx",
  ])
    expect(places).toContain(place)
  expect(placesOf.has("order-4711")).toBe(true)
})
