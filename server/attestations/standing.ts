import type { Queryable } from "#db/client.ts"

/** A wallet has become verified for a schema, or has ceased to be. */
export type StandingChange = { workspaceId: string; schemaId: string; wallet: string }

type Listener = (sql: Queryable, change: StandingChange) => Promise<void>

const listeners: Listener[] = []

/** Has `listener` called in the transaction of every change: what rests on verification follows it, or neither happens. */
export function onStandingChange(listener: Listener): void {
  listeners.push(listener)
}

export async function standingChanged(sql: Queryable, change: StandingChange): Promise<void> {
  for (const listener of listeners) await listener(sql, change)
}
