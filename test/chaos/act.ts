import { setTimeout as sleep } from "node:timers/promises"
import { signal } from "#server/embedded/process.ts"
import { Customers } from "./customers.ts"
import { createDeployment, type Deployment, ServerEnded, type ServerProcess, until } from "./deployment.ts"
import { childrenOf, localnetOf, postmasterOf, processesOf } from "./processes.ts"
import { allVerified, audit, prove } from "./proof.ts"
import { type Random, randomFrom } from "./random.ts"

/** What is killed; or `lost`: the network accepts transactions and loses them, until they have expired. */
export type Kind = "server" | "localnet" | "postgres" | "lost"

/** What the local network does wrong: see `localnet_setFaults`. */
export type Faults = {
  drop?: number
  delay?: { p: number; ms: number }
  too_many_requests?: number
  land_without_answer?: number
}

/** While `attestations` more are issued, these are hit, one after the other; and the network has these faults. */
export type Scene = { attestations: number; hits: Kind[]; faults?: Faults }

export type Act = { name: string; scenes: Scene[]; seed: number; say(text: string): void }

export type Summary = {
  name: string
  attestations: number
  hits: { [what: string]: number }
  /** Requests that had to be sent again, by the reason. */
  retries: { [reason: string]: number }
  requests: number
  /** Operations that were queued or submitted when a server was killed, added up. */
  underWay: number
  /** Starts of the server that ended by themselves, because what it stands on was killed meanwhile. */
  failedStarts: number
  transactions: { [status: string]: number }
  /** Errors that the servers logged. */
  errors: { [message: string]: number }
  seconds: number
}

/**
 * Plays an act on a deployment of its own, and proves at its end that nothing was lost and nothing happened twice.
 * Rejects with what does not hold. Nothing of it is left running, whatever happens.
 */
export async function play({ name, scenes, seed, say }: Act): Promise<Summary> {
  const began = Date.now()
  const total = scenes.reduce((sum, scene) => sum + scene.attestations, 0)
  const random = randomFrom(seed)
  const deployment = await createDeployment()
  const stage = new Stage(deployment, random)
  let customers: Customers | undefined
  try {
    await stage.startServer()
    const apiKey = await deployment.createKey()
    const { origin, webhookSecret } = deployment
    customers = new Customers({ origin, apiKey, webhookSecret, random, total })
    const issuing = customers.run()
    // The first defect that a customer meets ends the act.
    await Promise.race([issuing.then(() => new Promise<never>(() => {})), playScenes()])
    await issuing
    say(`${name}: all ${total} approved; everything is to settle now`)
    await stage.recover()
    await prove(deployment, customers)
    const transactions = await deployment.query(
      (sql) =>
        sql<{ status: string; count: number }[]>`select status, count(*)::int from transactions group by 1`,
    )
    await stage.end()
    // Once more on services of its own: what was read while all ran is what has been kept.
    await audit(deployment)
    const left = processesOf(deployment.dataDir)
    if (left.length > 0) throw new Error(`processes are left: ${left.join(", ")}`)
    // "Not now" is an answer while things are down; these are not.
    for (const reason of customers.retries.keys()) {
      if (/^500|^no answer/.test(reason)) throw new Error(`a request met: ${reason}`)
    }
    const isExcused = scenes.some((scene) => scene.hits.some((kind) => kind !== "server" && kind !== "lost"))
    if (stage.failedStarts > 0 && !isExcused)
      throw new Error(`a start failed: ${Object.keys(stage.errors())}`)
    return {
      name,
      attestations: total,
      hits: Object.fromEntries(stage.hits),
      retries: Object.fromEntries(customers.retries),
      requests: customers.requests,
      underWay: stage.underWay,
      failedStarts: stage.failedStarts,
      errors: stage.errors(),
      transactions: Object.fromEntries(transactions.map(({ status, count }) => [status, count])),
      seconds: Math.round((Date.now() - began) / 1000),
    }
  } finally {
    customers?.stop()
    stage.curtain()
    await deployment.destroy()
  }

  async function playScenes(): Promise<void> {
    let released = 0
    for (const { attestations, hits, faults } of scenes) {
      const first = released
      released += attestations
      if (faults) {
        await stage.setFaults(faults)
        say(`${name}: faults ${JSON.stringify(faults)}`)
      }
      for (const [n, kind] of hits.entries()) {
        customers!.release(first + Math.ceil((attestations * (n + 1)) / hits.length))
        await sleep(random.below(1000))
        const hit = await stage.hit(kind)
        say(`${name}: ${n + 1}/${hits.length} ${hit}, ${customers!.approved}/${total} approved`)
        // Now and then the next one comes before this one is back on its feet.
        if (random.chance(0.75)) await stage.recover()
      }
      customers!.release(released)
      if (faults) {
        await stage.recover()
        await until("the scene's cases to be approved", () => customers!.approved >= released, 300_000)
        // Under faults, too, everything gets there: they only make it slower.
        await allVerified(customers!)
        await stage.setFaults({})
      }
    }
  }
}

