import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

type Package = {
  version: string
  integrity?: string
  resolved?: string
  inBundle?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const root = join(import.meta.dirname, "..", "..")
const text = readFileSync(join(root, "package-lock.json"), "utf8")
const { packages } = JSON.parse(text) as { packages: Record<string, Package> }
const all = Object.entries(packages)

/** Resolves a name from a package like Node: the nearest one going up. */
function found(from: string, name: string): Package | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = `${at === "" ? "" : `${at}/`}node_modules/${name}`
    if (packages[path]) return packages[path]
    if (at === "") return undefined
    if (!at.includes("/node_modules/")) at = ""
  }
}

/** The major version (for 0.x, the minor version) of a caret range or a fixed version. */
const line = (version: string): string => {
  const [major, minor] = version.replace(/^[\^~v=]/, "").split(".")
  return major === "0" ? `0.${minor}` : major!
}
/** Whether a version is in one of the caret ranges. Ranges of another form count as met. */
const meets = (version: string, range: string): boolean =>
  range.split("||").some((one) => !/^\^\d/.test(one.trim()) || line(one.trim()) === line(version))

test("every dependency of a package, on any platform, is in the lockfile: otherwise npm ci refuses it", () => {
  const missing = all.flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !found(path, name))
      .map((name) => `${path} wants ${name}`),
  )
  expect(missing).toEqual([])
})

test("optional peers of another version are nested in their dependents: otherwise npm 10 refuses the lockfile (npm run lock)", () => {
  const clashing = all.flatMap(([path, { peerDependencies, peerDependenciesMeta }]) =>
    Object.entries(peerDependencies ?? {})
      .filter(([name]) => peerDependenciesMeta?.[name]?.optional)
      .filter(([name, range]) => {
        const peer = found(path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1)), name)
        return peer !== undefined && !meets(peer.version, range)
      })
      .map(([name, range]) => `${path} wants ${name} ${range}`),
  )
  expect(clashing).toEqual([])
})

test("every package has a hash, and none names a registry", () => {
  const unhashed = all.filter(([path, { integrity, inBundle }]) => path !== "" && !inBundle && !integrity)
  expect(unhashed.map(([path]) => path)).toEqual([])
  expect(all.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  expect(text).not.toMatch(/"https?:\/\/[^"]*\.tgz"/)
})

test("the local network's package.json names the installed versions of its libraries", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, "localnet", "package.json"), "utf8"),
  ) as Package
  const named = { ...dependencies, ...devDependencies }
  const installed = Object.keys(named).map((name) => [name, packages[`node_modules/${name}`]?.version])
  expect(Object.fromEntries(installed)).toEqual(named)
})

test("the lockfile matches package.json and has a Node for Linux and macOS", () => {
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Package
  const { dependencies, devDependencies, optionalDependencies } = packages[""]!
  expect({ dependencies, devDependencies, optionalDependencies }).toEqual({
    dependencies: ours.dependencies,
    devDependencies: ours.devDependencies,
    optionalDependencies: ours.optionalDependencies,
  })
  const carried = all.filter(([path]) => /^node_modules\/node(-bin)?-(linux|darwin)-/.test(path))
  expect(carried.map(([, { version }]) => version.split(".")[0])).toEqual(["24", "24", "24", "24"])
})
