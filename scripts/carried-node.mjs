import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Where the carried Node is; undefined where none is for this platform. npm 10 links its packages for all platforms to
 * one name, and then takes the link away with those of the others: so it is made anew where it is missing.
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

// As npm's own step after an installation.
if (process.argv[1] === fileURLToPath(import.meta.url)) carriedNode(join(dirname(process.argv[1]), ".."))
