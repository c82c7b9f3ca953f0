import { spawnSync } from "node:child_process"
import { describe, expect, test } from "vitest"
import { parseDocument } from "yaml"
import { type Block, blocksOf, codeIn, documents, programOf, programs } from "./blocks.ts"
import { tryCommands } from "./shell.ts"
import { typeErrors } from "./typescript.ts"

const all = documents.flatMap(blocksOf)
const nameOf = ({ file, line, language }: Block) => `${file}:${line} (${language})`

test("each block names its language, or is a diagram", () => {
  const known = new Set(["", "text", "sh", "ts", "js", "json", "yaml", "python", "sql", "mermaid"])
  expect(all.filter(({ language }) => !known.has(language)).map(nameOf)).toEqual([])
  // A diagram has lines and arrows, not commands.
  const isCommand = /^\s*(\$|curl|npm|npx|node|vouch|docker|helm|kubectl|export) /m
  const bare = all.filter(({ language, code }) => language === "" && isCommand.test(code))
  expect(bare.map(nameOf)).toEqual([])
})

test("TypeScript blocks compile against the current client and server", () => {
  const blocks = all.filter(({ language }) => language === "ts")
  expect(blocks.length).toBeGreaterThan(5)
  expect(complaints(new Map(blocks.map((block) => [nameOf(block), block.code])), "ts")).toEqual([])
})

test("JavaScript blocks fit the current client", () => {
  expect(programs.length).toBeGreaterThan(4)
  const pieces = programs.map((file) => [file, programOf(file)] as const)
  const [quickStart] = codeIn("README.md", "js")
  expect(complaints(new Map([...pieces, ["README.md", quickStart!.code]]), "mjs")).toEqual([])
})

const complaints = (...pieces: Parameters<typeof typeErrors>) =>
  [...typeErrors(...pieces)].flatMap(([name, errors]) => errors.map((one) => `${name}, ${one}`))

describe.each(all.filter(({ language }) => language === "json" || language === "yaml"))("$file:$line", (block) => {
  test(`is ${block.language}`, () => {
    expect(parseDocument(block.code).errors).toEqual([])
    if (block.language === "json") expect(() => JSON.parse(block.code)).not.toThrow()
  })
})

const shells = all.filter(({ language }) => language === "sh")
test.each(shells)("$file:$line: the shell can read it, and its vouch commands exist", async ({ code }) => {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" })
  expect(stderr).toBe("")
  expect(status).toBe(0)
  expect(await tryCommands(code)).toEqual([])
})

const pythons = all.filter(({ language }) => language === "python")
const hasPython = spawnSync("python3", ["--version"]).status === 0
test.skipIf(!hasPython).each(pythons)("$file:$line: Python can compile it", ({ code }) => {
  const compile = "import sys; compile(sys.stdin.read(), 'block', 'exec')"
  const { stderr } = spawnSync("python3", ["-c", compile], { input: code, encoding: "utf8" })
  expect(stderr).toBe("")
})
