import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Connection, Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "#localnet"
import { signal } from "#server/embedded/process.ts"
import { feePayerPurpose, localKeys } from "#server/solana/keys.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { createTestDatabase } from "../fixtures/database.ts"
import { type Sent, send } from "../fixtures/http.ts"
import { newClient } from "./client.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { FUND, Issuer } from "./issuer.ts"
import { quietPorts } from "./ports.ts"
import { allVerified } from "./proof.ts"
import { proveTokens } from "./token-proof.ts"

// A paused process does more harm than a dead one: its connections stay open and keep their locks.

const CUSTOMERS = 3
const WALLETS = 6
/** Mints per customer and wave, on the server that will be paused and on the other one. */
const MINTS = { stopped: 100, other: 30 }

/** Names what a test that hangs waits for. */
async function inTime<T>(what: string, result: Promise<T>): Promise<T> {
  const late = new AbortController()
  const timeout = sleep(LONGEST_MS, null, { signal: late.signal }).then(() => {
    throw new Error(`Timed out waiting for ${what}`)
  })
  return Promise.race([result, timeout]).finally(() => late.abort())
}
const LONGEST_MS = 180_000

type Customer = { apiKey: string; wallets: string[] }

let localnet: Localnet
let deployment: Deployment
let database: postgres.Sql
let otherPort: number

beforeAll(async () => {
  localnet = await startLocalnet({ port: 0, dataDir: null, slotMs: 50, allowFaults: true })
  const signer = randomBytes(32)
  const { url } = await createTestDatabase()
  database = postgres(url, { ...socketOptions(url), max: 2 })
  deployment = await createDeployment({
    DATABASE_URL: url,
    SOLANA_RPC_URL: localnet.url,
    VOUCH_SIGNER: signer.toString("base64"),
    VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
  })
  otherPort = await quietPorts(1)
  const connection = new Connection(localnet.url, "confirmed")
  await connection.requestAirdrop(localKeys(signer)(feePayerPurpose("test")).publicKey, 1000 * LAMPORTS_PER_SOL)
})
afterAll(async () => {
  await deployment.destroy()
  await database.end({ timeout: 5 })
  await localnet.close()
})

async function newCustomer(name: string): Promise<Customer> {
  const apiKey = await deployment.createKey(name)
  const customers = newCustomers(deployment, { apiKey, total: WALLETS })
  await customers.runAll()
  await inTime(`the wallets of ${name}`, allVerified(customers))
  return { apiKey, wallets: customers.cases.map(({ wallet }) => wallet) }
}

function issue(origin: string, { apiKey, wallets }: Customer, total: number) {
  const issuer = new Issuer({ client: newClient({ origin }, apiKey), wallets, total })
  issuer.release(total)
  return { issuer, done: issuer.run() }
}

/** Holds locks in a transaction, and returns what ends it. */
async function lockRows(lock: (sql: postgres.TransactionSql) => Promise<unknown>): Promise<() => Promise<void>> {
  const [locked, over] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()]
  const holding = database.begin(async (sql) => {
    await lock(sql)
    locked.resolve(true)
    await over.promise
  })
  holding.catch((error: { code?: string }) => {
    // Postgres ends this transaction if a server's waits for it and it for that one.
    if (error.code === "40P01") locked.resolve(false)
    else locked.reject(error)
  })
  if (!(await inTime("rows to lock", locked.promise))) return lockRows(lock)
  return async () => {
    over.resolve()
    await holding
  }
}

/**
 * Pauses the process inside a transaction that holds a customer's rows and waits for nothing. It waits for the wallets'
 * locks when it is paused, and gets them after that.
 */
