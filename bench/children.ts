import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** A process that the benchmark started. The benchmark stops no others. */
export type Child = { pid: number; process: ChildProcess; stop(): Promise<void>; explain(): string }

export type Program = {
  name: string
  /** The file to run, relative to the checkout. */
  file: string
  /** Options for Node itself. */
  nodeOptions?: string[]
  args?: string[]
  /** Its whole environment, so that the user's own settings do not change a measurement. */
  environment?: Record<string, string>
  /** The directory for its output. */
  directory: string
}

const { PATH = "", HOME = "" } = process.env
const root = join(import.meta.dirname, "..")

/**
 * Starts a program of this checkout with the same Node. Detached, so that a Ctrl-C in the terminal reaches only the
 * benchmark, which stops it in order.
 */
export function startChild({ name, file, nodeOptions = [], args = [], environment = {}, directory }: Program): Child {
  const logFile = join(directory, `${name.replaceAll(" ", "-")}.log`)
  const output = openSync(logFile, "a")
  const child = spawn(process.execPath, [...nodeOptions, ...profilerOptions(name), join(root, file), ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    env: { PATH, HOME, ...environment } as unknown as NodeJS.ProcessEnv,
  })
  closeSync(output)
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  return {
    pid: child.pid!,
    process: child,
    explain: () => readFileSync(logFile, "utf8").trim().split("\n").slice(-20).join("\n"),
    async stop() {
      child.kill("SIGTERM")
      const deadline = setTimeout(() => child.kill("SIGKILL"), 15_000)
      await exited
      clearTimeout(deadline)
    },
  }
}

/** `BENCH_PROFILE=<name>:<directory>` writes a CPU profile of the program with that name there. */
function profilerOptions(name: string): string[] {
  const [profiled, directory] = (process.env.BENCH_PROFILE ?? "").split(":")
  return profiled === name && directory ? ["--cpu-prof", `--cpu-prof-dir=${directory}`] : []
}

/** Waits until it answers HTTP on its port. */
export async function untilAnswering(child: Child, port: number, path: string): Promise<void> {
  for (let waits = 0; waits < 600; waits++) {
    if (child.process.exitCode !== null) throw new Error(`A server ended:\n${child.explain()}`)
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
    await response?.arrayBuffer()
    if (response && response.status < 502) return
    await sleep(100)
  }
  throw new Error(`A server does not answer:\n${child.explain()}`)
}

/** Sends a child a request and resolves with its response. */
export function ask<Order, Outcome>({ process: child, explain }: Child, order: Order): Promise<Outcome> {
  const outcome = message<Outcome>({ process: child, explain })
  child.send(order as never)
  return outcome
}

/** The child's next message. */
export function message<T>({ process: child, explain }: Pick<Child, "process" | "explain">): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error(`A process ended:\n${explain()}`))
    child.once("exit", failed)
    child.once("message", (said) => {
      child.off("exit", failed)
      resolve(said as T)
    })
  })
}
