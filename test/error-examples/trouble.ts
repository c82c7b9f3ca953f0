import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { open, sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { keyWait } from "#server/domain/requests/idempotency.ts"
import { bodyBytes } from "#server/http/body.ts"
import { newId } from "#server/lib/ids.ts"
import type { FlakyProxy } from "../doubles/flaky-proxy.ts"
import { newWallet, type TestApp, waitFor } from "../fixtures/app.ts"
import { ask, done, type Example, FUND, SCHEMA, type Scenarios } from "./example.ts"

const start = (key: string) => ({
  method: "POST",
  path: "/kyc/start",
  key,
  json: { userPubkey: newWallet(), schemaId: SCHEMA },
})

const STRIPE_SECRET = `whsec_${"A".repeat(32)}`

/** A vendor that is down. */
export const vendorSettings = {
  VOUCH_TEST_PROVIDER: "stripe",
  VOUCH_TEST_STRIPE_URL: "http://127.0.0.1:9",
  VOUCH_TEST_STRIPE_SECRET_KEY: "rk_test_ForExamplesOnly",
  VOUCH_TEST_STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
}

/** Errors from Vouch's dependencies: its chain and its vendor. */
export const dependencies: Scenarios = {
  chain_unavailable: async (app) => {
    const { apiKey: key } = await app.key()
    const path = `/token/balance/${newWallet()}?mint_config=${FUND}`
    await app.faults({ drop: 1 })
    try {
      return await ask(app, { method: "GET", path, key })
    } finally {
      await app.faults({})
    }
  },
  provider_unavailable: async (app) => {
    const { sessionId } = await app.startSession(await app.key())
    const reference = "vs_1OqS8kLkdIwHu7ix4XWm3b2C"
    await sql`update attestations set provider_reference = ${reference} where session_id = ${sessionId}`
    const created = Math.floor(Date.now() / 1000)
    const body = JSON.stringify({
      id: "evt_1OqSDdLkdIwHu7ixvKbXu4fG",
      type: "identity.verification_session.verified",
      created,
      data: { object: { id: reference, last_error: null } },
    })
    const mac = createHmac("sha256", STRIPE_SECRET).update(`${created}.${body}`).digest("hex")
    const headers = { "content-type": "application/json", "stripe-signature": `t=${created},v1=${mac}` }
    return ask(app, { method: "POST", path: "/kyc/webhook/stripe", headers, body })
  },
}

/** Errors from the server itself, and from its database, which is behind a proxy. */
export const outages = (database: () => FlakyProxy): Scenarios => ({
  internal_error: async (app) => {
    const { apiKey: key } = await app.key()
    await sql`alter table attestations rename column redirect_url to elsewhere`
    try {
      return await ask(app, start(key))
    } finally {
      await sql`alter table attestations rename column elsewhere to redirect_url`
    }
  },
  database_unavailable: async (app) => {
    const { apiKey: key } = await app.key()
    const usage = { method: "GET", path: "/usage", key }
    await done(app, usage)
    await database().cut()
    try {
      return await ask(app, usage)
    } finally {
      await database().mend()
      await waitFor(async () => (await app.request(usage)).status === 200, "the database to be available again")
    }
  },
  idempotency_in_progress: async (app) => {
    const key = await app.key()
    const idempotencyKey = "onboarding-4711"
    const [first, usual] = [open(app.databaseUrl, 1), keyWait.ms]
    keyWait.ms = 200
    const undone = new Error("undone")
    let example: Example | undefined
    await first
      .begin(async (tx) => {
        await tx`
          insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, subject, created_at)
          values (${key.workspaceId}, ${key.keyId}, ${idempotencyKey}, ${Buffer.alloc(32)}, ${newId("sess")}, now())`
        example = await ask(app, { ...start(key.apiKey), idempotencyKey })
        throw undone
      })
      .catch((error) => {
        if (error !== undone) throw error
      })
      .finally(() => first.end())
    keyWait.ms = usual
    return example!
  },
  server_busy: async (app) => {
    const sent = {
      method: "POST",
      path: "/kyc/webhook",
      headers: { "content-type": "application/json" },
      body: '{"type": "verification.completed", …',
    }
    return { sent, response: await firstToGiveWay(app) }
  },
})

/** Sends more unfinished bodies than the server has memory for. Returns the first response. */
async function firstToGiveWay(app: TestApp): Promise<Example["response"]> {
  const texts: string[] = []
  const port = Number(new URL(app.origin).port)
  const sockets = Array.from({ length: 90 }, (_, n) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (n % 6)}` })
    socket.on("error", () => {})
    socket.on("data", (chunk) => void texts.push(String(chunk)))
    const head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 262144\r\n\r\n"
    socket.write(`POST /v1/kyc/webhook HTTP/1.1\r\n${head}${" ".repeat(200 * 1024)}`)
    return socket
  })
  const text = await waitFor(async () => texts.find((one) => one.includes("server_busy")) ?? null, "a refusal")
  for (const socket of sockets) socket.destroy()
  await waitFor(async () => bodyBytes() === 0, "the memory for bodies to be released")
  const [status, body] = [text.slice("HTTP/1.1 ".length).split(" ")[0], text.split("\r\n\r\n")[1]!]
  return { status: Number(status), json: JSON.parse(body) }
}

/** Settings of a public deployment with a low rate limit. */
export const publicSettings = {
  VOUCH_PUBLIC_URL: "https://vouch.example.com",
  VOUCH_TRUSTED_PROXIES: "127.0.0.1",
  VOUCH_ROLE: "web",
  VOUCH_RATE_LIMIT: "1",
}

const overHttps = { host: "vouch.example.com", "x-forwarded-proto": "https" }

/** Errors that only a public deployment returns, some because of its limits. */
export const publicOnly: Scenarios = {
  https_required: async (app) => {
    const { apiKey: key } = await app.key()
    return ask(app, { method: "GET", path: "/usage", key, headers: { host: "vouch.example.com" } })
  },
  rate_limited: async (app) => {
    const { apiKey: key } = await app.key()
    const sent = { method: "GET", path: "/usage", key, headers: overHttps }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(app, sent)))
    return answers.find(({ response }) => response.status === 429)!
  },
  provider_not_configured: async (app) => {
    const { apiKey: key } = await app.key({ mode: "live" })
    return ask(app, { ...start(key), headers: overHttps })
  },
  chain_not_configured: async (app) => {
    const { apiKey: key } = await app.key({ mode: "live" })
    const { live } = deployment.providers
    // As if live mode had a provider.
    deployment.providers.live = deployment.providers.test
    try {
      return await ask(app, { ...start(key), headers: overHttps })
    } finally {
      deployment.providers.live = live
    }
  },
}
