import { setTimeout as sleep } from "node:timers/promises"
import type { Sql } from "#db/client.ts"

/** Resolves when all operations have ended. Throws if that takes longer than `within_ms`. */
export async function waitForIdle(database: Sql, within_ms: number): Promise<void> {
  for (const end = performance.now() + within_ms; ; await sleep(20)) {
    const rest = await database`select from operations where status in ('queued', 'submitted') limit 1`
    if (rest.length === 0) return
    if (performance.now() > end) throw new Error("Accepted mints were not confirmed in time.")
  }
}
