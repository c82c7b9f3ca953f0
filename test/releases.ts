import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/** What git writes, in this repository. */
export const git = (args: string[]): Buffer =>
  execFileSync("git", args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })

/** The version that was released last: the commit before the one that began what `CHANGELOG.md` calls unreleased. */
export function previousRelease(): string {
  const log = ["log", "-1", "--format=%H", "-S", "## Unreleased", "--", "CHANGELOG.md"]
  const first = git(log).toString().trim()
  if (first === "") throw new Error("The history does not tell which version was released last.")
  return git(["rev-parse", `${first}^`])
    .toString()
    .trim()
}

/** Puts a version into a new folder, with the packages of this one. Returns the folder. */
export function unpack(commit: string, folder: string): string {
  mkdirSync(folder)
  execFileSync("tar", ["-x", "-C", folder], { input: git(["archive", commit]) })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}
