import { openSync, statSync, truncateSync } from "node:fs"

/** What the embedded services need of a logger; pino's fits. */
export type Log = {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** Opens the file that an embedded service writes its own log to, emptied when it has grown large. */
export function openLog(file: string): number {
  const output = openSync(file, "a", 0o600)
  if (statSync(file).size > 10_000_000) truncateSync(file)
  return output
}
