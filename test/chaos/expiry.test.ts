import { setTimeout as sleep } from "node:timers/promises"
import { Connection } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { signal } from "#server/embedded/process.ts"
import { type Customers, newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { allVerified, prove } from "./proof.ts"

/** Long enough for a worker to wrongly give up a transaction: it checks every second. */
const SEVERAL_CHECKS_MS = 2500

let deployment: Deployment
let server: ServerProcess
let customers: Customers
/** The number of cases used: each test takes the next one. */
let released = 0

beforeAll(async () => {
  // Slots as long as on a cluster, so that only a warp expires anything, even on a slow machine.
  deployment = await createDeployment({ VOUCH_LOCALNET_SLOT_MS: "400" })
  server = deployment.startServer()
  await deployment.ready(server)
  customers = newCustomers(deployment, { apiKey: await deployment.createKey(), total: 4 })
  // The first case creates the credential's mint, so that the others are single transactions.
  await next()
  await allVerified(customers)
})
afterAll(() => deployment.destroy())

test("a lost transaction is signed again only when it can no longer land, and lands once", async () => {
  await deployment.localnet("localnet_hold", { on: true })
  const { sessionId } = await next()
  const lost = await theTransaction(sessionId!)
  const isWaitedFor = async () => {
    await sleep(SEVERAL_CHECKS_MS)
    expect(await transactionsOf(sessionId!)).toEqual([{ signature: lost, status: "saved" }])
  }
  await isWaitedFor()
  // A blockhash is valid for 150 blocks. Just after that, the transaction could still have landed in a block that is
  // not final.
  await deployment.localnet("localnet_warp", { slots: 155 })
  await isWaitedFor()
  await deployment.localnet("localnet_warp", { slots: 31 })
  await until("the expiry", async () => (await transactionsOf(sessionId!))[0]?.status === "expired")
  await deployment.localnet("localnet_hold", { on: false })
  await allVerified(customers)
  const [first, ...later] = await transactionsOf(sessionId!)
  expect(first).toEqual({ signature: lost, status: "expired" })
  expect(later).toMatchObject([{ status: "confirmed" }])
})

test("a transaction that landed unnoticed is found, however late, and not signed again", async () => {
  const { sessionId, signature } = await landedUnseen()
  // Past its last valid height, and so long ago that a status query must search the history.
  await deployment.localnet("localnet_warp", { slots: 1000 })
  // None of the worker's calls gets a response.
  await sleep(SEVERAL_CHECKS_MS)
  expect(await transactionsOf(sessionId)).toEqual([{ signature, status: "saved" }])

  await deployment.localnet("localnet_setFaults", {})
  await allVerified(customers)
  expect(await transactionsOf(sessionId)).toEqual([{ signature, status: "confirmed" }])
})

test("a transaction that landed unnoticed before kill -9 is found by the next server", async () => {
  const { sessionId, signature } = await landedUnseen()
  signal(server.pid, "SIGKILL")
  await server.exited
  server = deployment.startServer()
  await deployment.ready(server)
  await allVerified(customers)
  expect(await transactionsOf(sessionId)).toEqual([{ signature, status: "confirmed" }])
})

test("in the end the chain agrees with the database", () => prove(deployment, customers), 120_000)

/** Starts and approves the next case. */
async function next() {
  const one = customers.cases[released++]!
  await customers.start(one)
  await customers.approve(one)
  return one
}

/** The next case, with its transaction landed on a network that executes but does not respond. */
async function landedUnseen() {
  // Signing needs responses. So the first transaction sent is lost, and the same bytes land when sent again.
  await deployment.localnet("localnet_hold", { on: true })
  const { sessionId } = await next()
  const signature = await theTransaction(sessionId!)
  const seen = landing(signature)
  await deployment.localnet("localnet_setFaults", { land_without_answer: 1 })
  await deployment.localnet("localnet_hold", { on: false })
  await seen
  return { sessionId: sessionId!, signature }
}

/** Waits until the session's attest is signed and saved. Returns its signature. */
const theTransaction = (sessionId: string): Promise<string> =>
  until("its transaction", async () => (await transactionsOf(sessionId))[0]?.signature)

/** The transactions that have carried a session's attest operation, oldest first. */
const transactionsOf = (sessionId: string) =>
  deployment.query(async (sql) => [
    ...(await sql<{ signature: string; status: string }[]>`
      select t.signature, t.status from attestations a
      join transactions t on t.workspace_id = a.workspace_id
        and exists (select from jsonb_array_elements(t.layout) l where l ->> 0 = a.operation_id)
      where a.session_id = ${sessionId} order by t.created_at`),
  ])

/** Waits for a landing by WebSocket, which the faults do not affect. */
async function landing(signature: string): Promise<void> {
  const connection = new Connection(deployment.rpcUrl, {
    commitment: "confirmed",
    wsEndpoint: `ws://127.0.0.1:${deployment.localnetPort + 1}`,
  })
  await new Promise<void>((resolve) => connection.onSignature(signature, () => resolve()))
  const { _rpcWebSocket } = connection as unknown as {
    _rpcWebSocket: { close(): void; setAutoReconnect(on: boolean): void }
  }
  _rpcWebSocket.setAutoReconnect(false)
  _rpcWebSocket.close()
}
