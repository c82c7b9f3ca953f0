import { setTimeout as sleep } from "node:timers/promises"
import { signal } from "#server/embedded/process.ts"
import { type Deployment, ServerEnded, type ServerProcess, until } from "./deployment.ts"
import type { Nodes } from "./nodes.ts"
import { childrenOf, localnetOf, postmasterOf, processesOf } from "./processes.ts"
import type { Random } from "./random.ts"
import { Backups, type Loss } from "./restore.ts"

/**
 * A process to kill, or another fault. `lost`: the network accepts transactions and loses them until they expire.
 * `rollback`: what the network confirmed in the last slots never happened. `nodes`: its nodes lie. `stopped`: one of
 * two servers is paused. `restore`: the database goes back some seconds.
 */
export type Kind = "server" | "localnet" | "postgres" | "lost" | "rollback" | "nodes" | "stopped" | "restore"

/** What the local network does wrong: see `localnet_setFaults`. */
export type Faults = {
  drop?: number
  delay?: { p: number; ms: number }
  too_many_requests?: number
  land_without_answer?: number
}

/** Drops a fifth of all calls, and delays a fifth of the others. */
export const dropOrDelay: Faults = { drop: 0.2, delay: { p: 0.2, ms: 300 } }

/** In slots. Fewer than a slot needs to become final, because final slots are never rolled back. */
const DEEPEST_ROLLBACK = 25
/** Longer than the lease on a workspace's ledger. */
const LONGEST_STOP_MS = 9000
/** A restore loses everything from this time. */
const LONGEST_LOSS_MS = 4000

/** Kills a deployment's Postgres or one of its backends. Returns which one when it is dead. */
export async function killPostgres(dataDir: string, random: Random): Promise<string> {
  const postmaster = await until("a Postgres to kill", () => postmasterOf(dataDir))
  const backends = random.chance(0.3) ? childrenOf(postmaster) : []
  if (backends.length > 0) {
    // Postgres treats this as a crash: it restarts all of its processes and recovers.
    signal(random.pick(backends), "SIGKILL")
    return "postgres backend"
  }
  signal(postmaster, "SIGKILL")
  await until("its death", () => postmasterOf(dataDir) !== postmaster)
  return "postgres"
}

/** The processes of a deployment, and the code that kills them. */
export class FaultInjector {
  readonly hits = new Map<string, number>()
  underWay = 0
  failedStarts = 0
  /** What each restore may have lost. */
  readonly losses: Loss[] = []
  readonly #deployment: Deployment
  readonly #random: Random
  readonly #nodes: Nodes | null
  readonly #backups: Backups
  #isCompared = true
  #server: ServerProcess | undefined
  /** A second server, from the first time that one is stopped. */
  #replica: ServerProcess | undefined
  readonly #servers: ServerProcess[] = []
  #isReady = false
  #isOver = false
  #faults: Faults = {}
  readonly #faultKeeper: NodeJS.Timeout

  constructor(deployment: Deployment, { random, nodes }: { random: Random; nodes: Nodes | null }) {
    this.#nodes = nodes
    this.#backups = new Backups(deployment)
    this.#deployment = deployment
    this.#random = random
    // A restarted local network has no faults until they are set again.
    this.#faultKeeper = setInterval(() => {
      if (Object.keys(this.#faults).length > 0) this.#sendFaults().catch(() => {})
    }, 200)
  }

