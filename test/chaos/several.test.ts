import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Connection, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "#localnet"
import { signal } from "#server/embedded/process.ts"
import { feePayerPurpose, localKeys } from "#server/solana/keys.ts"
import { createTestDatabase } from "../fixtures/database.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { prove } from "./proof.ts"

let localnet: Localnet
let deployment: Deployment

beforeAll(async () => {
  localnet = await startLocalnet({ port: 0, dataDir: null, slotMs: 50, allowFaults: true })
  const signer = randomBytes(32)
  deployment = await createDeployment({
    DATABASE_URL: (await createTestDatabase()).url,
    SOLANA_RPC_URL: localnet.url,
    VOUCH_SIGNER: signer.toString("base64"),
    VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
  })
  // Only the embedded network funds itself.
  const connection = new Connection(localnet.url, "confirmed")
  await connection.requestAirdrop(localKeys(signer)(feePayerPurpose("test")).publicKey, 1000 * LAMPORTS_PER_SOL)
})
afterAll(async () => {
  await deployment.destroy()
  await localnet.close()
})

test("a web process without VOUCH_SIGNER and two workers do nothing twice when one worker dies", async () => {
  // It starts first, and waits until a worker has recorded the public keys.
  const asWeb = { VOUCH_ROLE: "web", VOUCH_SIGNER: "" }
  const web = deployment.startServer(asWeb)
  const workers = [1, 2].map(() => deployment.startServer({ VOUCH_ROLE: "worker" }))
  await deployment.ready(web)
  const apiKey = await deployment.createKey()
  const others = await deployment.command(["account", "create", "--name", "Acme", "--plan", "free"], asWeb)
  expect(others).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("has no VOUCH_SIGNER") })
  const customers = newCustomers(deployment, { apiKey, total: 60 })
  const issuing = customers.runAll()
  await until("work to be in progress", () => customers.approved >= 20)
  await deployment.localnet("localnet_setFaults", { land_without_answer: 0.3, drop: 0.3 })
  await sleep(500)
  signal(workers[0]!.pid, "SIGKILL")
  workers[0] = deployment.startServer({ VOUCH_ROLE: "worker" })
  await issuing
  await deployment.localnet("localnet_setFaults", {})
  await prove(deployment, customers)

  for (const server of [...workers, web]) {
    signal(server.pid, "SIGTERM")
    expect(await server.exited, server.output()).toBe(0)
  }
})