async function stopInTransaction(server: ServerProcess): Promise<void> {
  await until("the server to be caught in a transaction", async () => {
    const unlock = await lockRows(
      (sql) => sql`
      select from holdings order by workspace_id, mint_config, wallet for update`,
    )
    await until("a transaction to wait for the wallets' locks", async () => {
      const waiting = await database`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    signal(server.pid, "SIGSTOP")
    await unlock()
    // The other server's transactions continue, if any waited.
    await sleep(300)
    const held = await database`
      select from pg_stat_activity a
      where a.datname = current_database() and a.state = 'idle in transaction' and a.state_change < now() - interval '200 ms'
        and exists (select from pg_locks l where l.pid = a.pid and l.granted
          and l.relation in ('mint_configs'::regclass, 'holdings'::regclass, 'operations'::regclass)
          and l.mode in ('RowShareLock', 'RowExclusiveLock'))`
    if (held.length > 0) return true
    signal(server.pid, "SIGCONT")
    return false
  })
}

test("while one of two servers is paused in a transaction, the other answers every customer, and nothing is done twice", async () => {
  const stopped = deployment.startServer()
  await deployment.ready(stopped)
  const other = deployment.startServer({ PORT: String(otherPort) })
  await deployment.ready(other, { at: otherPort })
  const origin = `http://127.0.0.1:${otherPort}`
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, (_, n) => newCustomer(`customer-${n}`)))
  const [held, ...free] = customers as [Customer, ...Customer[]]

  // Sends waves until the server is caught: a fast machine could finish any fixed number before that.
  const atStopped: ReturnType<typeof issue>[][] = []
  let isCaught = false
  const waves = async () => {
    while (!isCaught) {
      const wave = customers.map((one) => issue(deployment.origin, one, MINTS.stopped))
      atStopped.push(wave)
      await Promise.all(wave.map(({ done }) => done))
    }
  }
  const allWaves = waves()
  await until("mints at the server that will be stopped", () => atStopped[0]!.every(({ issuer }) => issuer.done > 3))
  await stopInTransaction(stopped)
  isCaught = true

  // Another transaction also holds all locks that one customer's requests need.
  const unlock = await lockRows(async (sql) => {
    const mine = sql`
      select w.id from workspaces w join accounts a on a.id = w.account_id where a.name = 'customer-0'`
    await sql`select id from mint_configs where workspace_id in (${mine}) for update`
    await sql`select used from usage_periods where workspace_id in (${mine}) for update`
  })

  const ask = (sent: Sent) => send(origin, sent)
  const mint = (): Sent => ({
    method: "POST",
    path: "/token/mint",
    key: held.apiKey,
    json: { user_pubkey: held.wallets[0], mint_config: FUND, amount: "1" },
  })
  const start = (): Sent => ({
    method: "POST",
    path: "/kyc/start",
    key: held.apiKey,
    json: { userPubkey: Keypair.generate().publicKey.toBase58(), schemaId: "kyc_individual_v1" },
  })
  const asked = Promise.all(Array.from({ length: 40 }, (_, n) => ask(n % 2 ? mint() : start())))
  const refused = await inTime("requests that need the locked rows to be refused", asked)
  for (const { status, json } of refused) {
    expect([status, json.error]).toEqual([503, "database_unavailable"])
  }

  // All other customers' work completes while the process is paused and the customer's rows are locked.
  const atOther = free.map((one) => issue(origin, one, MINTS.other))
  await inTime("the mints of customers with free rows", Promise.all(atOther.map(({ done }) => done)))
  for (const { apiKey, wallets } of customers) {
    expect((await ask({ method: "GET", path: `/kyc/status/${wallets[0]}`, key: apiKey })).status).toBe(200)
    expect((await ask({ method: "GET", path: "/token/operations", key: apiKey })).status).toBe(200)
  }
  expect((await ask({ method: "GET", path: "/health" })).status).toBe(200)

  await unlock()
  const heldAtOther = issue(origin, held, MINTS.other)
  await inTime("the mints of the customer whose rows were locked", heldAtOther.done)

  signal(stopped.pid, "SIGCONT")
  await inTime("the mints at the server that continues", allWaves)
  const everyone = [heldAtOther, ...atOther]
  for (const [n, { apiKey, wallets }] of customers.entries()) {
    const orders = [...atStopped.map((wave) => wave[n]!), everyone[n]!].flatMap(({ issuer }) => issuer.orders)
    const client = newClient(deployment, apiKey)
    await inTime("the proof of a customer's mints", proveTokens(deployment, { client, wallets, orders }))
  }
  for (const server of [stopped, other]) {
    signal(server.pid, "SIGTERM")
    expect(await inTime("a server to end", server.exited), server.output()).toBe(0)
  }
})