  /** Stops injecting faults and restarting processes. */
  stop(): void {
    this.#isOver = true
    clearInterval(this.#faultKeeper)
  }

  async startServer(): Promise<void> {
    this.#startServer()
    await this.recover()
  }

  /** Waits until everything is up: the server, its database, and the local network. */
  async recover(): Promise<void> {
    for (;;) {
      try {
        await this.#deployment.ready(this.#server!)
        this.#isReady = true
        await until("the local network", () => localnetOf(this.#deployment.dataDir) !== null)
        if (!this.#isCompared) await this.#backups.settle()
        this.#isCompared = true
        return
      } catch (error) {
        // A server that is starting may end, because a process that it needs may be killed. A running one must not.
        if (!(error instanceof ServerEnded) || this.#isReady) throw error
        this.failedStarts++
        this.#startServer()
      }
    }
  }

  /** The errors that servers logged, with counts. */
  errors(): { [message: string]: number } {
    const errors: { [message: string]: number } = {}
    for (const line of this.#servers.flatMap((server) => server.output().split("\n"))) {
      const gist = loggedError(line) ?? /^Vouch cannot start.*/.exec(line)?.[0].slice(0, 160)
      if (gist !== undefined) errors[gist] = (errors[gist] ?? 0) + 1
    }
    return errors
  }

  /** The server's last output. */
  lastLines(count: number): string {
    return (this.#server?.output() ?? "").split("\n").slice(-count).join("\n")
  }

  #startServer(): void {
    this.#server = this.#deployment.startServer()
    this.#servers.push(this.#server)
    this.#isReady = false
  }

  /** Injects one fault. Returns its description. */
  async hit(kind: Kind): Promise<string> {
    if (this.#isOver) throw new Error("the scenario is over")
    const hit = await this.#hits[kind]()
    const name = hit.split(":")[0]!
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1)
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
    postgres: () => killPostgres(this.#deployment.dataDir, this.#random),
    lost: async () => {
      const callUntilDone = (method: "localnet_hold" | "localnet_warp", parameter: unknown) =>
        until("the local network", () =>
          this.#deployment.localnet(method, parameter).then(
            () => true,
            () => false,
          ),
        )
      await callUntilDone("localnet_hold", { on: true })
      await sleep(this.#random.below(800))
      // A blockhash is valid for 150 blocks. 31 blocks later, everything signed with it is final or can never land.
      await callUntilDone("localnet_warp", { slots: 200 })
      await callUntilDone("localnet_hold", { on: false })
      return "lost transactions"
    },
    rollback: async () => {
      const depth = 1 + this.#random.below(DEEPEST_ROLLBACK)
      // The network refuses this while it is down, and for slots from before its last start.
      await until("a rollback", async () => {
        const slot = await this.#deployment.localnet("localnet_warp", { slots: 1 }).catch(() => null)
        if (slot === null) return false
        return this.#deployment.localnet("localnet_rollback", { slot: (slot as number) - depth }).then(
          () => true,
          () => false,
        )
      })
      return "rollback"
    },
    nodes: async () => `nodes: ${await this.#nodes!.inject(this.#random)}`,
    stopped: async () => {
      if (this.#replica === undefined) {
        await this.recover()
        this.#replica = await this.#deployment.startReplica()
        this.#servers.push(this.#replica)
      }
      const isReplica = this.#random.chance(0.5)
      const { pid } = isReplica ? this.#replica : this.#server!
      signal(pid, "SIGSTOP")
      await sleep(this.#random.below(LONGEST_STOP_MS))
      signal(pid, "SIGCONT")
      return isReplica ? "stopped replica" : "stopped server"
    },
    restore: async () => {
      await this.recover()
      const loss: Loss = { from: Date.now(), to: Number.POSITIVE_INFINITY }
      this.losses.push(loss)
      const backup = await this.#backups.make()
      await sleep(this.#random.below(LONGEST_LOSS_MS))
      // With servers running, or while one is down.
      const isBelow = this.#random.chance(0.6)
      if (!isBelow) {
        signal(this.#server!.pid, "SIGKILL")
        await this.#server!.exited
      }
      await this.#backups.putBack(backup)
      loss.to = Date.now()
      this.#isCompared = false
      if (!isBelow) this.#startServer()
      return isBelow ? "restore under a server" : "restore"
    },
  }

  /** Counts the operations that a killed server leaves for the next one. Its Postgres keeps running. */
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

  /** Sets faults. They last until they are changed, even if the local network restarts. */
  async setFaults(faults: Faults): Promise<void> {
    this.#faults = faults
    await until("the local network to take its faults", () =>
      this.#sendFaults().then(
        () => true,
        () => false,
      ),
    )
  }

  #sendFaults = () => this.#deployment.localnet("localnet_setFaults", this.#faults)

  /** Stops the server cleanly, with everything that it started. */
  async end(): Promise<void> {
    for (const server of [this.#replica, this.#server]) {
      if (server === undefined) continue
      signal(server.pid, "SIGTERM")
      if ((await server.exited) !== 0) throw new ServerEnded(server)
    }
    await until("its processes to end", () => processesOf(this.#deployment.dataDir).length === 0)
  }
}

/** The message of a log line about an error. */
function loggedError(line: string): string | null {
  if (!/^\{"level":[56]0,.*\}$/.test(line)) return null
  const { msg, err } = JSON.parse(line) as { msg: string; err?: { message?: string } }
  return (err?.message ? `${msg}: ${err.message}` : msg).slice(0, 160)
}
