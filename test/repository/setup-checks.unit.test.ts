import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { whyReadOnly } from "../../scripts/setup-checks.mjs"

const root = mkdtempSync(join(tmpdir(), "vouch-setup-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test("a folder that a step of the setup cannot write is found out before the step begins", () => {
  // Root may write everywhere but into a file.
  writeFileSync(join(root, ".next"), "")
  expect(whyReadOnly(root, ".next")).toMatch(/EEXIST|ENOTDIR/)
  mkdirSync(join(root, "node_modules"))
  expect(whyReadOnly(root, "node_modules")).toBe(null)
  expect(readdirSync(join(root, "node_modules"))).toEqual([])
})
