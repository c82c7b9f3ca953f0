import type { PgBoss } from "pg-boss"
import { clockDoubt } from "#db/clock.ts"
import { logger } from "#server/lib/log.ts"
import { Passes } from "#server/lib/passes.ts"
import { sleep } from "#server/lib/time.ts"
import { openQueueDatabase } from "./queue-database.ts"
import { deliverTo } from "./run.ts"
import { type Due, dueEndpoints, hasEndpoints, takeEvents } from "./take.ts"

/**
 * The tables of pg-boss, by the version that they have (`version` in its schema.json). What is in them only wakes somebody
 * up: which attempt is due when is in `webhook_deliveries`. So another version gets tables of its own, and two versions of
 * Vouch beside one another use each their own.
 */
const SCHEMA = "vouch_jobs_46"

/**
 * Endpoints that are sent something at a time, by each process: of those that answered soon when they were last asked, and of
 * those that did not. An endpoint that answers no longer is only known once it has been waited for, and one with much to get
 * takes its time: turns that last make room for others, up to `most`.
 */
const lanes = (): Lane[] => [
  { name: "webhooks", isSlow: false, fresh: 16, most: 64, turns: new Set() },
  { name: "webhooks_slow", isSlow: true, fresh: 32, most: 32, turns: new Set() },
]
type Lane = { name: string; isSlow: boolean; fresh: number; most: number; turns: Set<{ since: number }> }
/** A turn that lasts longer is not fresh. */
const FRESH_MS = 1000
/** Turns that one workspace has in a lane at a time, in all processes. */
const OF_ONE_WORKSPACE = 8
/** A turn takes at most 10 s, and 15 s for what is under way then. One that takes longer is taken for dead. */
const EXPIRES_S = 40
/** How often one looks for those. */
const SUPERVISED_S = 10
/** How often one looks for what is due; and whether there are endpoints at all. */
const LOOK_MS = 250
const IDLE_MS = 2000
/** How long an endpoint may still answer once the process stops. */
const LAST_MS = 3000

type Turn = { workspaceId: string; endpointId: string }

/** Sends events to webhook endpoints. Nothing of pg-boss is there before the first endpoint is. */
export class WebhookWorker {
  readonly #databaseUrl: string
  readonly #stop = new AbortController()
  readonly #end = new AbortController()
  readonly #passes = new Passes()
  readonly #lanes = lanes()
  #boss: PgBoss | null = null
  #database: ReturnType<typeof openQueueDatabase> | null = null
  #loop: Promise<void> = Promise.resolve()

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Resolves when every look and every turn that has begun by now has ended. */
  passesEnded(): Promise<void> {
    return this.#passes.ended()
  }

  /** What is under way has some seconds left. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    const end = setTimeout(() => this.#end.abort(), LAST_MS)
    await this.#passes.ended()
    clearTimeout(end)
    await this.#boss?.stop({ graceful: false })
    await this.#database?.end()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        const isIdle = this.#boss === null && !(await hasEndpoints())
        if (!isIdle) {
          this.#boss ??= await this.#open()
          await this.#passes.add(this.#look(this.#boss))
        }
        await sleep(isIdle ? IDLE_MS : LOOK_MS, signal)
      } catch (error) {
        logger.warn({ err: error }, "webhooks could not be sent; retrying")
        await sleep(IDLE_MS, signal)
      }
    }
  }

  /** Has each endpoint to which something is due take a turn. One that has a turn already, anywhere, gets no second. */
  async #look(boss: PgBoss): Promise<void> {
    if (clockDoubt() !== null) return
    await takeEvents()
    const due = await dueEndpoints()
    for (const lane of this.#lanes) {
      const turns = due.filter((one) => one.is_slow === lane.isSlow).map(turnOf)
      if (turns.length > 0) await boss.insert(lane.name, turns)
      const free = roomIn(lane)
      if (turns.length === 0 || free <= 0) continue
      const fetched = await boss.fetch<Turn>(lane.name, {
        batchSize: free,
        groupConcurrency: OF_ONE_WORKSPACE,
      })
      for (const { id, data } of fetched ?? []) void this.#passes.add(this.#take(boss, lane, id, data))
    }
  }

  async #take(boss: PgBoss, lane: Lane, id: string, { workspaceId, endpointId }: Turn): Promise<void> {
    const turn = { since: performance.now() }
    lane.turns.add(turn)
    try {
      await deliverTo(workspaceId, endpointId, { stop: this.#stop.signal, end: this.#end.signal })
    } catch (error) {
      // What is due stays due.
      logger.warn({ err: error, endpoint: endpointId }, "a webhook could not be sent; retrying")
    } finally {
      lane.turns.delete(turn)
      // Where that fails it expires.
      await boss
        .complete(lane.name, id)
        .catch((error) => logger.debug({ err: error }, "a turn was not ended"))
    }
  }

  async #open(): Promise<PgBoss> {
    // Loaded when it is needed: most deployments begin without webhooks.
    const { PgBoss } = await import("pg-boss")
    this.#database ??= openQueueDatabase(this.#databaseUrl)
    const boss = new PgBoss({
      db: this.#database,
      schema: SCHEMA,
      schedule: false,
      superviseIntervalSeconds: SUPERVISED_S,
      monitorIntervalSeconds: SUPERVISED_S,
    })
    boss.on("error", (error) => logger.warn({ err: error }, "the queue of webhooks has trouble; retrying"))
    try {
      await boss.start()
      // What became of a turn is in the deliveries: none is kept.
      for (const { name } of this.#lanes)
        await boss.createQueue(name, {
          policy: "exclusive",
          retryLimit: 0,
          expireInSeconds: EXPIRES_S,
          retentionSeconds: 3600,
          deleteAfterSeconds: 60,
        })
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => {})
      throw error
    }
    return boss
  }
}

function roomIn({ turns, fresh, most }: Lane): number {
  const since = performance.now() - FRESH_MS
  const begun = [...turns].filter((turn) => turn.since > since).length
  return Math.min(fresh - begun, most - turns.size)
}

const turnOf = ({ workspace_id, id }: Due) => ({
  data: { workspaceId: workspace_id, endpointId: id } satisfies Turn,
  group: { id: workspace_id },
  singletonKey: `${workspace_id}/${id}`,
})
