import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

// Another process carries recoveries on, and is killed after each step.

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
let worker: ShiftedServer
let configs: string[]

/** How often the process is killed in one recovery. Without a bound, 40 positions take a quarter of an hour. */
const MOST_KILLS = Number(process.env.VOUCH_RECOVERY_KILLS ?? 3)
const POSITIONS = [1, 7, 40]
const HELD = 4
const MODES = ["agent", "holder"] as const

const startWorker = () => startShiftedServer(app, 0, { VOUCH_ROLE: "worker", TEST_SLOWNESS: "15" })

beforeAll(async () => {
  worker = await startWorker()
  const numbers = Array.from({ length: Math.max(...POSITIONS) }, (_one, n) => n)
  configs = await Promise.all(numbers.map((n) => tokens.config({}, { transfer_mode: MODES[n % 2] })))
})
afterAll(() => worker.kill())

/** How far a recovery has come: any change is a step. */
async function stepOf(id: string): Promise<string> {
  const [row] = await sql`
    select r.state, array(select o.status || count(*) from operations o where o.payload ->> 'recovery_id' = r.id
      group by o.status order by o.status) as operations
    from recoveries r where r.id = ${id}`
  return JSON.stringify(row)
}

/** How often each id is on chain in a memo that the workspace's authority signed. */
async function countOnChain(ids: readonly string[]): Promise<number[]> {
  const authority = deployment.keys(authorityPurpose(key.workspaceId)).publicKey
  const memos: string[] = []
  let before: string | undefined
  for (;;) {
    const page = await app.connection.getSignaturesForAddress(authority, { limit: 1000, ...(before && { before }) })
    memos.push(...page.flatMap(({ err, memo }) => (err === null && memo ? [memo] : [])))
    before = page.at(-1)?.signature
    if (page.length < 1000) break
  }
  return ids.map((id) => memos.filter((memo) => memo.includes(id)).length)
}

test.each(POSITIONS)(
  "positions move once each, %i of them, though the process is killed after a step",
  async (count) => {
    const person = await recoveryFixture(app, key).person()
    const { lost, fresh } = person
    const held = configs.slice(0, count)
    const minted = await Promise.all(held.map((config, n) => tokens.mint(config, lost, 10 + n)))
    expect(minted.every(({ status }) => status === 200)).toBe(true)
    // A third of the positions also has a hold.
    for (const mint_config of held.filter((_one, n) => n % 3 === 0)) {
      const placed = await tokens.post("/token/holds", {
        user_pubkey: lost,
        mint_config,
        amount: String(HELD),
        ...grounds,
      })
      expect([200, 202]).toContain(placed.status)
    }
    const { json } = await recoveryFixture(app, key).request(person.investor, { lost_wallet: lost, new_wallet: fresh })
    const id = json.recovery_id as string
    let kills = 0
    while (kills < MOST_KILLS) {
      const before = await stepOf(id)
      if (!before.includes("in_progress")) break
      await waitFor(async () => (await stepOf(id)) !== before, "the next step")
      await worker.kill()
      kills++
      worker = await startWorker()
    }
    expect(kills).toBeGreaterThan(2)
    const done = await recoveryFixture(app, key).untilEnded(id)
    expect(done).toMatchObject({ state: "completed", error: null })
    expect(done.positions).toHaveLength(count)
    for (const [n, config] of held.entries()) {
      const amount = 10 + n
      expect([await tokens.onChain(config, lost), config]).toEqual([0n, config])
      const { json } = await tokens.get(`/token/balance/${fresh}?mint_config=${config}`)
      expect(json).toMatchObject({ amount: String(amount), held: n % 3 === 0 ? String(HELD) : "0" })
    }
    const moved = await sql<{ id: string; status: string }[]>`
    select id, status from operations where payload ->> 'recovery_id' = ${id}`
    const ids = moved.map((one) => one.id)
    // In holder mode each hold has its own operation.
    const ownHolds = held.filter((_one, n) => n % 3 === 0 && MODES[n % 2] === "holder").length
    expect(moved.map(({ status }) => status)).toEqual(Array(count + ownHolds).fill("confirmed"))
    expect(await countOnChain(ids)).toEqual(ids.map(() => 1))
    expect(await differences()).toEqual([])
  },
)
