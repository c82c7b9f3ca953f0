import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * The path of the carried Node, undefined if this platform has none. npm 10 links the packages of all platforms to one
 * name, and removes the link together with those of other platforms. So this creates a missing link again.
 * @param {string} root
 * @returns {string | undefined}
 */
export function carriedNode(root) {
  const link = join(root, "node_modules", ".bin", "node")
  if (existsSync(link)) return link
  const binary = ["node", "node-bin"]
    .map((name) => join(root, "node_modules", `${name}-${process.platform}-${process.arch}`, "bin", "node"))
    .find((file) => existsSync(file))
  if (binary === undefined) return undefined
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), binary), link)
  return link
}

// The same as npm's own post-install step.
if (process.argv[1] === fileURLToPath(import.meta.url)) carriedNode(join(dirname(process.argv[1]), ".."))
