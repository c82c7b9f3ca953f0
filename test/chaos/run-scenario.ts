import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "./client.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { FaultInjector, type Faults, type Kind } from "./fault-injector.ts"
import { Nodes } from "./nodes.ts"
import { processesOf } from "./processes.ts"
import { audit } from "./proof.ts"
import { randomFrom } from "./random.ts"
import type { Loss } from "./restore.ts"

/** A part of the run: how much work to do, what to hit while it is done, and the network's faults. */
export type Phase = { work: number; hits: Kind[]; faults?: Faults }

/** The users of a deployment while it is hit. */
export type Workload = {
  /** Pieces of work that have been acknowledged. */
  readonly done: number
  /** Raises the number of pieces that may start, in total. */
  release(upTo: number): void
  /** Resolves when every piece is done or the client is stopped. */
  run(): Promise<void>
  /** Waits until everything acknowledged has taken effect. */
  settle(): Promise<void>
  /** Checks the final state. Rejects with the first check that fails. */
  prove(): Promise<void>
  /** Figures about the work done. */
  achievements(): { [what: string]: number }
}

/** Prepares a workload of this many pieces, before anything is hit. */
export type Scenario = (
  deployment: Deployment,
  client: Client,
  total: number,
  losses: readonly Loss[],
) => Promise<Workload>

export type ScenarioRun = {
  name: string
  scenario: Scenario
  phases: Phase[]
  seed: number
  /** Settings of the deployment. */
  settings?: Record<string, string>
  say(text: string): void
}

export type Summary = {
  name: string
  achievements: { [what: string]: number }
  hits: { [what: string]: number }
  /** The number of repeated requests, by reason. */
  retries: { [reason: string]: number }
  requests: number
  /** The total number of operations that were queued or submitted when a server was killed. */
  underWay: number
  /** Server starts that failed because services were killed. */
  failedStarts: number
  transactions: { [status: string]: number }
  /** Errors that the servers logged. */
  errors: { [message: string]: number }
  seconds: number
}

/** Faults that must never make a start fail. */
const HARMLESS: readonly Kind[] = ["server", "lost", "rollback", "stopped", "nodes"]

/** When faults fall this many pieces of work behind, the work waits, so that faults always hit work in progress. */
const LAG = 3

/**
 * Runs a scenario on a new deployment, and proves at the end that nothing was lost and nothing happened twice. Rejects
 * with the first check that fails. Leaves nothing running.
 */
