import { spawnSync } from "node:child_process"

/** A client that customers use: the tools that its trial needs, and the trial, which runs in an empty directory. */
export type Client = { name: string; needs: string[]; make: (dir: string) => void | Promise<void> }

/** Runs a command. Throws with its output if it fails. */
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
