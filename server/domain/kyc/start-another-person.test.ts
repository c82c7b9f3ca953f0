import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { generic } from "#server/domain/providers/generic.ts"
import { newId } from "#server/lib/ids.ts"
import { type newWallet, waitFor } from "#test/fixtures/app.ts"
import { credentialOf } from "#test/matchers/credential.ts"
import { type OurSession, startVendorFixture, type VendorFixture } from "#test/vendor/fixture.ts"
import { startGeneric } from "#test/vendor/generic.ts"

// A wallet is started for another person, and the provider's webhooks name only our session.
let bridge: Awaited<ReturnType<typeof startGeneric>>
let f: VendorFixture

beforeAll(async () => {
  bridge = await startGeneric()
  f = await startVendorFixture(generic, bridge)
})
afterEach(() => f.app.chain.hold(false))
afterAll(() => f.stop())

const newPerson = () => `person-${newId("evt")}`
const decide = (session: OurSession, decision: string) =>
  f.send(
    bridge.event(session.sessionId, {
      decision,
      occurred_at: new Date().toISOString(),
      claims: { country: "CA", age_over_18: true },
    }),
  )
const rowOf = async ({ sessionId }: { sessionId: string }) => {
  const [row] = await sql`
    select status, external_id, investor_id, revoked_at, claims, held_at from attestations where session_id = ${sessionId}`
  return row!
}
const used = async () => (await f.app.request({ method: "GET", path: "/usage", key: f.key.apiKey })).json.used as number
const idle = () =>
  waitFor(async () => {
    const unfinished = await sql`select from operations where status in ('queued', 'submitted')`
    return unfinished.length === 0
  }, "the ledger to be idle")

/** The first person's state when the wallet is started for the second, and the result of a later approval. */
const states: [string, (session: OurSession) => Promise<unknown>, "applied" | "ignored"][] = [
  ["on the vendor's page", async () => {}, "applied"],
  ["in review", (session) => decide(session, "in_review"), "applied"],
  ["asked to submit again", (session) => decide(session, "resubmission_requested"), "applied"],
  [
    "approved and not on chain yet",
    async (session) => {
      await f.app.chain.hold(true)
      expect(await decide(session, "approved")).toEqual([200, "applied"])
    },
    "ignored",
  ],
  [
    "approved, and held back",
    async (session) => {
      await sql`update attestations set wallet_proof_required = true where session_id = ${session.sessionId}`
      expect(await decide(session, "approved")).toEqual([200, "applied"])
      expect((await rowOf(session)).held_at).not.toBeNull()
    },
    "ignored",
  ],
]

test.each(states)(
  "a person who is %s continues when the wallet is started for another, who begins without progress",
  async (state, reach, outcome) => {
    const [one, two] = [newPerson(), newPerson()]
    const first = await f.handedOver({ externalId: one })
    await reach(first)
    const [before, was] = [await used(), await rowOf(first)]

    const second = await f.start({ wallet: first.wallet, externalId: two })
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(second.investorId).not.toBe(first.investorId)
    expect(second.reference).toBeNull()
    expect(await used()).toBe(before + 1)
    expect(await rowOf(first)).toEqual(was)
    expect(await decide(first, "approved")).toEqual([200, outcome])
    await f.app.chain.hold(false)
    await idle()
    const isHeld = state === "approved, and held back"
    expect((await rowOf(first)).status).toBe(isHeld ? "pending" : "verified")
    expect((await credentialOf(f.app, f.key, newAddress(first))).amount).toBe(isHeld ? 0 : 1)
    expect(await rowOf(second)).toMatchObject({ status: "pending", claims: null })

    expect((await f.goOn(second)).status).toBe(200)
    expect(bridge.investorOf(second.sessionId)).toBe(second.investorId)
    expect(await decide(second, "approved")).toEqual([200, "applied"])
    await idle()
    expect(await rowOf(second)).toMatchObject({
      ...{ status: "verified", external_id: two, investor_id: second.investorId },
    })
    expect(await rowOf(first)).toMatchObject({
      ...{ status: isHeld ? "pending" : "expired", external_id: one, investor_id: first.investorId },
    })
    expect((await credentialOf(f.app, f.key, newAddress(first))).amount).toBe(1)
  },
)

const newAddress = ({ wallet }: OurSession) => wallet as ReturnType<typeof newWallet>

test.each(["the start", "the webhook"])(
  "a start for another person and the first one's approval at once, %s sent first: each affects only its own person",
  async (earlier) => {
    for (let round = 0; round < 10; round++) {
      const first = await f.handedOver({ externalId: newPerson() })
      const other = newPerson()
      const acts = [
        () => f.start({ wallet: first.wallet, externalId: other }),
        () => decide(first, "approved"),
      ] as const
      const [second] =
        earlier === "the start"
          ? await Promise.all([acts[0](), acts[1]()])
          : await Promise.all([acts[1](), acts[0]()]).then(([came, started]) => [started, came] as const)
      await idle()
      const [before, after] = [await rowOf(first), await rowOf(second)]
      expect(before).toMatchObject({ status: "verified", investor_id: first.investorId })
      expect(after).toMatchObject({ status: "pending", external_id: other, claims: null })
      expect((await credentialOf(f.app, f.key, newAddress(first))).amount).toBe(1)
    }
  },
)

test("an investor who continues to the vendor while the session changes to another person is checked as that person", async () => {
  const [mistaken, right] = [newPerson(), newPerson()]
  await f.start({ externalId: mistaken })
  const known = await f.start({ externalId: right })
  const session = await f.start({ externalId: mistaken })
  const { going } = await sql.begin(async (sql) => {
    await sql`select from attestations where session_id = ${session.sessionId} for update`
    const going = f.goOn(session)
    await waitFor(async () => {
      const [row] = await sql<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      return row!.n > 0
    }, "the click to wait for the session")
    await sql`
      update attestations set external_id = ${right}, investor_id = ${known.investorId}
      where session_id = ${session.sessionId}`
    return { going }
  })
  expect((await going).status).toBe(200)
  expect(bridge.investorOf(session.sessionId)).toBe(known.investorId)
})

test("with simultaneous clicks and starts for others, each check is for the person of its session", async () => {
  for (let round = 0; round < 8; round++) {
    const [one, two] = [newPerson(), newPerson()]
    // Give each person another session, so that another external id does not rename them.
    for (const externalId of [one, two]) await f.start({ externalId })
    const session = await f.start({ externalId: one })
    const [, next] = await Promise.all([f.goOn(session), f.start({ wallet: session.wallet, externalId: two })])
    await f.goOn(next)
    expect(await rowOf(next)).toMatchObject({ status: "pending", external_id: two })
    for (const { sessionId } of [session, next]) {
      const investor = bridge.investorOf(sessionId)
      if (investor !== undefined) expect(investor).toBe((await rowOf({ sessionId })).investor_id)
    }
  }
})
