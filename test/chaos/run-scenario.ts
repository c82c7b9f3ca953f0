import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "./client.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { FaultInjector, type Faults, type Kind } from "./fault-injector.ts"
import { Nodes } from "./nodes.ts"
import { processesOf } from "./processes.ts"
import { audit } from "./proof.ts"
import { randomFrom } from "./random.ts"
import type { Loss } from "./restore.ts"

/**
 * While this many more pieces of work are done, these are hit one after the other, and the network has these faults.
 */
export type Phase = { work: number; hits: Kind[]; faults?: Faults }

/** The users of a deployment while it is hit. */
type Workload = {
  /** Pieces of work that have been acknowledged. */
  readonly done: number
  /** Allows this many pieces to start in total. */
  release(upTo: number): void
  /** Ends when every piece is done, or the client is stopped. */
  run(): Promise<void>
  /** Waits until everything acknowledged has taken effect. */
  settle(): Promise<void>
  /** Rejects with whatever does not hold once everything has settled. */
  prove(): Promise<void>
  /** What it has done, in figures. */
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
  /** Requests that had to be repeated, by reason. */
  retries: { [reason: string]: number }
  requests: number
  /** Operations that were queued or submitted when a server was killed, added up. */
  underWay: number
  /** Server starts that failed because services were killed. */
  failedStarts: number
  transactions: { [status: string]: number }
  /** Errors that the servers logged. */
  errors: { [message: string]: number }
  seconds: number
}

/** Errors that must never make a start fail. */
const HARMLESS: readonly Kind[] = ["server", "lost", "rollback", "stopped", "nodes"]

/** Hits may fall this many pieces behind the work. Then the work waits, so that there is always something to hit. */
const LAG = 3

/**
 * Runs a scenario on a new deployment, and proves at the end that nothing was lost and nothing happened twice. Rejects
 * with what does not hold. Leaves nothing running.
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
    // The first defect that a client finds ends the scenario.
    await Promise.race([working.then(() => new Promise<never>(() => {})), runPhases(workload, client)])
    nodes?.heal()
    await working
    say(`${name}: all ${total} acknowledged; everything is to settle now`)
    await injector.recover()
    await workload.settle()
    await allFinal(deployment)
    await workload.prove()
    const transactions = await deployment.query(
      (sql) => sql<{ status: string; count: number }[]>`select status, count(*)::int from transactions group by 1`,
    )
    await injector.end()
    // Once more with new services: what was read while everything ran must have been stored.
    await audit(deployment)
    const left = processesOf(deployment.dataDir)
    if (left.length > 0) throw new Error(`processes are left: ${left.join(", ")}`)
    // "Not now" is a valid answer while things are down; these are not.
    for (const reason of client.retries.keys()) {
      if (/^500|^no answer/.test(reason)) throw new Error(`a request met: ${reason}`)
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
    await sayWhatWaits(deployment).catch(() => say("what waits is not known: the database does not answer"))
    say(injector.lastLines(30))
    throw error
  } finally {
    client?.stop()
    injector.stop()
    await deployment.destroy()
    await nodes?.close()
  }

  /** Nothing is in progress, and nothing confirmed can vanish any more. */
  async function allFinal({ query }: Deployment): Promise<void> {
    await until("everything to be there for good", () =>
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
        // Sometimes the next hit comes before recovery.
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
