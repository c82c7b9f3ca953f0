import { spawnSync } from "node:child_process"

/** A client that customers use: the tools that its trial needs, and the trial, which runs in an empty directory. */
export type Client = { name: string; needs: string[]; make: (dir: string) => void | Promise<void> }

/** A download or a build on a busy machine takes minutes. What takes longer waits for something that never comes. */
const LIMIT_MS = 15 * 60_000

/** Runs a command. Throws with its output if it fails or takes longer than the limit. */
export function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  })
  if (error || status !== 0) {
    throw new Error([`${command} ${args[0]} failed.`, error?.message, stderr, stdout].filter(Boolean).join("\n"))
  }
  return stdout
}

export const isHere = (command: string): boolean => spawnSync(command, ["--help"]).error === undefined
