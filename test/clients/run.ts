import { spawnSync } from "node:child_process"

/** A client that customers or their programs use: what it needs to be tried, and the trial, in an empty directory. */
export type Client = { name: string; needs: string[]; make: (dir: string) => void | Promise<void> }

/** A run of a command; throws with what it printed when it fails. */
export function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0) throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr + stdout}`)
  return stdout
}

export const isHere = (command: string): boolean => spawnSync(command, ["--help"]).error === undefined
