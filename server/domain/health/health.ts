import { z } from "zod"
import { healthReads, refreshConnections } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { isScreening, listFacts, listTrouble } from "#domain/screening"
import { timestamp } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { version } from "#server/lib/version.ts"
import type { LedgerReport } from "#shared/ledger-report.ts"
import { modes } from "#shared/mode.ts"

/** How long a worker can be silent before it counts as stopped. */
export const WORKER_SILENT_SECONDS = 15
const DATABASE_TIMEOUT_MS = 2000
/** How old a cached result can be. A bad one is soon out of date, such as that of a server that is starting. */
const FRESH_MS = { ok: 1000, degraded: 100 }

const NO_WORKER = "no worker has reported recently"

const seconds = z.number().int().nullable()

/** How the ledger of a mode is doing, in the form of `shared/ledger-report.ts`. */
const ledgerRecord = z
  .object({
    mode: z.enum(modes).meta({ example: "live" }),
    slot: z.number().int().nullable().meta({ description: "Highest slot read so far", example: 1042 }),
    slot_age_seconds: seconds.meta({ description: "Time since the slot last increased", example: 1 }),
    clock_difference_seconds: seconds.meta({
      description: "The chain's clock minus the database's, if it differs by more than a slot",
      example: 0,
    }),
    oldest_operation_seconds: seconds.meta({
      description: "Age of the oldest unfinished operation; null without one",
      example: null,
    }),
    oldest_transaction_seconds: seconds.meta({
      description: "Age of the oldest transaction that may still land; null without one",
      example: null,
    }),
    in_doubt: z.number().int().meta({ description: "Transactions that may or may not have landed", example: 0 }),
    audit_age_seconds: seconds.meta({
      description: "Time since the oldest of the workspaces' last reconciliations; null before the first",
      example: 1800,
    }),
    audit_differences: z.number().int().meta({
      description: "Differences between the chain and the database found by the last reconciliations",
      example: 0,
    }),
    missing_histories: z.number().int().meta({
      description: "Tokens in holder mode whose history no node has had, or no two agree on, for ten minutes",
      example: 0,
    }),
    lost_histories: z.number().int().meta({
      description: "Tokens in holder mode for which it is no longer known what holders move",
      example: 0,
    }),
    nodes: z
      .array(
        z
          .object({
            version: z.string().nullable().meta({ description: "Version of its software", example: "4.1.2" }),
            keeps_history: z
              .boolean()
              .meta({ description: "Whether it lists the transactions of an address", example: true }),
            first_slot: z.number().int().meta({ description: "First slot whose block it has", example: 0 }),
            permissioned_burn: z.boolean().nullable().meta({
              description:
                "Whether its Token-2022 has PermissionedBurn, which new mints in holder mode then get. Null if it does not say",
              example: true,
            }),
          })
          .nullable(),
      )
      .meta({ description: "The RPC nodes in order; null for a node that has not answered" }),
    rpc_errors: z.record(z.string(), z.number().int()).meta({
      description: "Failed calls since the workers started, by method",
      example: { getEpochInfo: 2 },
    }),
  })
  .meta({ id: "LedgerHealth" })

/** A list against which wallets are screened. */
const listRecord = z
  .object({
    name: z.string().meta({ description: "The file's name", example: "ofac-solana.txt" }),
    digest: z.string().meta({
      pattern: "^[0-9a-f]{64}$",
      description: "SHA-256 of the file",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    entries: z.number().int().meta({ description: "Addresses on it", example: 12 }),
    loaded_at: timestamp,
    workers: z.number().int().meta({ description: "Workers that use this version", example: 2 }),
  })
  .meta({ id: "ScreeningList" })

export const healthRecord = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({ description: "`ok` when every check is `ok`", example: "ok" }),
    version: z.string().meta({ description: "Server version", example: "0.1.0" }),
    checks: z.object({
      database: z.string().meta({ example: "ok" }),
      chain: z.string().meta({ example: "ok" }),
      worker: z.string().meta({ example: "ok" }),
      screening: z.string().optional().meta({ description: "Absent if no list is configured", example: "ok" }),
    }),
    ledger: z
      .array(ledgerRecord)
      .optional()
      .meta({ description: "By mode; empty until a worker has reported. Absent from the short report" }),
    screening: z.array(listRecord).optional().meta({
      description: "The screening lists that this process uses. Absent without any, and from the short report",
    }),
  })
  .meta({ id: "Health" })

type Health = z.infer<typeof healthRecord>

/** Results that anyone may read, because they reveal nothing about the servers and nodes that Vouch uses. */
const plainCauses = ["ok", "unknown", "not reachable", "read-only", NO_WORKER]

