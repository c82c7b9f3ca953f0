import { openSync, statSync, truncateSync } from "node:fs"

/** The logger methods that the embedded services use; pino has them. */
export type Log = {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** Opens the log file of an embedded service. Empties it if it has grown too large. */
export function openLog(file: string): number {
  const output = openSync(file, "a", 0o600)
  if (statSync(file).size > 10_000_000) truncateSync(file)
  return output
}
