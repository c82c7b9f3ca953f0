import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { localnetOnly } from "../run/on-validator.ts"

const root = join(import.meta.dirname, "..", "..")
const FOLDERS = "app|client|localnet|server|db|shared|test|e2e|bench|docs|scripts"
/** Files that a reader creates. */
const MADE = ["quickstart.mjs"]
const find = (...patterns: string[]) =>
  globSync(patterns, { cwd: root, exclude: (path) => path.includes("node_modules") })

const documents = find("*.md", "{docs,bench,localnet,server}/**/*.md").filter((file) => file !== "CHANGELOG.md")
const sources = find(`{${FOLDERS.replaceAll("|", ",")}}/**/*.{ts,tsx,mjs,css}`, "*.ts")
const names = new Set([
  ...MADE,
  ...find("*", ".ci/*", `{${FOLDERS.replaceAll("|", ",")},public}/**/*`).map((path) => basename(path)),
])

/** A document's text, or a source file's comments. */
const readProse = (file: string): string => {
  const text = readFileSync(join(root, file), "utf8")
  if (file.endsWith(".md")) return text
  return [...text.matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].join("\n")
}

const FOLDER = new RegExp(`\`((?:${FOLDERS})/[^\\s<>*…\`]*)\``, "g")
const FILE = /(?<![\w.>*/[\]-])\w[\w./-]*\.(?:tsx?|mjs|md)\b/g
const isThere = (named: string) =>
  new RegExp(`^(?:${FOLDERS})/`).test(named) ? existsSync(join(root, named)) : names.has(basename(named))

test("every file and folder named by a document or a comment exists", () => {
  const lost = [...documents, ...sources].flatMap((file) => {
    const prose = readProse(file)
    const named = [...[...prose.matchAll(FOLDER)].map(([, path]) => path!), ...(prose.match(FILE) ?? [])]
    return named.filter((one) => !isThere(one)).map((one) => `${file}: ${one}`)
  })
  expect(lost).toEqual([])
})

test("every picture is shown by a document", () => {
  const shown = documents.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/screenshots\/([\w-]+\.png)/g)].map(([, name]) => name!),
  )
  expect(
    find("docs/screenshots/*")
      .map((path) => basename(path))
      .sort(),
  ).toEqual([...new Set(shown)].sort())
})

test("every test that is skipped on a validator exists", () => {
  const lost = Object.entries(localnetOnly).flatMap(([file, tests]) => {
    if (typeof tests === "string") return find(file).length > 0 ? [] : [file]
    const source = readFileSync(join(root, file), "utf8")
    return Object.keys(tests).filter((name) => !source.includes(`test("${name}"`))
  })
  expect(lost).toEqual([])
})
