import { type Limits, openClient, type Queryable, settingsOf } from "./connection.ts"
import { Pipeline, type Reads } from "./pipeline.ts"
import { Pool, type Sql, WAIT_MS } from "./pool.ts"

export type { Queryable } from "./connection.ts"
export {
  isDatabaseUnavailable,
  isLocked,
  isLockOf,
  isUndone,
  isUniqueViolation,
  repeatOnDeadlock,
} from "./errors.ts"
export { onBehalfOf, type Sql } from "./pool.ts"
export type { Transaction } from "./session.ts"

/** Statements of requests. bigint columns are returned as bigint, times as Date. */
export let sql: Sql
/** Like `sql`, for short single statements of many requests. Those of a workspace may share a connection. */
export let short: Queryable
/**
 * One connection for short single reads that many requests send at once, such as the status of a wallet. Statements
 * that may wait for a lock or a disk belong on `sql`: here they would delay all later ones.
 */
export let reads: Reads
/** Like `reads`, for API keys only, so that other slow reads do not delay authentication. */
export let keyReads: Reads
/** Like `reads`, only to check whether the database responds. */
export let healthReads: Reads
/** For work without a request: the ledger, scheduled work, the request log. Requests cannot use these connections. */
export let background: Sql
/** Like `short`, for the ledger's reads. */
export let backgroundShort: Queryable

/** Short waits for locks, so that requests are answered in time. A stalled process loses its locks. */
export const LIMITS: Limits = { lock_ms: 2000, statement_ms: 10_000, idleInTransaction_ms: 4000 }
const READ_LIMITS: Limits = { ...LIMITS, statement_ms: 3000 }

/** Limits of a tool that reads everything. */
const PATIENCE_MS = 600_000

/** Connections of the ledger and of scheduled work. */
const BACKGROUND = 4
/** Minimum connections of a process: reads, keys, health, background work, and two for requests. */
export const LEAST_CONNECTIONS = 3 + BACKGROUND + 2

export type DatabaseOptions = {
  /** Maximum connections of this process, not counting those for LISTEN and the clock. */
  max?: number
  /** For a tool that reads everything: its statements may be slow. */
  patient?: boolean
  /** Multiplies how long locks, statements and connections are waited for. Tests raise it for loaded machines. */
  slowness?: number
  /** Whether there is a pooler, which refuses unknown settings. */
  pooled?: boolean
}

type Connected = { pools: Pool[]; pipelines: Pipeline[] }
let connected: Connected = { pools: [], pipelines: [] }

const slowed = ({ lock_ms, statement_ms, idleInTransaction_ms }: Limits, times: number): Limits => ({
  lock_ms: lock_ms * times,
  statement_ms: statement_ms * times,
  idleInTransaction_ms: idleInTransaction_ms * times,
})

/** Binds `sql` and the others to a database. Nothing connects before the first statement. */
export function connectDatabase(
  url: string,
  { max = 20, patient = false, pooled = false, slowness = 1 }: DatabaseOptions = {},
): void {
  const usual = slowed(LIMITS, slowness)
  const limits = patient ? { ...usual, statement_ms: PATIENCE_MS } : usual
  const wait = { wait_ms: patient ? PATIENCE_MS : WAIT_MS * slowness }
  const readSettings = pooled ? {} : settingsOf(slowed(READ_LIMITS, slowness))
  const requests = new Pool({ url, max: Math.max(2, max - 3 - BACKGROUND), limits, pooled, fair: !patient, ...wait })
  const work = new Pool({ url, max: BACKGROUND, limits, pooled, fair: false, ...wait })
  const pipelines = [1, 2, 3].map(() => new Pipeline(url, readSettings))
  connected = { pools: [requests, work], pipelines }
  sql = requests.sql
  short = requests.short
  background = work.sql
  backgroundShort = work.short
  reads = pipelines[0]!.sql
  keyReads = pipelines[1]!.sql
  healthReads = pipelines[2]!.sql
}

/** After a failover: everything reconnects to the current server of the address. */
export function refreshConnections(reason: string): void {
  for (const pool of connected.pools) pool.refresh(reason)
  for (const pipeline of connected.pipelines) pipeline.refresh()
}

/** Current use of the pools with several connections. */
export const poolUse = () =>
  connected.pools.map((pool, i) => ({ pool: i === 0 ? "requests" : "background", ...pool.use }))

/** A plain client for one purpose, such as LISTEN past a pooler. The caller ends it. */
export const open = (url: string, max: number) => openClient(url, { max })

export async function disconnectDatabase(): Promise<void> {
  const { pools, pipelines } = connected
  await Promise.all([...pools, ...pipelines].map((one) => one.end()))
}
