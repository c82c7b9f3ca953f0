import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { providers } from "#server/domain/providers/table.ts"
import { settingNames } from "#server/settings/env.ts"
import { isForeignVariable } from "#server/settings/foreign-variables.ts"

const root = join(import.meta.dirname, "..", "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const ofProviders = providers.flatMap(({ settings }) => settings.map((name) => `VOUCH_${name}`))
const known = new Set([...settingNames, ...ofProviders])
const isKnown = (name: string) => known.has(name) || known.has(name.replace(/^VOUCH_(?:LIVE|TEST)_/, "VOUCH_"))

test(".env.example has every setting, and no unknown one", () => {
  const named = new Set([...read(".env.example").matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!))
  expect([...known].filter((name) => !named.has(name))).toEqual([])
  expect([...named].filter((name) => !known.has(name))).toEqual([])
})

test("documents name no unknown setting", () => {
  // extending.md has an example provider, whose settings do not exist.
  const documents = globSync(["README.md", "docs/**/*.md"], { cwd: root }).filter(
    (file) => !file.endsWith("extending.md"),
  )
  const lost = documents.flatMap((file) =>
    [...read(file).matchAll(/\bVOUCH_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_<])/g)]
      .map(([name]) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(lost).toEqual([])
})

test("every other VOUCH_ variable in code or samples is listed as not a setting", () => {
  const files = globSync(
    [
      "README.md",
      "package.json",
      "playwright.config.ts",
      "{bench,client,deploy,docs,e2e,localnet,scripts,server,test}/**/*.{md,mjs,py,sh,ts}",
    ],
    {
      cwd: root,
      exclude: (file) => /node_modules|extending\.md|\.unit\.test\.ts$/.test(String(file)),
    },
  )
  const uses = /(?:env(?:iron)?\??(?:\.|\[["'])|\$\{?|^\s*export |(?:const|let) \{[^}]*)(VOUCH_[A-Z0-9_]*[A-Z0-9])\b/gm
  const named = files.flatMap((file) => [...read(file).matchAll(uses)].map(([, name]) => `${file}: ${name}`))
  expect(named.length).toBeGreaterThan(5)
  const unknown = named.filter((line) => {
    const name = line.split(": ")[1]!
    return !isKnown(name) && !isForeignVariable(name, "")
  })
  expect(unknown).toEqual([])
})
