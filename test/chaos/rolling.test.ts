import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Connection, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "#localnet"
import { signal } from "#server/embedded/process.ts"
import { feePayerPurpose, localKeys } from "#server/solana/keys.ts"
import { createEmptyDatabase } from "../fixtures/database.ts"
import { type Response, type Sent, send } from "../fixtures/http.ts"
import { previousRelease, unpack } from "../fixtures/releases.ts"
import { newSigningWallet } from "../fixtures/wallet.ts"
import { approval } from "./customers.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { quietPorts } from "./ports.ts"

// Replaces two replicas behind a load balancer one by one, first with the next version and then with the same one.
// Customers keep working, and no request fails.

const FUND = "us_real_estate_fund_v1"
/** Customers who each do one thing after another. */
const CUSTOMERS = 4
/** The number of wallets to verify and mint to between two steps, at least. */
const BETWEEN = 4

let localnet: Localnet
let deployment: Deployment
let before: string

beforeAll(async () => {
  localnet = await startLocalnet({ port: 0, dataDir: null, slotMs: 50 })
  const signer = randomBytes(32)
  deployment = await createDeployment({
    DATABASE_URL: (await createEmptyDatabase()).url,
    SOLANA_RPC_URL: localnet.url,
    VOUCH_SIGNER: signer.toString("base64"),
    VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
  })
  // Only the embedded network funds itself.
  const connection = new Connection(localnet.url, "confirmed")
  const payer = localKeys(signer)(feePayerPurpose("test")).publicKey
  await connection.requestAirdrop(payer, 1000 * LAMPORTS_PER_SOL)
  before = unpack(previousRelease(), join(deployment.dataDir, "before"))
})
afterAll(async () => {
  await deployment.destroy()
  await localnet.close()
})

type Replica = { server: ServerProcess; port: number }

async function start(cwd?: string): Promise<Replica> {
  const port = await quietPorts(1)
  const changes = { PORT: String(port), VOUCH_DATA_DIR: join(deployment.dataDir, `replica-${port}`) }
  const server = deployment.startServer(changes, [], cwd)
  await deployment.ready(server, { at: port })
  return { server, port }
}

/** A load balancer: removes a replica that refuses connections and sends the request to another. */
class Balancer {
  replicas: Replica[] = []
  requests = 0
  #next = 0

  async ask(sent: Sent): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const replica = this.replicas[this.#next++ % this.replicas.length]!
      try {
        this.requests++
        return await send(`http://127.0.0.1:${replica.port}`, sent)
      } catch (error) {
        // The port was closed, so the request was not sent.
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED" || tries === 10) throw error
        await sleep(20)
      }
    }
  }
}

/** Verifies wallets and mints to them, one after another, until stopped. Rejects at the first failed request. */
class Load {
  /** Wallets that have one token each, according to the responses. */
  minted = 0
  isOver = false
  readonly #balancer: Balancer
  readonly #key: string

  constructor(balancer: Balancer, key: string) {
    this.#balancer = balancer
    this.#key = key
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CUSTOMERS }, () => this.#customer()))
  }

  async #customer(): Promise<void> {
    while (!this.isOver) {
      const wallet = newSigningWallet().address
      const started = await this.#ask({
        method: "POST",
        path: "/kyc/start",
        json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
        idempotencyKey: wallet,
      })
      await this.#ask(approval(deployment.webhookSecret, started.json.session_id, `evt-${wallet}`))
      await this.#until(`/kyc/status/${wallet}`, ({ status }) => status === "verified")
      const minted = await this.#ask({
        method: "POST",
        path: "/token/mint",
        json: { user_pubkey: wallet, mint_config: FUND, amount: "1" },
        idempotencyKey: `mint-${wallet}`,
      })
      await this.#until(`/token/operation/${minted.json.operation_id}`, ({ status }) => status === "confirmed")
      this.minted++
    }
  }

  async #until(path: string, holds: (json: { status: string }) => boolean): Promise<void> {
    await until(path, async () => {
      await sleep(50)
      return holds((await this.#ask({ method: "GET", path })).json)
    })
  }

  async #ask(sent: Sent): Promise<Response> {
    const response = await this.#balancer.ask({ key: this.#key, ...sent })
    if (response.status >= 300) throw new Error(`${sent.method} ${sent.path}: ${response.status} ${response.text}`)
    return response
  }
}

test("two replicas can be upgraded and then restarted, one after the other, without a failed request", async () => {
  const balancer = new Balancer()
  balancer.replicas = [await start(before), await start(before)]
  const key = await deployment.createKey("rolling", {}, before)
  const load = new Load(balancer, key)
  const working = load.run()
  // A failure is thrown at the next wait.
  let failure: unknown = null
  working.catch((error) => {
    failure = error
  })
  const more = async () => {
    const from = load.minted
    await until("customers to continue", () => {
      if (failure) throw failure
      return load.minted >= from + BETWEEN
    })
  }
  await more()
  for (const n of [0, 1, 0, 1]) {
    // The new replica starts before the old one stops, so there are always two. At first the other one still runs the
    // previous version.
    const [old, next] = [balancer.replicas[n]!, await start()]
    balancer.replicas = [...balancer.replicas, next]
    await more()
    signal(old.server.pid, "SIGTERM")
    balancer.replicas = balancer.replicas.filter((one) => one !== old)
    expect(await old.server.exited, old.server.output().slice(-2000)).toBe(0)
    await more()
  }
  load.isOver = true
  await working
  const { json } = await balancer.ask({ method: "GET", path: `/mint-config/${FUND}`, key })
  expect(json.supply).toBe(String(load.minted))
  console.log(JSON.stringify({ minted: load.minted, requests: balancer.requests }))
  for (const { server } of balancer.replicas) {
    signal(server.pid, "SIGTERM")
    expect(await server.exited).toBe(0)
  }
})
