import { createInterface } from "node:readline"
import type { Holder } from "#server/embedded/lock.ts"
import { endAll } from "./processes.ts"

// Cleans up when the test process ends. Standard input is a pipe from that process, which the system closes even if the
// process is killed. Each line names a process that the test has started.
const dataDir = process.argv[2]!
const started: Holder[] = []
for await (const line of createInterface({ input: process.stdin })) started.push(JSON.parse(line) as Holder)
await endAll(dataDir, started)
