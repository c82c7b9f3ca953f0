import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { sql } from "#db/client.ts"
import { subscribe } from "#db/pubsub.ts"
import { type FaultyChain, startFaultyChain } from "../doubles/faulty-chain.ts"
import { startConsumer } from "../doubles/webhook-consumer.ts"
import { startTestApp, type TestApp, waitFor } from "../fixtures/app.ts"
import { createTestDatabase } from "../fixtures/database.ts"
import { member } from "../fixtures/people.ts"
import { tokenFixture } from "../fixtures/tokens.ts"
import { followsPrepared, Machine, startPgbouncer } from "./processes.ts"

// The main journey on Debian's Postgres 15 over TLS, directly and behind PgBouncer in transaction mode.

let machine: Machine
let through: (url: string) => string
let cluster: FaultyChain
let app: TestApp

beforeAll(async () => {
  machine = new Machine(inject("machine"))
  through = await startPgbouncer(machine, { port: Number(new URL(inject("postgresUrl")).port) })
  cluster = await startFaultyChain()
})
afterAll(async () => {
  await cluster.close()
  await machine.close()
})

test.each([
  ["by TLS", false],
  ["behind PgBouncer", true],
])(
  "%s: verify, mint, transfer, get webhooks, sign in and run under load, with everything kept after a restart",
  async (_how, isPooled) => {
    const { url: direct } = await createTestDatabase()
    const url = isPooled ? through(direct) : direct
    const settings = {
      VOUCH_SIGNER: randomBytes(32).toString("base64"),
      VOUCH_DATA_KEY: randomBytes(32).toString("base64"),
      VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8",
      SOLANA_RPC_URL: cluster.node.url,
      DATABASE_URL: url,
      ...(isPooled && { DATABASE_DIRECT_URL: direct }),
    }
    app = await startTestApp(settings, { between: () => url })
    await cluster.fundFeePayers()
    const key = await app.key({ plan: "growth" })
    const { post, get, config, mint, transfer, wallets, onChain } = tokenFixture(app, key)

    // Every connection is encrypted, except the pooler's own.
    const [session] = await sql`select ssl, version from pg_stat_ssl where pid = pg_backend_pid()`
    expect(session).toEqual({ ssl: true, version: "TLSv1.3" })

    // Webhooks
    const consumer = await startConsumer()
    const { json: endpoint } = await post("/webhook-endpoints", {
      url: consumer.url,
      types: ["attestation.verified"],
    })
    consumer.expect(endpoint.secret)

    // Many requests at once, so that every connection gets statements
    const [from, to, ...others] = await wallets(24)
    const fund = await config()
    expect(await mint(fund, from, 1000)).toMatchObject({ status: 200, json: { status: "confirmed" } })
    const transfers = await Promise.all([to, ...others].map((wallet) => transfer(fund, from, wallet, 10)))
    expect(new Set(transfers.map(({ json }) => json.status))).toEqual(new Set(["confirmed"]))
    expect(await onChain(fund, to)).toBe(10n)
    await waitFor(async () => consumer.received.length >= 24, "webhooks")
    expect(consumer.refused()).toBe(0)
    await consumer.close()

    const { json: events } = await get("/events?limit=1000")
    const sequences = events.data.map(({ sequence }: { sequence: number }) => sequence)
    expect(sequences).toEqual(sequences.map((_: number, n: number) => n + 1))

    // LISTEN and NOTIFY, from another process of the deployment
    let heard = 0
    const leave = subscribe("settled", () => heard++)
    await sql`select pg_notify('vouch', 'another-process settled')`
    await expect.poll(() => heard).toBeGreaterThan(0)
    leave()

    // Signing in with better-auth
    const { browser } = await member(app)
    expect((await browser.fetch("/api/auth/get-session")).status).toBe(200)

    // Statements are prepared if the pooler tracks them
    const prepared = await sql<{ name: string }[]>`select name from pg_prepared_statements`
    if (isPooled && !followsPrepared(machine)) expect(prepared.filter(({ name }) => /\d{3,}/.test(name))).toEqual([])
    if (isPooled && followsPrepared(machine)) expect(prepared.map(({ name }) => name).join()).toContain("PGBOUNCER_")

    await app.stop()
    app = await startTestApp(settings, { between: () => url })
    const later = tokenFixture(app, key)
    expect((await later.get(`/kyc/status/${to}`)).json.status).toBe("verified")
    expect((await later.get("/events?limit=1000")).json.data.slice(0, sequences.length)).toEqual(events.data)
    await app.stop()
  },
  120_000,
)
