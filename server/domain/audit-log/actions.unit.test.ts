import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../../..")

test("only `record.ts`, whose type lists the actions, writes entries: no other code and no trigger does", () => {
  const files = globSync(["server/**/*.ts", "db/**/*.{sql,ts}"], { cwd: root }).filter(
    (file) => !file.includes(".test."),
  )
  expect(files.some((file) => file.endsWith("audit-trail.sql"))).toBe(true)
  const writers = files.filter((file) => /into\s+"?audit_entries/i.test(readFileSync(join(root, file), "utf8")))
  expect(writers).toEqual([join("server", "domain", "audit-log", "record.ts")])
})
