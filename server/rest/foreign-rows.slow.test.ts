import { randomInt } from "node:crypto"
import { Agent, request as httpRequest } from "node:http"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { open } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { type FlakyProxy, flakyProxy } from "#test/doubles/flaky-proxy.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"

// No caller ever sees another's rows, even when database connections fail: pipelined requests of two customers and of
// strangers, while statements time out and connections are ended, cut and stalled.

const SESSIONS = 20
/** Statements of requests wait 2 s for a lock, reads run for 3 s, and a silent connection is given up after 5 s. */
const LONGER_THAN_A_LOCK_MS = 2500
const LONGER_THAN_A_READ_MS = 3500
const LONGER_THAN_ANYBODY_WAITS_MS = 5500

type Customer = { name: string; key: TestKey; sessions: { wallet: string; sessionId: string }[] }

let app: TestApp
let database: FlakyProxy
let customers: Customer[]
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

beforeAll(async () => {
  app = await startTestApp(
    {},
    {
      slowness: 1,
      between: async (url) => {
        database = await flakyProxy(url)
        return database.url
      },
    },
  )
  customers = await Promise.all(
    ["First", "Second"].map(async (name) => {
      const account = await createAccount({ name, plan: "enterprise" })
      const key = await app.key({ account, mode: "live" })
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => app.startSession(key)))
      return { name, key, sessions }
    }),
  )
})
afterAll(async () => {
  agent.destroy()
  await app.stop()
})

type Answer = { status: number; text: string }

function ask(method: string, path: string, key?: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? "" : JSON.stringify(body)
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(text && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(app.origin + path, { method, headers, agent }, (response) => {
      let received = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => {
        received += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode!, text: received }))
      response.on("error", reject)
    })
    sent.on("error", reject)
    sent.end(text)
  })
}

/** The requests of each customer's clients, each with its expected answer. */
const asks: ((customer: Customer, other: Customer) => Promise<string | null>)[] = [
  async ({ name, sessions }) => {
    const { wallet, sessionId } = sessions[randomInt(sessions.length)]!
    const { status, text } = await ask("POST", "/api/trpc/verification.view", undefined, { sessionId })
    if (status !== 200) return unavailable(status, text)
    const { data } = JSON.parse(text).result
    return data.wallet === wallet && data.company === name ? null : `${name}'s page showed ${text}`
  },
  async ({ key, sessions }) => {
    const { wallet } = sessions[randomInt(sessions.length)]!
    const { status, text } = await ask("GET", `/v1/kyc/status/${wallet}`, key.apiKey)
    return status === 200 ? null : unavailable(status, text)
  },
  async ({ name, key }, { sessions }) => {
    // Another customer's wallet is unknown here.
    const { wallet } = sessions[randomInt(sessions.length)]!
    const { status, text } = await ask("GET", `/v1/kyc/status/${wallet}`, key.apiKey)
    if (status === 200) return `${name} saw another's wallet: ${text}`
    return status === 404 ? null : unavailable(status, text)
  },
  async ({ name, key, sessions }) => {
    const own = new Set(sessions.map((session) => session.wallet))
    const { status, text } = await ask("GET", "/v1/attestations?limit=100", key.apiKey)
    if (status !== 200) return unavailable(status, text)
    const foreign = JSON.parse(text).data.find((row: { user_pubkey: string }) => !own.has(row.user_pubkey))
    return foreign ? `${name}'s list had ${JSON.stringify(foreign)}` : null
  },
  async ({ name, key, sessions }) => {
    // The same session again, by the wallet: a different one would be another request's response.
    const { wallet, sessionId } = sessions[randomInt(sessions.length)]!
    const body = { userPubkey: wallet, schemaId: "kyc_individual_v1" }
    const { status, text } = await ask("POST", "/v1/kyc/start", key.apiKey, body)
    if (status !== 200) return unavailable(status, text)
    return JSON.parse(text).session_id === sessionId ? null : `${name} was given ${text} for ${wallet}`
  },
  async ({ name, key }) => {
    const { status, text } = await ask("GET", "/v1/usage", key.apiKey)
    if (status !== 200) return unavailable(status, text)
    return JSON.parse(text).used === SESSIONS ? null : `${name}'s usage was ${text}`
  },
]

/** A database problem is our 503; anything else is another request's response or a bug. */
function unavailable(status: number, text: string): string | null {
  return status === 503 && text.includes("database_unavailable") ? null : `${status} ${text}`
}

/**
 * Asks for health again and again on one connection, without waiting for the answers. Uses a separate address, because
 * unfinished requests are limited per network.
 */
async function floodHealth(isOver: () => boolean): Promise<void> {
  const request = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const port = Number(new URL(app.origin).port)
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" })
      socket.on("error", () => {})
      socket.on("close", () => resolve())
      socket.resume()
      const write = setInterval(() => {
        if (isOver()) socket.destroy()
        else if (socket.writableLength < 65_536) socket.write(request.repeat(50))
      }, 20)
      socket.on("close", () => clearInterval(write))
    })
  }
}

/** Faults of connections, one after another. */
async function trouble(): Promise<void> {
  const admin = open(app.databaseUrl, 2)
  const lockedRows = () =>
    admin.begin(async (tx) => {
      const { workspaceId } = customers[randomInt(2)]!.key
      await tx`select from usage_periods where workspace_id = ${workspaceId} for update`
      await tx`select from attestations where workspace_id = ${workspaceId} for update`
      await sleep(LONGER_THAN_A_LOCK_MS)
    })
  const lockedTable = () =>
    admin.begin(async (tx) => {
      await tx`lock table attestations in access exclusive mode`
      await sleep(LONGER_THAN_A_READ_MS)
    })
  // Ends sessions in the middle of their work.
  const endedSessions = async () => {
    for (let round = 0; round < 5; round++) {
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'vouch' and pid <> pg_backend_pid()
          and query not like 'LISTEN%' and random() < 0.5`.catch(() => {})
      await sleep(100)
    }
  }
  const stalled = async () => {
    database.stall()
    await sleep(LONGER_THAN_ANYBODY_WAITS_MS)
    database.flow()
  }
  const cut = async () => {
    await database.cut()
    await sleep(300)
    await database.mend()
  }
  const sudden = [endedSessions, cut]
  const all = [...sudden, lockedRows, ...sudden, lockedTable, ...sudden, stalled, ...sudden]
  for (const one of all) {
    await one().catch(() => {})
    await sleep(700)
  }
  await admin.end({ timeout: 1 })
}

test("each answer belongs to its caller, even when connections fail", async () => {
  let over = false
  const isOver = () => over
  const wrong: string[] = []
  let answers = 0
  const client = async (n: number) => {
    const customer = customers[n % 2]!
    const other = customers[(n + 1) % 2]!
    while (!isOver()) {
      const found = await asks[randomInt(asks.length)]!(customer, other)
      if (found) wrong.push(found)
      answers++
    }
  }
  await Promise.all([
    ...Array.from({ length: 48 }, (_, n) => client(n)),
    floodHealth(isOver),
    floodHealth(isOver),
    trouble()
      .then(() => waitFor(async () => answers > 1000, "a thousand answers"))
      .finally(() => {
        over = true
      }),
  ])
  expect(wrong.slice(0, 10)).toEqual([])
  // No connection keeps a wrong state.
  for (const [n, customer] of customers.entries()) {
    for (const one of asks) {
      await waitFor(async () => (await one(customer, customers[1 - n]!)) === null, "an answer")
    }
  }
  const health = await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path: "/health" })
    return json.status === "ok" && json
  }, "health to be ok")
  expect(health.checks.database).toBe("ok")
})
