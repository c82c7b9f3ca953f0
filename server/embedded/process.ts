import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/**
 * When a process started, as an opaque mark; undefined if it has ended. After a crash or a reboot its pid may belong to
 * another process, so locks and leases store this mark as well.
 */
export function startMark(pid: number): string | undefined {
  if (process.platform !== "linux") return ps(pid, "lstart")
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in parentheses. It may contain anything, so count from the closing one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state, startedAtTicks] = [fields[0], fields[19]]
    // A zombie has ended. Without a reaper (a container's pid 1) it stays in the process table.
    return state === "Z" || state === "X" ? undefined : startedAtTicks
  } catch {
    return undefined
  }
}

/** The program and arguments of a running process, to recognize our own; empty if it has ended. */
export function commandLine(pid: number): string[] {
  if (process.platform !== "linux") return ps(pid, "command")?.split(" ") ?? []
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  } catch {
    return []
  }
}

function ps(pid: number, column: "lstart" | "command"): string | undefined {
  try {
    const line = execFileSync("ps", ["-ww", "-o", `state=,${column}=`, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim()
    const [state = "Z", ...rest] = line.split(/\s+/)
    return state.startsWith("Z") ? undefined : rest.join(" ")
  } catch {
    return undefined
  }
}

/** Sends a signal. It is no error if the process has just ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
