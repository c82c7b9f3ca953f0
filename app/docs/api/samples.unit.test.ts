import { spawnSync } from "node:child_process"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { typeErrors } from "#test/docs/typescript.ts"
import { exampleOf, reference } from "./openapi.ts"
import { bodyOf, samplesOf } from "./samples.ts"

const { document, tags } = reference()
const endpoints = tags.flatMap((tag) => tag.endpoints.map((endpoint) => ({ tag, endpoint, id: endpoint.id })))
const samples = endpoints.flatMap(({ tag, endpoint, id }) =>
  samplesOf(tag, endpoint).map((sample) => ({ id, ...sample })),
)
const inLanguage = (language: string) => samples.filter((sample) => sample.language === language)

test("every endpoint of the document is in the reference, once", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  expect(endpoints.map(({ id }) => id).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
})

test("samples in TypeScript compile against the client", () => {
  const found = [...typeErrors(new Map(inLanguage("TypeScript").map(({ id, code }) => [id, code])), "ts")]
  expect(found.flatMap(([id, errors]) => errors.map((error) => `${id}: ${error}`))).toEqual([])
})

test.each(inLanguage("curl"))("$id: the shell passes curl its arguments and the documented body", ({ id, code }) => {
  const printed = spawnSync("bash", ["--norc", "-ec", code.replace("curl", `curl() { printf '%s\\0' "$@"; }; curl`)], {
    encoding: "utf8",
    env: { ...process.env, VOUCH: "http://localhost/v1", KEY: "key" },
  })
  expect(printed.stderr).toBe("")
  const args = printed.stdout.split("\0").slice(0, -1)
  const { endpoint } = endpoints.find((one) => one.id === id)!
  const url = new URL(args.find((arg) => arg.startsWith("http"))!)
  const path = new RegExp(`^/v1${endpoint.path.replace(/\{\w+\}/g, "[^/]+")}$`)
  expect(url.pathname).toMatch(path)
  expect(args.includes("-X") ? args[args.indexOf("-X") + 1] : "GET").toBe(endpoint.method)
  const data = args.includes("-d") ? JSON.parse(args[args.indexOf("-d") + 1]!) : null
  expect(data).toEqual(bodyOf(endpoint))
  if (data === null || !endpoint.body) return
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...document, $id: "openapi" })
  const name = endpoint.body.schema.$ref!
  expect(ajv.validate({ $ref: `openapi${name}` }, data), JSON.stringify(ajv.errors)).toBe(true)
})

const hasPython = spawnSync("python3", ["--version"]).status === 0
test.skipIf(!hasPython)("samples in Python compile", () => {
  const all = inLanguage("Python").map(({ code }) => code)
  expect(all.length).toBeGreaterThan(30)
  const compile = "import sys, json; [compile(code, 'sample', 'exec') for code in json.load(sys.stdin)]"
  const { stderr } = spawnSync("python3", ["-c", compile], { input: JSON.stringify(all), encoding: "utf8" })
  expect(stderr).toBe("")
})

test("every success has an example, and every required scope is named", () => {
  const withBody = endpoints.filter(({ endpoint, tag }) => tag.name !== "Description" && exampleOf(endpoint) === null)
  expect(withBody.map(({ id }) => id)).toEqual([])
  const scopes = new Map(endpoints.map(({ id, endpoint }) => [id, endpoint.scope]))
  expect(scopes.get("mintTokens")).toBe("token:mint")
  expect(scopes.get("getKey")).toBeNull()
  expect(scopes.get("getHealth")).toBeNull()
})
