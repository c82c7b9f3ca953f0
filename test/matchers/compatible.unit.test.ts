import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { git, previousRelease } from "../fixtures/releases.ts"
import { type Breaking, breakingChanges, type Description } from "./compatible.ts"

const root = join(import.meta.dirname, "..", "..")

/** A description with one endpoint, and a copy changed by `change`. */
function description(change: (parts: Parts) => void = () => {}): Description {
  const parts: Parts = {
    parameters: [{ name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } }],
    body: {
      type: "object",
      properties: {
        amount: { type: ["string", "number"] },
        note: { type: "string", maxLength: 500, pattern: "^.*$" },
        kind: { type: "string", enum: ["mint", "transfer"] },
      },
      required: ["amount"],
    },
    answer: {
      type: "object",
      properties: {
        id: { type: "string" },
        error: { type: ["string", "null"] },
        parts: { $ref: "#/components/schemas/Parts" },
      },
      required: ["id", "error"],
    },
    list: { type: "array", items: { $ref: "#/components/schemas/Part" } },
    part: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    paths: {},
  }
  change(parts)
  const json = (schema: unknown) => ({ content: { "application/json": { schema } } })
  return {
    paths: {
      "/thing": {
        post: {
          parameters: parts.parameters,
          requestBody: json(parts.body),
          responses: { 200: json(parts.answer), 422: json({}) },
        },
        ...parts.paths,
      },
    },
    components: { schemas: { Parts: parts.list, Part: parts.part } },
  }
}
// biome-ignore lint/suspicious/noExplicitAny: tests may change any part of it
type Parts = Record<"parameters" | "body" | "answer" | "list" | "part" | "paths", any>

const found = (change: (parts: Parts) => void) =>
  breakingChanges(description(), description(change)).map(({ where, what }) => `${where}: ${what}`)

describe("breaking changes", () => {
  test.each<[string, (parts: Parts) => void]>([
    ["query parameter limit is gone", (of) => of.parameters.pop()],
    ["query parameter limit is required now", (of) => (of.parameters[0].required = true)],
    ["query parameter limit: maximum is 50 now", (of) => (of.parameters[0].schema.maximum = 50)],
    ["query parameter limit: minimum is 2 now", (of) => (of.parameters[0].schema.minimum = 2)],
    [
      "query parameter mode is new and required",
      (of) => of.parameters.push({ name: "mode", in: "query", required: true, schema: {} }),
    ],
    ["body.note is gone", (of) => delete of.body.properties.note],
    ["body.note is required now", (of) => of.body.required.push("note")],
    ["body.note: maxLength is 100 now", (of) => (of.body.properties.note.maxLength = 100)],
    ["body.note must match ^a now", (of) => (of.body.properties.note.pattern = "^a")],
    ["body.kind no longer takes transfer", (of) => of.body.properties.kind.enum.pop()],
    ["body.note no longer takes other values", (of) => (of.body.properties.note.enum = ["a"])],
    ["body.amount no longer takes number", (of) => (of.body.properties.amount.type = "string")],
    [
      "body.why is new and required",
      (of) => {
        of.body.properties.why = { type: "string" }
        of.body.required.push("why")
      },
    ],
    ["answer 200.id is gone", (of) => delete of.answer.properties.id],
    ["answer 200.id may be missing", (of) => of.answer.required.shift()],
    ["answer 200.id can be null", (of) => (of.answer.properties.id.type = ["string", "null"])],
    ["answer 200.parts[].name is gone", (of) => delete of.part.properties.name],
  ])("%s", (what, change) => {
    expect(found(change)).toEqual([`POST /thing: ${what}`])
  })

  test("a removed endpoint and a removed response are named", () => {
    const before = description(({ paths }) => {
      paths.get = { responses: { 200: {}, 202: {} } }
    })
    const after = description(({ paths }) => {
      paths.get = { responses: { 200: {} } }
    })
    expect(breakingChanges(before, after)).toEqual([{ where: "GET /thing", what: "answer 202 is gone" }])
    expect(breakingChanges(before, description())).toEqual([{ where: "GET /thing", what: "is gone" }])
  })
})

describe("compatible changes", () => {
  test.each<[string, (parts: Parts) => void]>([
    ["nothing", () => {}],
    ["a new endpoint", ({ paths }) => (paths.get = { responses: { 200: {} } })],
    ["a new parameter", (of) => of.parameters.push({ name: "mode", in: "query", schema: {} })],
    ["a wider limit", (of) => (of.parameters[0].schema.maximum = 1000)],
    ["a new field", (of) => (of.body.properties.more = { type: "string" })],
    ["a field that becomes optional", (of) => of.body.required.pop()],
    ["another accepted value", (of) => of.body.properties.kind.enum.push("burn")],
    ["a new field in a response", (of) => (of.answer.properties.more = { type: "string" })],
    ["a field that is no longer null", (of) => (of.answer.properties.error.type = "string")],
  ])("%s", (_, change) => {
    expect(found(change)).toEqual([])
  })
})

/** The bullets of the Unreleased section. */
const declared = (): string[] =>
  readFileSync(join(root, "CHANGELOG.md"), "utf8")
    .split(/^## /m)
    .find((part) => part.startsWith("Unreleased"))!
    .split(/^- /m)
    .filter((bullet) => /^\*\*Breaking\*\*/.test(bullet))

test("openapi.yaml breaks no client of the last release, except where CHANGELOG.md declares it", () => {
  const before = parse(git(["show", `${previousRelease()}:openapi.yaml`]).toString()) as Description
  const after = parse(readFileSync(join(root, "openapi.yaml"), "utf8")) as Description
  expect(Object.keys(before.paths).length).toBeGreaterThan(10)
  const bullets = declared()
  const isDeclared = ({ where }: Breaking) => bullets.some((bullet) => bullet.includes(`\`${where}\``))
  const undeclared = breakingChanges(before, after).filter((change) => !isDeclared(change))
  expect(
    undeclared.map(({ where, what }) => `${where}: ${what}`),
    "declare each in CHANGELOG.md, as a bullet that begins with **Breaking** and names the endpoint in backquotes",
  ).toEqual([])
})
