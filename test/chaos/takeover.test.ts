import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, expect, test } from "vitest"
import { readJson } from "#server/embedded/lock.ts"
import { signal } from "#server/embedded/process.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { quietPorts } from "./ports.ts"
import { localnetOf, postmasterOf } from "./processes.ts"
import { prove } from "./proof.ts"
import { newSeed, randomFrom } from "./random.ts"

let deployment: Deployment
afterEach(() => deployment.destroy())

test("after kill -9 the next start takes over the database and the chain, and a second server names the running one", async () => {
  deployment = await createDeployment()
  const { dataDir } = deployment
  const killed = deployment.startServer()
  await deployment.ready(killed)
  const apiKey = await deployment.createKey()
  const customers = newCustomers(deployment, { apiKey, total: 4 })
  await customers.runAll()
  const [postmaster, localnet] = [postmasterOf(dataDir), localnetOf(dataDir)]
  signal(killed.pid, "SIGKILL")
  await killed.exited

  const server = deployment.startServer()
  await deployment.ready(server)
  expect(postmasterOf(dataDir)).toBe(postmaster)
  expect(await until("the local network", () => localnetOf(dataDir))).not.toBe(localnet)
  await prove(deployment, customers)

  const second = deployment.startServer({ PORT: String(await quietPorts(1)) })
  expect(await second.exited).toBe(1)
  expect(second.output()).toContain(`pid ${server.pid}`)
  await deployment.ready(server)
  expect(postmasterOf(dataDir)).toBe(postmaster)
})

test("a server can start after the last one was killed while its local network was starting", async () => {
  deployment = await createDeployment()
  const { dataDir } = deployment
  const killed = deployment.startServer()
  const lock = join(dataDir, "localnet", "lock")
  const { pid } = await until("the lock of the local network", () => readJson<{ pid: number }>(lock))
  // It has locked its directory, but its owner is not recorded yet, and it notices late that its parent has ended.
  signal(pid, "SIGSTOP")
  signal(killed.pid, "SIGKILL")
  await killed.exited
  const next = deployment.startServer()
  await sleep(3000)
  signal(pid, "SIGCONT")
  await deployment.ready(next)
})

test("a server can start after the first start was killed at any point", async () => {
  deployment = await createDeployment()
  const seed = newSeed()
  const random = randomFrom(seed)
  for (let kill = 0; kill < 4; kill++) {
    const server = deployment.startServer()
    await sleep(random.below(2000))
    signal(server.pid, "SIGKILL")
    expect(await server.exited, `seed ${seed}: ${server.output()}`).toBeNull()
  }
  await deployment.ready(deployment.startServer())
  const customers = newCustomers(deployment, { apiKey: await deployment.createKey(), total: 2 })
  await customers.runAll()
  await prove(deployment, customers)
})