export async function runScenario({ name, scenario, phases, seed, settings, say }: ScenarioRun): Promise<Summary> {
  const began = Date.now()
  const total = phases.reduce((sum, phase) => sum + phase.work, 0)
  const random = randomFrom(seed)
  const isHit = (kind: Kind) => phases.some(({ hits }) => hits.includes(kind))
  const nodes = isHit("nodes") || isHit("stopped") ? await Nodes.open() : null
  const deployment = await createDeployment({ ...nodes?.settings, ...settings })
  nodes?.leadTo(deployment.rpcUrl)
  const injector = new FaultInjector(deployment, { random, nodes })
  let client: Client | undefined
  try {
    await injector.startServer()
    await nodes?.fund()
    client = new Client({
      origin: deployment.origin,
      apiKey: await deployment.createKey(),
      random: randomFrom(seed + 1),
    })
    const workload = await scenario(deployment, client, total, injector.losses)
    const working = workload.run()
    // The first defect found by a client ends the scenario.
    await Promise.race([working.then(() => new Promise<never>(() => {})), runPhases(workload, client)])
    nodes?.heal()
    await working
    say(`${name}: all ${total} acknowledged; waiting for everything to settle`)
    await injector.recover()
    await workload.settle()
    await allFinal(deployment)
    await workload.prove()
    const transactions = await deployment.query(
      (sql) => sql<{ status: string; count: number }[]>`select status, count(*)::int from transactions group by 1`,
    )
    await injector.end()
    // Checks again with new processes: results read before must have been stored.
    await audit(deployment)
    const left = processesOf(deployment.dataDir)
    if (left.length > 0) throw new Error(`processes are left: ${left.join(", ")}`)
    // A client may be asked to retry while something is down. These responses are never valid.
    for (const reason of client.retries.keys()) {
      if (/^500|^no answer/.test(reason)) throw new Error(`a request failed: ${reason}`)
    }
    const isExcused = phases.some((phase) => phase.hits.some((kind) => !HARMLESS.includes(kind)))
    if (injector.failedStarts > 0 && !isExcused) throw new Error(`a start failed: ${Object.keys(injector.errors())}`)
    return {
      name,
      achievements: workload.achievements(),
      hits: Object.fromEntries(injector.hits),
      retries: Object.fromEntries(client.retries),
      requests: client.requests,
      underWay: injector.underWay,
      failedStarts: injector.failedStarts,
      errors: injector.errors(),
      transactions: Object.fromEntries(transactions.map(({ status, count }) => [status, count])),
      seconds: Math.round((Date.now() - began) / 1000),
    }
  } catch (error) {
    await sayWhatWaits(deployment).catch(() => say("the pending work is unknown: the database does not answer"))
    say(injector.lastLines(30))
    throw error
  } finally {
    client?.stop()
    injector.stop()
    await deployment.destroy()
    await nodes?.close()
  }

  /** Waits until nothing is in progress and every confirmed transaction is final. */
  async function allFinal({ query }: Deployment): Promise<void> {
    await until("everything to be final", () =>
      query(async (sql) => {
        const [row] = await sql<{ is_over: boolean }[]>`
          select not exists (select from operations where status in ('queued', 'submitted'))
            and not exists (select from transactions
              where status = 'saved' or status = 'confirmed' and finalized_at is null) as is_over`
        return row!.is_over
      }),
    )
  }

  async function sayWhatWaits({ query }: Deployment): Promise<void> {
    const rows = await query(
      (sql) => sql<{ status: string; doubt: string | null; count: number }[]>`
        select t.status, t.doubt, count(*)::int from transactions t where t.status = 'saved' group by 1, 2`,
    )
    const operations = await query(
      (sql) => sql<{ kind: string; status: string; attempts: number; count: number }[]>`
        select kind, status, attempts, count(*)::int from operations
        where status in ('queued', 'submitted') group by 1, 2, 3`,
    )
    for (const row of [...rows, ...operations]) say(`${name}: waits: ${JSON.stringify(row)}`)
  }

  async function runPhases(workload: Workload, client: Client): Promise<void> {
    const workDone = (upTo: number) =>
      until(`${upTo} pieces of work`, () => workload.done >= upTo || client.isStopped, 300_000)
    let released = 0
    for (const { work, hits, faults } of phases) {
      const first = released
      released += work
      if (faults) {
        await injector.setFaults(faults)
        say(`${name}: faults ${JSON.stringify(faults)}`)
      }
      for (const [n, kind] of hits.entries()) {
        const share = work / hits.length
        workload.release(first + Math.ceil(share * (n + 1)))
        const due = first + Math.floor(share * (n - LAG))
        if (workload.done < due) {
          // Operations that need a second node's confirmation continue once there is one.
          nodes?.heal()
          await injector.recover()
          await workDone(due)
        }
        await sleep(random.below(1000))
        const hit = await injector.hit(kind)
        say(`${name}: ${n + 1}/${hits.length} ${hit}, ${workload.done}/${total} done`)
        // Sometimes the next fault comes before recovery.
        if (random.chance(0.75)) await injector.recover()
      }
      workload.release(released)
      if (faults) {
        await injector.recover()
        await workDone(released)
        // Faults only make it slower: everything still completes.
        await workload.settle()
        await injector.setFaults({})
      }
    }
  }
}
