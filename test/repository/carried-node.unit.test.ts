import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { carriedNode } from "../../scripts/carried-node.mjs"

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "vouch-carried-")))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const carry = (name: string): string => {
  const binary = join(root, "node_modules", name, "bin", "node")
  mkdirSync(dirname(binary), { recursive: true })
  writeFileSync(binary, "")
  return binary
}
const here = `${process.platform}-${process.arch}`

test.each([`node-${here}`, `node-bin-${here}`])(
  "the Node of the package %s is linked, however npm installed it",
  (name) => {
    const binary = carry(name)
    const link = join(root, "node_modules", ".bin", "node")
    expect(carriedNode(root)).toBe(link)
    expect(realpathSync(link)).toBe(binary)
    // The link is relative, so that a checkout can be moved, and is not replaced later.
    expect(readlinkSync(link)).toBe(`../${name}/bin/node`)
    expect(carriedNode(root)).toBe(link)
  },
)

test("no Node is linked if the lockfile has none for the platform", () => {
  carry("node-plan9-mips")
  expect(carriedNode(root)).toBeUndefined()
})
