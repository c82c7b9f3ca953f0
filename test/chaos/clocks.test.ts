import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"
import { newSeed, randomFrom } from "./random.ts"

// Two replicas of one deployment mint while one replica's clock is wrong.

const HOUR = 3600
const MINTS = 24

let app: TestApp
let key: TestKey
let tokens: TokenFixture
let config: string
let wallets: string[]
let replica: ShiftedServer | null = null
let minted = 0

beforeAll(async () => {
  app = await startTestApp()
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
  wallets = await tokens.wallets(3)
})
afterEach(async () => {
  await replica?.kill()
  replica = null
})
afterAll(() => app.stop())

test.each<[string, number, (clock: ShiftedServer) => NodeJS.Timeout | null]>([
  ["25 hours ahead", 25 * HOUR, () => null],
  ["an hour behind", -HOUR, () => null],
  [
    "jumping",
    0,
    (server) => {
      const random = randomFrom(newSeed())
      return setInterval(() => server.setClock(random.below(50 * HOUR) - 25 * HOUR), 50)
    },
  ],
])(
  "with one clock %s, a mint requested from both replicas is done once, and nothing expires",
  async (_, offset, jump) => {
    const server = await startShiftedServer(app, offset)
    replica = server
    const jumping = jump(server)
    const mint = (at: "right" | "wrong", idempotencyKey: string, n: number) => {
      const sent = {
        ...{ method: "POST", path: "/token/mint", key: key.apiKey, idempotencyKey },
        headers: { prefer: "respond-async" },
        json: { user_pubkey: wallets[n % wallets.length], mint_config: config, amount: "1" },
      }
      return at === "right" ? app.request(sent) : server.request(sent)
    }
    const keys = Array.from({ length: MINTS }, () => `clock-${randomUUID()}`)
    // Sends each mint to both replicas, in random order.
    const first = await Promise.all(
      keys.map((key, n) =>
        Promise.all(
          (n % 2 === 0 ? (["right", "wrong"] as const) : (["wrong", "right"] as const)).map((at) => mint(at, key, n)),
        ),
      ),
    )
    for (const answers of first) expect(answers.map(({ status }) => status)).toEqual([202, 202])
    const ids = first.map((answers) => new Set(answers.map(({ json }) => json.operation_id as string)))
    expect(ids.every((own) => own.size === 1)).toBe(true)
    const all = ids.flatMap((own) => [...own])
    const confirmed = () => sql`select from operations where id = any(${all}) and status = 'confirmed'`
    await waitFor(async () => (await confirmed()).length === MINTS, "all mints to be confirmed")
    minted += MINTS
    // By the wrong clock, everything that can expire would expire now.
    await server.sweep()
    clearInterval(jumping ?? undefined)
    for (const [n, one] of keys.entries()) {
      const again = await mint(n % 2 === 0 ? "wrong" : "right", one, n)
      expect([again.status, again.json.operation_id]).toEqual([202, all[n]])
    }
    for (const wallet of wallets) expect((await tokens.get(`/kyc/status/${wallet}`)).json.status).toBe("verified")
    expect(await tokens.supply(config)).toBe(BigInt(minted))
    expect(await differences()).toEqual([])
  },
  60_000,
)
