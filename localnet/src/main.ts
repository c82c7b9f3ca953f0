import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { DIRECTORY_IN_USE, PORT_IN_USE, WRONG_ARGUMENT } from "./exit-codes.ts"
import { type Localnet, type LocalnetOptions, serve } from "./server.ts"
import { DirectoryInUse } from "./storage/lock.ts"

/** How long a child waits for its directory, which a child whose parent was killed is about to release. */
const PREDECESSOR_MS = 10_000
const RETRY_MS = 50

const HELP = `Usage: node main.ts [options]

  --port <port>      JSON-RPC over HTTP (8899); the WebSocket is on the next port. 0 takes two free ports
  --data-dir <path>  where the chain is kept; without it, in memory
  --slot-ms <ms>     length of a slot (50)
  --allow-faults     adds methods that make it misbehave, for tests`

const values = parseOptions()
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

let running: Localnet | null = null
let stopping = false

async function stop() {
  if (stopping) return
  stopping = true
  await running?.close()
  process.exit(0)
}

// Ctrl-C reaches every process of the terminal, but the parent decides when its child ends.
if (process.send !== undefined) process.on("SIGINT", () => {})
else process.on("SIGINT", () => void stop())
process.on("SIGTERM", () => void stop())
// The parent has ended or was killed.
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
  if (error instanceof DirectoryInUse) refuse(message, DIRECTORY_IN_USE)
  throw error
}
if (process.send !== undefined) process.send({ ready: true, url: running.url, port: running.port })
else console.log(running.url)

function parseOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: "string", default: "8899" },
        "data-dir": { type: "string" },
        "slot-ms": { type: "string", default: "50" },
        "allow-faults": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message, WRONG_ARGUMENT)
  }
}

async function start(options: LocalnetOptions): Promise<Localnet> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return await serve(options)
    } catch (error) {
      const isChild = process.send !== undefined
      if (!isChild || !(error instanceof DirectoryInUse) || waitedMs >= PREDECESSOR_MS) throw error
      if (waitedMs === 0) console.error(`localnet: ${error.message}; waiting`)
      await sleep(RETRY_MS)
    }
  }
}

function wholeNumber(name: string, given: string, min: number): number {
  const value = Number(given)
  if (!Number.isInteger(value) || value < min) refuse(`--${name} must be a whole number from ${min}`, WRONG_ARGUMENT)
  return value
}

function refuse(message: string, exitCode: number): never {
  console.error(`localnet: ${message}`)
  process.exit(exitCode)
}
