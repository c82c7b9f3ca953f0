import { afterAll, beforeAll, expect, test } from "vitest"
import { signal } from "#server/embedded/process.ts"
import { newClient } from "./client.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { FUND, Issuer, operationIdOf } from "./issuer.ts"
import { allVerified, audit } from "./proof.ts"
import { newSeed, type Random, randomFrom } from "./random.ts"
import { Backups } from "./restore.ts"

// Long commands that change data are interrupted at any point, by Ctrl-C or a kill, and run again.

const CONFIGS = 4
const MINTS = 24
const INTERRUPTIONS = 3
/** Longer than a command takes to start. */
const LONGEST_MS = 2000

let deployment: Deployment
let server: ServerProcess
let apiKey: string
let wallets: string[]
let random: Random

beforeAll(async () => {
  random = randomFrom(newSeed())
  deployment = await createDeployment({ VOUCH_LOCALNET_SLOT_MS: "20" })
  server = deployment.startServer()
  await deployment.ready(server)
  apiKey = await deployment.createKey()
  const customers = newCustomers(deployment, { apiKey, total: 4 })
  await customers.runAll()
  await allVerified(customers)
  wallets = customers.cases.map(({ wallet }) => wallet)
})
afterAll(() => deployment.destroy())

/** Interrupts a command again and again. */
async function interrupted(argv: string[]): Promise<void> {
  for (let n = 0; n < INTERRUPTIONS; n++) {
    const after_ms = random.below(LONGEST_MS)
    await deployment.command(argv, {}, { signal: n % 2 === 0 ? "SIGINT" : "SIGKILL", after_ms })
  }
}

function issue(total: number) {
  const issuer = new Issuer({ client: newClient(deployment, apiKey), wallets, total })
  issuer.release(total)
  return { issuer, done: issuer.run() }
}

const statuses = (ids: string[]) =>
  deployment.query(
    (sql) => sql<{ status: string; count: number }[]>`
      select status, count(*)::int as count from operations where id = any(${ids}) group by 1`,
  )

test("a key is replaced correctly, however often the command is interrupted while others mint", async () => {
  const client = newClient(deployment, apiKey)
  for (let n = 0; n < CONFIGS; n++) {
    const json = { id: `moved_${n}`, name: "Moved", symbol: "MVD", required_schema: "kyc_individual_v1" }
    await client.insist({
      method: "POST",
      path: "/mint-configs",
      key: apiKey,
      json: { ...json, decimals: 0 },
    })
  }
  const [workspace] = await deployment.query(
    (sql) => sql<{ id: string }[]>`select id from workspaces where mode = 'test' order by created_at desc limit 1`,
  )
  const { issuer, done } = issue(MINTS)
  const set = ["signer", "set", workspace!.id, "derived:2", "--json"]
  await interrupted(set)
  const { exitCode, stdout, stderr } = await deployment.command(set)
  expect([exitCode, stderr.includes("Nothing was changed")], stderr).toEqual([0, false])
  const state = JSON.parse(stdout) as { done: boolean; moved: number; mints: number }
  expect([state.done, state.moved]).toEqual([true, state.mints])
  await done
  await issuer.settle()
  const ids = issuer.orders.map(operationIdOf)
  expect(await statuses(ids)).toEqual([{ status: "confirmed", count: ids.length }])
  const changes = await deployment.query((sql) => sql`select detail from audit_entries where action = 'signer.set'`)
  expect(changes).toHaveLength(1)
  await audit(deployment)
})

test("a restored database is compared once, however often the command is interrupted", async () => {
  const backups = new Backups(deployment)
  const before = issue(5)
  await before.done
  const backup = await backups.make()
  const lost = issue(MINTS)
  await lost.done
  const ids = [...before.issuer.orders, ...lost.issuer.orders].map(operationIdOf)
  signal(server.pid, "SIGKILL")
  await server.exited
  await backups.putBack(backup)
  await interrupted(["ledger", "reconcile", "--json"])
  await backups.settle()
  server = deployment.startServer()
  await deployment.ready(server)
  const record = async () => (await newClient(deployment, apiKey).read(`/mint-config/${FUND}`)).json
  await until("everything to be in the books", async () => {
    const [one, ...others] = await statuses(ids)
    return one?.status === "confirmed" && one.count === ids.length && others.length === 0
  })
  expect((await record()).paused).toBe(false)
  const again = issue(3)
  await again.done
  await audit(deployment)
})
