import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Whether node_modules matches package-lock.json, by the record that npm writes at the end of an installation. A manual
 * installation is recognised too.
 * @param {string} root
 * @param {{ forDevelopment: boolean }} purpose otherwise development packages may be missing
 */
export function dependenciesAreInstalled(root, { forDevelopment }) {
  const wanted = packagesOf(join(root, "package-lock.json"))
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"))
  if (!wanted || !installed) return false
  return Object.entries(wanted).every(([path, { version, optional, dev, devOptional }]) => {
    if (path === "") return true
    const found = installed[path]
    if (found) return found.version === version
    // Packages for other platforms are never installed.
    return optional || devOptional || (dev && !forDevelopment)
  })
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean, os?: string | string[], cpu?: string | string[] }> | undefined}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages
  } catch {
    return undefined
  }
}

/**
 * The approximate number of packages to install on this platform.
 * @param {string} root
 */
export function packagesForHere(root) {
  const packages = Object.values(packagesOf(join(root, "package-lock.json")) ?? {})
  return packages.filter(({ os, cpu }) => suits(os, process.platform) && suits(cpu, process.arch)).length - 1
}

/**
 * @param {string | string[] | undefined} wanted
 * @param {string} ours
 */
const suits = (wanted, ours) => wanted === undefined || [wanted].flat().includes(ours)

/** @param {string} root */
export const buildStamp = (root) => join(root, ".next", "vouch-inputs")

/** @param {string} root */
export function buildIsCurrent(root) {
  if (!existsSync(join(root, ".next", "BUILD_ID")) || !existsSync(buildStamp(root))) return false
  return readFileSync(buildStamp(root), "utf8") === inputsOfBuild(root)
}

// The pages import only types from the server, so its files do not count.
const inputs = ["app", "shared", "public", "next.config.ts", "postcss.config.mjs", "package-lock.json", "tsconfig.json"]

/**
 * One hash of all sources of the built pages.
 * @param {string} root
 */
export function inputsOfBuild(root) {
  const hash = createHash("sha256")
  for (const input of inputs) add(join(root, input), input)
  return hash.digest("hex")

  /**
   * @param {string} path
   * @param {string} name
   */
  function add(path, name) {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) {
      for (const entry of readdirSync(path).sort()) add(join(path, entry), `${name}/${entry}`)
    } else if (stat && !/\.test\.tsx?$/.test(name)) {
      hash.update(`${name}\0${stat.size}\0`).update(readFileSync(path))
    }
  }
}

/**
 * Why a folder of the checkout is not writable, as the system's code (EROFS, EACCES). Null if it is.
 * @param {string} root
 * @param {string} folder
 */
export function whyReadOnly(root, folder) {
  const probe = join(root, folder, `.vouch-write-test-${process.pid}`)
  try {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(probe, "")
    rmSync(probe)
    return null
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error)
  }
}
