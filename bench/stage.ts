import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Connection, Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { type RunningPostgres, startPostgres } from "#server/embedded/postgres.ts"
import { parseSettings } from "#server/settings/env.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { startScript } from "#test/fixtures/start-script.ts"
import { startValidator, type Validator } from "#test/fixtures/validator.ts"
import { ask, type Child, message, type Program, startChild, untilAnswering } from "./children.ts"
import type { LoadResult, Order } from "./load.ts"
import { type Customer, issueWith, seed } from "./seed.ts"

/** Database connections of each server. */
const POOL = 16
/** Slot time of both local networks. */
const SLOT_MS = parseSettings({}).VOUCH_LOCALNET_SLOT_MS

/** Slot time of the validator: 64 ticks of 6.25 ms, as on a cluster. */
const VALIDATOR_TICKS = 64
const VALIDATOR_SLOT_MS = 400

/** A node's WebSocket is on the port after its JSON-RPC. */
function wsOf(rpc: string): string {
  const { hostname, port } = new URL(rpc)
  return `ws://${hostname}:${Number(port) + 1}`
}

const random = () => randomBytes(32).toString("base64")

export type Server = {
  name: string
  port: number
  pid: number
  /** Puts it under load and returns the measurements. */
  load(order: Omit<Order, "port">): Promise<LoadResult>
  stop(): Promise<void>
}

export type Stage = {
  /** Rows in the database. */
  attestations: number
  databaseUrl: string
  /** Postgres' own log. */
  postgresLog: string
  customers: Customer[]
  /**
   * The real server, started like users start it. `rateLimit` is in requests per second and key; 0 means none.
   * `settings` are added to its environment.
   */
  vouch(options?: { rateLimit: number; settings?: Record<string, string> }): Promise<Server>
  /** Another replica of the last started server. */
  replica(options?: { name: string; settings: Record<string, string> }): Promise<Server>
  bare(): Promise<Server>
  naive(): Promise<Server>
  /** JSON-RPC of the chain. */
  slotMs: number
  /** Further processes; `chain` is null unless a validator serves all. */
  pids: { chain: number | null; database: number; load: number }
  /** JSON-RPC of the server's local network, once it is started. */
  chainUrl(): string
  /** The secret that signs the server's webhooks. */
  webhookSecret: string
  /** Mints the plain way on a separate local network, or on the same validator. Repeated calls use the same one. */
  plainMints(): Promise<Child>
  /** Puts a server under load and returns the measurements. */
  load(order: Order): Promise<LoadResult>
  /** A second load at the same time, from a separate process. */
  loadBeside(order: Order): Promise<LoadResult>
}

export type StageOptions = {
  attestations: number
  /** Whether a commit waits for the disk. */
  durable: boolean
  /** Whether the server's keys sign slowly. */
  slowSigner: boolean
  /** The program of a real validator to use instead of the local network; null for none. */
  validator: string | null
  say: (line: string) => void
}

/**
 * A seeded Postgres in a temporary directory, and a load generator. Servers start on demand. `stop` ends everything
 * that `open` has started.
 */
