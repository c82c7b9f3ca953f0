// Writes package-lock.json again after a change of package.json: `npm run lock`.
//
// npm leaves packages that this machine does not install out of the lockfile, so this works in an empty directory. npm
// 11 also drops optional peers of another version, without which npm 10 (of Node 20 and 22) refuses the file. So this
// adds the entries of npm 10 again. Fields that only npm 11 writes (`libc`) stay.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
const directory = mkdtempSync(join(tmpdir(), "vouch-lock-"))
const file = join(directory, "package-lock.json")

try {
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(root, name), join(directory, name))
  const written = write("npm@11")
  const older = write("npm@10")
  const packages = Object.entries({ ...older.packages, ...written.packages })
  packages.sort(([a], [b]) => (a < b ? -1 : 1))
  const lock = { ...written, packages: Object.fromEntries(packages) }
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** @param {string} npm */
function write(npm) {
  const args = ["--yes", npm, "install", "--package-lock-only", "--ignore-scripts", "--loglevel=error"]
  execFileSync("npx", args, { cwd: directory, stdio: ["ignore", 2, 2] })
  return JSON.parse(readFileSync(file, "utf8"))
}
