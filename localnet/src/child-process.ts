import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { PORT_IN_USE } from "./exit-codes.ts"
import type { LocalnetOptions } from "./server.ts"

/** `output`: the open file that gets what the network prints, or "inherit" for this process's own output. */
type Options = LocalnetOptions & { output: number | "inherit" }

export type LocalnetProcess = {
  url: string
  pid: number
  exited: Promise<void>
  stop(): Promise<void>
}

/** Another process listens on the port or on the next one. */
export class PortInUse extends Error {}

/** LiteSVM has no build for this platform, or the build is not installed. */
export class UnsupportedPlatform extends Error {}

const STOP_MS = 10_000

/**
 * Starts a network in a child process, which ends when this process does. Errors: `PortInUse`, `UnsupportedPlatform`.
 * Other reasons are in its output.
 */
export async function startLocalnetProcess(options: Options): Promise<LocalnetProcess> {
  requirePlatformPackage()
  const { output } = options
  // A cache of compiled code saves two thirds of the start.
  const { NODE_ENV, PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...argumentsOf(options)], {
    // In its own process group, it does not get the terminal's Ctrl-C. This process stops it when its own work is done.
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    env: { NODE_ENV, PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) },
  })
  const exited = new Promise<{ code: number | null }>((resolve) => {
    child.once("exit", (code) => resolve({ code }))
  })
  const ready = new Promise<{ url: string }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { url: string }))
    child.on("error", reject)
  })
  const first = await Promise.race([ready, exited])
  if ("code" in first) {
    if (first.code === PORT_IN_USE) throw new PortInUse(`port ${options.port} or the next one is in use`)
    throw new Error(`exit code ${first.code}`)
  }
  // Neither the child nor its channel keeps this process running.
  child.unref()
  child.channel?.unref()
  return {
    url: first.url,
    pid: child.pid!,
    exited: exited.then(() => {}),
    async stop() {
      const deadline = setTimeout(() => child.kill("SIGKILL"), STOP_MS)
      child.kill("SIGTERM")
      await exited
      clearTimeout(deadline)
    },
  }
}

function argumentsOf({ port = 0, dataDir, slotMs, allowFaults }: LocalnetOptions): string[] {
  return [
    ...["--port", String(port)],
    ...(dataDir ? ["--data-dir", dataDir] : []),
    ...(slotMs ? ["--slot-ms", String(slotMs)] : []),
    ...(allowFaults ? ["--allow-faults"] : []),
  ]
}

/** LiteSVM's machine code is a package per platform. Each is an optional dependency, so an installation may lack it. */
function requirePlatformPackage(): void {
  const manifest = createRequire(import.meta.url).resolve("litesvm/package.json")
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as {
    optionalDependencies: Record<string, string>
  }
  const { resolve } = createRequire(manifest)
  const isInstalled = (name: string) => {
    try {
      return resolve(name) !== ""
    } catch {
      return false
    }
  }
  if (Object.keys(optionalDependencies).some(isInstalled)) return
  throw new UnsupportedPlatform(
    `There is no local Solana network for ${process.platform}-${process.arch}, or it was not installed ` +
      "(npm must not omit optional dependencies).",
  )
}