/** The public report: whether each part works, but not why, because a reason may quote an RPC node. */
export function healthForStrangers({ status, version, checks }: Health): Health {
  const plain = Object.entries(checks).map(([name, check]) => [
    name,
    plainCauses.includes(String(check)) ? check : "degraded",
  ])
  return { status, version, checks: Object.fromEntries(plain) as Health["checks"] }
}

type Worker = {
  trouble: string | null
  report: LedgerReport[] | null
  lists: Record<string, string> | null
}
type Found = { readOnly: boolean; workers: Worker[] }

/** What the database and every living worker report about themselves. Rejects if there is no answer in time. */
async function ask(): Promise<Found> {
  // The database's clock measures both times, so a wrong clock elsewhere does not matter.
  const question = healthReads<{ read_only: boolean; workers: Worker[] | null }[]>`
    select current_setting('transaction_read_only') = 'on' as read_only,
      (select json_agg(json_build_object('trouble', trouble, 'report', report, 'lists', lists)) from workers
        where seen_at > now() - ${WORKER_SILENT_SECONDS}::int * interval '1 second') as workers`
  const { promise: silence, reject } = Promise.withResolvers<never>()
  // The query is not cancelled: nothing waits for it any more, and its connection is closed if it stays silent.
  const timeout = setTimeout(reject, DATABASE_TIMEOUT_MS, new Error("the database does not respond"))
  try {
    const [row] = await Promise.race([question, silence])
    return { readOnly: row!.read_only, workers: row!.workers ?? [] }
  } finally {
    clearTimeout(timeout)
  }
}

async function examine(): Promise<Health> {
  const found = await ask().catch(() => null)
  if (found === null)
    return degraded({ database: "not reachable", chain: "unknown", worker: "unknown" }, { ledger: [] })
  const { readOnly, workers } = found
  // A standby, after a failover: new connections reach the primary if the address leads there.
  if (readOnly) refreshConnections("the database is read-only")
  const trouble = workers.find((worker) => worker.trouble !== null)?.trouble ?? "ok"
  const checks = {
    database: readOnly ? "read-only" : "ok",
    chain: workers.length > 0 ? trouble : "unknown",
    worker: clockDoubt() ?? (workers.length > 0 ? "ok" : NO_WORKER),
    ...(isScreening() && { screening: listTrouble() ?? "ok" }),
  }
  const isWell = Object.values(checks).every((check) => check === "ok")
  const ledger = together(workers.flatMap(({ report }) => report ?? []))
  const report = { ledger, ...(isScreening() && { screening: listsOf(workers) }) }
  return isWell ? { status: "ok", version, checks, ...report } : degraded(checks, report)
}

const listsOf = (workers: readonly Worker[]): Health["screening"] =>
  listFacts().map(({ name, digest, entries, loaded_at }) => ({
    name,
    digest,
    entries,
    loaded_at: toTimestamp(loaded_at),
    workers: workers.filter(({ lists }) => lists?.[name] === digest).length,
  }))

const degraded = (checks: Health["checks"], report: Pick<Health, "ledger" | "screening">): Health => ({
  status: "degraded",
  version,
  checks,
  ...report,
})

/** One report for each mode: from the worker that has seen the highest slot, with the errors of all. */
function together(reports: readonly LedgerReport[]): NonNullable<Health["ledger"]> {
  return [...Map.groupBy(reports, ({ mode }) => mode).values()].map((ofMode) => {
    const farthest = ofMode.reduce((one, other) => ((other.slot ?? 0) > (one.slot ?? 0) ? other : one))
    const rpc_errors: Record<string, number> = {}
    for (const [method, count] of ofMode.flatMap((one) => Object.entries(one.rpc_errors)))
      rpc_errors[method] = (rpc_errors[method] ?? 0) + count
    // A worker of version 0.1.0 does not report the last capability and histories.
    const nodes = farthest.nodes.map((node) => node && { ...node, permissioned_burn: node.permissioned_burn ?? null })
    const { missing_histories = 0, lost_histories = 0 } = farthest
    return {
      ...farthest,
      missing_histories,
      lost_histories,
      nodes,
      rpc_errors,
      in_doubt: Math.max(...ofMode.map(({ in_doubt }) => in_doubt)),
    }
  })
}

let known: { health: Health; at_ms: number } | null = null
let asking: Promise<Health> | null = null

/**
 * The service's health, at most a second old. However many ask, the database is queried at most ten times a second.
 * Never throws: an unreachable database is part of the result.
 */
export function readHealth(): Promise<Health> {
  if (known && performance.now() - known.at_ms < FRESH_MS[known.health.status]) return Promise.resolve(known.health)
  asking ??= examine().then((health) => {
    known = { health, at_ms: performance.now() }
    asking = null
    return health
  })
  return asking
}
