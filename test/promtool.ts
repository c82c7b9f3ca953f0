import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Where Prometheus' own checker is: in PROMTOOL, or on the PATH (Debian: the package prometheus). Null where there is none. */
export function findPromtool(): string | null {
  const { PROMTOOL: named, PATH = "" } = process.env
  const folders = PATH.split(delimiter).map((folder) => join(folder, "promtool"))
  return [...(named ? [named] : []), ...folders].find(canRun) ?? null
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Runs it, and returns what it says; throws that where it is not content. */
export function promtool(file: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(file, args, { input, encoding: "utf8" })
  const said = `${stdout}${stderr}`.trim()
  if (status !== 0) throw new Error(`promtool ${args.join(" ")}: ${said}`)
  return said
}
