import { createInterface } from "node:readline"
import type { Holder } from "#server/embedded/lock.ts"
import { endAll } from "./processes.ts"

// Waits for the end of the test process and cleans up after it. Its standard input is a pipe from there, which the
// system closes even if that process is killed. Each line names a process that it has started.
const dataDir = process.argv[2]!
const started: Holder[] = []
for await (const line of createInterface({ input: process.stdin })) started.push(JSON.parse(line) as Holder)
await endAll(dataDir, started)
