import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const documents = globSync(["*.md", "docs/**/*.md", "bench/*.md"], { cwd: root }).filter(
  (file) => file !== "CHANGELOG.md",
)

test.each(documents)("the files and folders that %s names are there", (document) => {
  const text = readFileSync(join(root, document), "utf8")
  const named = [
    ...text.matchAll(/`((?:app|server|db|shared|test|e2e|bench|docs|scripts)\/[^`\s<>*]*)`/g),
  ].map(([, path]) => path!)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
