import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { readJson } from "#server/embedded/lock.ts"
import { signal } from "#server/embedded/process.ts"
import type { Announcement } from "#server/embedded/services.ts"
import { newSigningWallet } from "../fixtures/wallet.ts"
import { assert } from "./assert.ts"
import { newClient } from "./client.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { killPostgres } from "./fault-injector.ts"
import { randomFrom } from "./random.ts"
import { Receiver } from "./receivers.ts"

/** Sessions started at a time; each causes two events. */
const CUSTOMERS = 8
/** Sessions allowed per month. */
const FEW = 200
/** A delivery that waits longer has failed twice. The test skips its five-minute delay. */
const LONG_S = 60

export type DeliveriesRun = { events: number; kills: number; seed: number; say: (text: string) => void }

/**
 * Sends events to three endpoints while the server, a second worker, Postgres and the consumers are killed, stopped or
 * unavailable. Each consumer gets every event of `GET /events`, and the ordered endpoint gets them in order.
 */
export async function deliveries({ events, kills, seed, say }: DeliveriesRun) {
  const random = randomFrom(seed)
  const secret = () => randomBytes(32).toString("base64")
  const deployment = await createDeployment({
    ...{ VOUCH_SIGNER: secret(), VOUCH_DATA_KEY: secret(), VOUCH_WEBHOOK_NETWORKS: "127.0.0.1" },
  })
  const receivers = [
    new Receiver("steady", { random, troubled: 0 }),
    new Receiver("troubled", { random, troubled: 0.05 }),
    new Receiver("ordered", { random, troubled: 0.005 }),
  ]
  try {
    let server = deployment.startServer()
    await deployment.ready(server)
    const client = newClient(deployment, await deployment.createKey())
    for (const receiver of receivers) {
      await receiver.open()
      const json = { url: receiver.url, ordered: receiver.name === "ordered" }
      const made = await client.insist({
        method: "POST",
        path: "/webhook-endpoints",
        key: client.apiKey,
        json,
      })
      receiver.believe(made.json.secret)
    }
    let worker = startWorker(deployment)
    let begun = 0
    const sessions = Math.ceil(events / 2)
    const work = Promise.all(
      Array.from({ length: CUSTOMERS }, async () => {
        while (begun < sessions && !client.isStopped) {
          begun++
          if (begun % FEW === 0) await startAMonth(deployment)
          const json = { userPubkey: newSigningWallet().address, schemaId: "kyc_individual_v1" }
          await client.insist({ method: "POST", path: "/kyc/start", key: client.apiKey, json })
        }
      }),
    )
    // A failure is thrown at the next wait.
    let failure: unknown = null
    work.catch((error) => {
      failure = error
    })
    for (let n = 1; n <= kills; n++) {
      await until("part of the work to be done", () => {
        if (failure) throw failure
        return begun >= (sessions * n) / (kills + 1)
      })
      let hit: string = random.pick(["server", "worker", "postgres", "stopped", "consumer"] as const)
      if (hit === "consumer") await random.pick(receivers).away(random.below(3000))
      else if (hit === "postgres") hit = await killPostgres(deployment.dataDir, random)
      else if (hit === "stopped") {
        signal(worker.pid, "SIGSTOP")
        await sleep(random.below(4000))
        signal(worker.pid, "SIGCONT")
      } else {
        const victim = hit === "server" ? server : worker
        signal(victim.pid, "SIGKILL")
        await victim.exited
        if (hit === "worker") worker = startWorker(deployment)
        else {
          server = deployment.startServer()
          await deployment.ready(server)
        }
      }
      say(`${n}. hit: ${hit}; ${deliveredTo(receivers)} of ${2 * begun} events`)
    }
    await work
    const last = await until("all events to be numbered", async () => {
      const { json } = await client.read("/events?limit=1")
      return json.last_sequence === 2 * sessions && (json.last_sequence as number)
    })
    await until(
      "every consumer to have every event",
      async () => {
        await letTimePass(deployment)
        return receivers.every(({ kept }) => kept.size === last)
      },
      600_000,
    )
    await prove(deployment, receivers, (path) => client.read(path).then(({ json }) => json))
    const repeats = Object.fromEntries(receivers.map(({ name, repeats }) => [name, repeats]))
    client.stop()
    for (const one of [worker, server]) {
      signal(one.pid, "SIGTERM")
      await one.exited
    }
    return { events: last, repeats, retries: Object.fromEntries(client.retries) }
  } finally {
    await deployment.destroy()
    await Promise.all(receivers.map((receiver) => receiver.close()))
  }
}

/** A test workspace may start 500 sessions a month, and gets an event at 400. */
const startAMonth = ({ query }: Deployment) =>
  until("the month's count to be reset", () =>
    query((sql) => sql`update usage_periods set used = 0, started = 0`).then(
      () => true,
      () => false,
    ),
  )

const deliveredTo = (receivers: readonly Receiver[]) =>
  receivers.map(({ name, kept }) => `${name} has ${kept.size}`).join(", ")

const startWorker = (deployment: Deployment) =>
  deployment.startServer({
    VOUCH_ROLE: "worker",
    VOUCH_DATA_DIR: join(deployment.dataDir, "worker"),
    DATABASE_URL: readJson<Announcement>(join(deployment.dataDir, "services.json"))!.databaseUrl,
    SOLANA_RPC_URL: deployment.rpcUrl,
  })

const letTimePass = ({ query }: Deployment) =>
  query(
    (sql) => sql`
      update webhook_deliveries set next_attempt_at = now()
      where status = 'pending' and next_attempt_at > now() + ${LONG_S} * interval '1 second'`,
  ).catch(() => null)

async function prove(
  deployment: Deployment,
  receivers: readonly Receiver[],
  read: (path: string) => Promise<{ data: { sequence: number }[]; last_sequence: number }>,
): Promise<void> {
  const events = new Map<number, unknown>()
  for (let after = 0; ; ) {
    const { data } = await read(`/events?after=${after}&limit=1000`)
    for (const event of data) events.set(event.sequence, event)
    if (data.length === 0) break
    after = data.at(-1)!.sequence
  }
  for (const { name, kept, forged } of receivers) {
    assert(forged === 0, () => `${name} got ${forged} that were not signed by its secret`)
    const missing = [...events.keys()].filter((sequence) => !kept.has(sequence))
    assert(missing.length === 0 && kept.size === events.size, () => `${name} lacks ${missing.join(", ")}`)
    for (const [sequence, body] of kept)
      assert(
        isDeepStrictEqual(JSON.parse(body), events.get(sequence)),
        () => `${name}: event ${sequence} was sent as ${body}`,
      )
  }
  const order = [...receivers.find(({ name }) => name === "ordered")!.kept.keys()]
  const wrong = order.findIndex((sequence, i) => sequence !== i + 1)
  assert(wrong < 0, () => `in order, ${order[wrong]} arrived as number ${wrong + 1}`)
  await until("all deliveries to be recorded", () =>
    deployment.query(async (sql) => {
      await letTimePass(deployment)
      return (await sql`select from webhook_deliveries where status <> 'delivered' limit 1`).length === 0
    }),
  )
}