export function createStage({ attestations, durable, slowSigner, validator: file, say }: StageOptions): {
  open(): Promise<Stage>
  stop(): Promise<void>
} {
  const directory = mkdtempSync(join(tmpdir(), "vouch-bench-"))
  const children: Child[] = []
  // Settings that all replicas share.
  const secrets = {
    VOUCH_SIGNER: random(),
    VOUCH_DATA_KEY: random(),
    VOUCH_WEBHOOK_SECRET: `whsec_${random()}`,
  }
  let localnetPort = 0
  let postgres: RunningPostgres | undefined
  let validator: Validator | undefined
  let plain: Promise<Child> | undefined
  let opening: Promise<Stage> | undefined
  let stopping: Promise<void> | undefined
  return {
    open,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }

  function open(): Promise<Stage> {
    opening ??= prepare()
    return opening
  }

  async function prepare(): Promise<Stage> {
    if (file !== null) {
      say("Starting the validator")
      // A real cluster runs on other machines, so here the validator gets low priority in every comparison.
      validator = await startValidator(file, { ticksPerSlot: VALIDATOR_TICKS, priority: 10 })
    }
    say("Starting Postgres")
    const log = { info: () => {}, warn: say, error: say }
    postgres = await startPostgres({ dataDir: directory, durable, log })
    say(`Seeding ${attestations.toLocaleString("en")} attestations`)
    issueWith(secrets.VOUCH_SIGNER)
    const customers = await seed(postgres.url, attestations)
    const targets = join(directory, "customers.json")
    writeFileSync(targets, JSON.stringify(customers))
    const generator = (name: string) => start({ name, file: "bench/load.ts", args: [targets], directory })
    const first = generator("load")
    let second: Child | undefined
    const databaseUrl = postgres.url
    return {
      attestations,
      databaseUrl,
      postgresLog: join(directory, "postgres.log"),
      customers,
      bare: () => contestant("bare", databaseUrl),
      naive: () => contestant("naive", databaseUrl),
      vouch: ({ rateLimit, settings } = { rateLimit: 0 }) => vouch(databaseUrl, rateLimit, settings),
      replica: (options) => replica(databaseUrl, options),
      chainUrl: () => `http://127.0.0.1:${localnetPort}`,
      pids: { chain: validator?.pid() ?? null, database: postgres.pid, load: first.pid },
      slotMs: validator ? VALIDATOR_SLOT_MS : SLOT_MS,
      webhookSecret: secrets.VOUCH_WEBHOOK_SECRET,
      plainMints() {
        plain ??= startPlainMints()
        return plain
      },
      load: (order) => ask(first, order),
      loadBeside(order) {
        second ??= generator("second load")
        return ask(second, order)
      },
    }
  }

  async function stop(): Promise<void> {
    await opening?.catch(() => {})
    await Promise.all(children.map((child) => child.stop()))
    await postgres?.stop()
    await validator?.stop()
    rmSync(directory, { recursive: true, force: true })
  }

  function start(program: Program): Child {
    if (stopping) throw new Error("The benchmark is being stopped.")
    const child = startChild(program)
    children.push(child)
    return child
  }

  async function serve(program: Omit<Program, "directory">, port: number, ready: string): Promise<Server> {
    say(`Starting ${program.name}`)
    const child = start({ ...program, directory })
    await untilAnswering(child, port, ready)
    const load = async (order: Omit<Order, "port">) => (await open()).load({ ...order, port })
    return { name: program.name, port, pid: child.pid, load, stop: () => child.stop() }
  }

  async function contestant(name: string, databaseUrl: string): Promise<Server> {
    const port = await freePorts(1)
    const environment = {
      NODE_ENV: "production",
      PORT: String(port),
      ORIGIN: `http://localhost:${port}`,
      DATABASE_URL: databaseUrl,
      POOL: String(POOL),
    }
    return serve({ name, file: `bench/${name}.ts`, environment }, port, "/")
  }

  async function vouch(databaseUrl: string, rateLimit: number, more: Record<string, string> = {}): Promise<Server> {
    localnetPort = await freePorts(2)
    const port = await freePorts(1)
    const server = await serve(
      program("vouch", {
        ...settings(databaseUrl, port, rateLimit),
        VOUCH_DATA_DIR: join(directory, "vouch"),
        VOUCH_LOCALNET_PORT: String(localnetPort),
        VOUCH_LOCALNET_SLOT_MS: String(SLOT_MS),
        ...(validator && (await ofValidator(validator))),
        ...more,
      }),
      port,
      "/v1/health",
    )
    // Pages load after the API is up. Wait until they have, before anything is measured.
    const page = await fetch(`http://127.0.0.1:${port}/`)
    await page.arrayBuffer()
    if (!page.ok) throw new Error("The pages are not built: run npm run build.")
    return server
  }

  async function replica(
    databaseUrl: string,
    { name, settings: more }: { name: string; settings: Record<string, string> } = {
      name: "replica",
      settings: {},
    },
  ): Promise<Server> {
    const port = await freePorts(1)
    const environment = {
      ...settings(databaseUrl, port, 0),
      VOUCH_DATA_DIR: join(directory, name),
      SOLANA_RPC_URL: `http://127.0.0.1:${localnetPort}`,
      ...more,
    }
    return serve(program(name, environment), port, "/v1/health")
  }

  function settings(databaseUrl: string, port: number, rateLimit: number) {
    return {
      ...secrets,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      VOUCH_DATABASE_POOL: String(POOL),
      VOUCH_RATE_LIMIT: String(rateLimit),
      VOUCH_LOG_LEVEL: "warn",
    }
  }

  /** A funded fee payer. */
  async function ofValidator({ url }: Validator): Promise<Record<string, string>> {
    const payer = Keypair.generate()
    const keyFile = join(directory, "fee-payer.json")
    writeFileSync(keyFile, JSON.stringify([...payer.secretKey]), { mode: 0o600 })
    const connection = new Connection(url, "confirmed")
    const signature = await connection.requestAirdrop(payer.publicKey, 1000 * LAMPORTS_PER_SOL)
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) })
    // No limit on RPC calls, because the benchmark must not depend on a vendor's limits.
    return { SOLANA_RPC_URL: url, VOUCH_RPC_CALLS_PER_SECOND: "0", VOUCH_LIVE_FEE_PAYER: `file:${keyFile}` }
  }

  function program(name: string, own: Record<string, string>): Omit<Program, "directory"> {
    const { flags, environment } = startScript()
    const file = slowSigner ? "bench/slow-signer.ts" : "server/main.ts"
    return { name, file, nodeOptions: flags, environment: { ...environment, ...own } }
  }

  async function startPlainMints(): Promise<Child> {
    const url = validator?.url ?? (await ownLocalnet())
    const child = start({
      name: "plain",
      file: "bench/plain-mints.ts",
      args: [url, wsOf(url)],
      environment: { NODE_ENV: "production" },
      directory,
    })
    await message(child)
    return child
  }

  async function ownLocalnet(): Promise<string> {
    say("Starting the plain way, and a local network for it")
    const port = await freePorts(2)
    const dataDir = join(directory, "plain-localnet")
    const args = ["--port", String(port), "--data-dir", dataDir, "--slot-ms", String(SLOT_MS)]
    const localnet = start({
      name: "plain-localnet",
      file: "localnet/src/main.ts",
      args,
      directory,
    })
    return (await message<{ url: string }>(localnet)).url
  }
}
