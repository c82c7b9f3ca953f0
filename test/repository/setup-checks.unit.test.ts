import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { whyReadOnly } from "../../scripts/setup-checks.mjs"

const root = mkdtempSync(join(tmpdir(), "vouch-setup-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test("the setup notices a folder that it cannot write before the step begins", () => {
  // Root can write to any folder, but not inside a file.
  writeFileSync(join(root, ".next"), "")
  expect(whyReadOnly(root, ".next")).toMatch(/EEXIST|ENOTDIR/)
  mkdirSync(join(root, "node_modules"))
  expect(whyReadOnly(root, "node_modules")).toBe(null)
  expect(readdirSync(join(root, "node_modules"))).toEqual([])
})