/** The processes of a deployment, and the hand that kills them. */
class Stage {
  readonly hits = new Map<string, number>()
  underWay = 0
  failedStarts = 0
  readonly #deployment: Deployment
  readonly #random: Random
  #server: ServerProcess | undefined
  readonly #servers: ServerProcess[] = []
  #isReady = false
  #isOver = false
  #faults: Faults = {}
  readonly #faultKeeper: NodeJS.Timeout

  constructor(deployment: Deployment, random: Random) {
    this.#deployment = deployment
    this.#random = random
    // A local network that starts again behaves well until it is told otherwise again.
    this.#faultKeeper = setInterval(() => {
      if (Object.keys(this.#faults).length > 0) this.#tellFaults().catch(() => {})
    }, 200)
  }

  /** Nothing is hit from now on, and nothing started again. */
  curtain(): void {
    this.#isOver = true
    clearInterval(this.#faultKeeper)
  }

  async startServer(): Promise<void> {
    this.#startServer()
    await this.recover()
  }

  /** Waits until all is up: the server, on its database, and the local network. */
  async recover(): Promise<void> {
    for (;;) {
      try {
        await this.#deployment.ready(this.#server!)
        this.#isReady = true
        await until("the local network", () => localnetOf(this.#deployment.dataDir) !== null)
        return
      } catch (error) {
        // While it starts it may end: somebody kills what it stands on. Later it must not, whatever happens.
        if (!(error instanceof ServerEnded) || this.#isReady) throw error
        this.failedStarts++
        this.#startServer()
      }
    }
  }

  /** What the servers logged as an error, and how often. */
  errors(): { [message: string]: number } {
    const errors: { [message: string]: number } = {}
    for (const line of this.#servers.flatMap((server) => server.output().split("\n"))) {
      const [, logged] = /^\{"level":[56]0,.*"msg":"(.*)"\}$/.exec(line) ?? []
      const message = logged ?? /^Vouch cannot start.*/.exec(line)?.[0]
      const gist = message?.slice(0, 160)
      if (gist !== undefined) errors[gist] = (errors[gist] ?? 0) + 1
    }
    return errors
  }

  #startServer(): void {
    this.#server = this.#deployment.startServer()
    this.#servers.push(this.#server)
    this.#isReady = false
  }

  /** Kills one process of a kind, or loses transactions; says which. */
  async hit(kind: Kind): Promise<string> {
    if (this.#isOver) throw new Error("the act is over")
    const hit = await this.#hits[kind]()
    this.hits.set(hit, (this.hits.get(hit) ?? 0) + 1)
    return hit
  }

  readonly #hits: { [kind in Kind]: () => Promise<string> } = {
    server: async () => {
      const server = this.#server!
      if (server.child.exitCode !== null && this.#isReady) throw new ServerEnded(server)
      signal(server.pid, "SIGKILL")
      await server.exited
      this.underWay += await this.#countUnderWay()
      await sleep(this.#random.below(400))
      this.#startServer()
      return "server"
    },
    localnet: async () => {
      const pid = await until("a local network to kill", () => localnetOf(this.#deployment.dataDir))
      signal(pid, "SIGKILL")
      await until("its death", () => localnetOf(this.#deployment.dataDir) !== pid)
      return "localnet"
    },
    postgres: async () => {
      const { dataDir } = this.#deployment
      const postmaster = await until("a Postgres to kill", () => postmasterOf(dataDir))
      const backends = this.#random.chance(0.3) ? childrenOf(postmaster) : []
      if (backends.length > 0) {
        // Not an end that Postgres takes lightly: it restarts all of its processes, and recovers.
        signal(this.#random.pick(backends), "SIGKILL")
        return "postgres backend"
      }
      signal(postmaster, "SIGKILL")
      await until("its death", () => postmasterOf(dataDir) !== postmaster)
      return "postgres"
    },
    lost: async () => {
      const told = (method: "localnet_hold" | "localnet_warp", parameter: unknown) =>
        until("the local network", () =>
          this.#deployment.localnet(method, parameter).then(
            () => true,
            () => false,
          ),
        )
      await told("localnet_hold", { on: true })
      await sleep(this.#random.below(800))
      // A blockhash is good for 150 blocks, and 31 later what was signed with it is finalized or never will be.
      await told("localnet_warp", { slots: 200 })
      await told("localnet_hold", { on: false })
      return "lost transactions"
    },
  }

  /** What a killed server has left for the next one. Its Postgres goes on without it. */
  async #countUnderWay(): Promise<number> {
    try {
      return await this.#deployment.query(async (sql) => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::int from operations where status in ('queued', 'submitted')`
        return row?.count ?? 0
      })
    } catch {
      return 0
    }
  }

  /** Until they are changed again, also past a restart of the local network. */
  async setFaults(faults: Faults): Promise<void> {
    this.#faults = faults
    await until("the local network to take its faults", () =>
      this.#tellFaults().then(
        () => true,
        () => false,
      ),
    )
  }

  #tellFaults = () => this.#deployment.localnet("localnet_setFaults", this.#faults)

  /** Ends the server in an orderly way, and all that it has started with it. */
  async end(): Promise<void> {
    const server = this.#server!
    signal(server.pid, "SIGTERM")
    const exitCode = await server.exited
    if (exitCode !== 0) throw new ServerEnded(server)
    await until("its processes to end", () => processesOf(this.#deployment.dataDir).length === 0)
  }
}
