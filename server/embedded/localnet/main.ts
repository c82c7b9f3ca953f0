import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { DirectoryInUse } from "./lock.ts"
import { type Localnet, type LocalnetOptions, startLocalnet } from "./server.ts"

/** The exit code that tells a supervisor not to retry while the port is in use. */
const PORT_IN_USE = 98
/** For so long a child waits for its directory: the child of a parent that was killed is about to leave it. */
const PREDECESSOR_MS = 10_000

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8899" },
    "data-dir": { type: "string" },
    "slot-ms": { type: "string", default: process.env.VOUCH_LOCALNET_SLOT_MS ?? "50" },
    "allow-faults": { type: "boolean", default: false },
  },
})

let running: Localnet | null = null
let stopping = false

async function stop() {
  if (stopping) return
  stopping = true
  await running?.close()
  process.exit(0)
}

// Ctrl-C reaches every process of the terminal; who started this one decides when it ends.
if (process.send !== undefined) process.on("SIGINT", () => {})
else process.on("SIGINT", () => void stop())
process.on("SIGTERM", () => void stop())
// The parent is gone, even if it was killed.
process.on("disconnect", () => void stop())

try {
  running = await start({
    port: wholeNumber("port", values.port, 0),
    dataDir: values["data-dir"] ?? null,
    slotMs: wholeNumber("slot-ms", values["slot-ms"], 1),
    allowFaults: values["allow-faults"],
  })
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === "EADDRINUSE") refuse(`port ${(error as { port?: number }).port} is in use`, PORT_IN_USE)
  if (error instanceof DirectoryInUse) refuse(message, 1)
  throw error
}
if (process.send !== undefined) process.send({ ready: true, url: running.url, port: running.port })
else console.log(running.url)

async function start(options: LocalnetOptions): Promise<Localnet> {
  for (const since = Date.now(); ; ) {
    try {
      return await startLocalnet(options)
    } catch (error) {
      const isChild = process.send !== undefined
      if (!isChild || !(error instanceof DirectoryInUse) || Date.now() - since > PREDECESSOR_MS) throw error
      await sleep(50)
    }
  }
}

function wholeNumber(name: string, given: string, min: number): number {
  const value = Number(given)
  if (!Number.isInteger(value) || value < min) refuse(`--${name} must be a whole number from ${min}`, 2)
  return value
}

function refuse(message: string, exitCode: number): never {
  console.error(`localnet: ${message}`)
  process.exit(exitCode)
}
