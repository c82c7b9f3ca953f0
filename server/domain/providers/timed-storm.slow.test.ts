import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { ProviderDefinition } from "#server/domain/providers/provider.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { startDidit } from "#test/vendor/didit.ts"
import {
  type OurSession,
  type Outcome,
  startVendorFixture,
  type VendorDouble,
  type VendorFixture,
} from "#test/vendor/fixture.ts"
import { startGeneric } from "#test/vendor/generic.ts"
import { startPersona } from "#test/vendor/persona.ts"
import { didit } from "./didit.ts"
import { generic } from "./generic.ts"
import { persona } from "./persona.ts"

// Like `storm.slow.test.ts`, for vendors that sign the time. The webhooks are shuffled, a third of them is forged and a
// third repeated, and each session ends as its vendor decided last. `VOUCH_STORM` is their number.
const WEBHOOKS = Number(process.env.VOUCH_STORM ?? 900)
const AT_ONCE = 24

const vendors: [ProviderDefinition, () => Promise<VendorDouble>][] = [
  [persona, startPersona],
  [didit, startDidit],
  [generic, startGeneric],
]

/** Decisions of a vendor in order, and the final state of the session. */
const stories: [Outcome[], string][] = [
  [["approved"], "verified"],
  [["rejected"], "rejected"],
  [["in_review", "approved"], "verified"],
  [["in_review", "rejected"], "rejected"],
  [["resubmission_requested", "approved"], "verified"],
  [["resubmission_requested", "in_review", "rejected"], "rejected"],
  [["approved", "withdrawn"], "rejected"],
  [["expired"], "expired"],
  [["in_review"], "pending"],
]

/** The same order for a seed, so that a failure can be repeated. */
function shuffled<T>(list: T[], seed: number): T[] {
  const order = list.map((one, n) => [Math.sin(seed + n * 12.9898) * 43_758.5453, one] as const)
  return order.sort(([a], [b]) => (a - Math.floor(a) < b - Math.floor(b) ? -1 : 1)).map(([, one]) => one)
}

test.each(vendors)("$name: no wrong state", { timeout: 900_000 }, async (definition, startDouble) => {
  const vendor = await startDouble()
  const f: VendorFixture = await startVendorFixture(definition, vendor, { VOUCH_DATABASE_POOL: "20" })
  try {
    const share = Math.ceil(WEBHOOKS / vendors.length)
    const sessions: { session: OurSession; wanted: string }[] = []
    const honest: { body: string; headers: Record<string, string> }[] = []
    let by = f.key
    for (let n = 0; honest.length * 3 < share; n++) {
      const [outcomes, wanted] = stories[n % stories.length]!
      // A test workspace can start 500 sessions in a month.
      if (n % 400 === 399) by = await f.app.key()
      const session = await f.handedOver({ by })
      const start = Date.now() - 120_000
      outcomes.forEach((outcome, step) => {
        const body = vendor.decide(session, outcome, new Date(start + step * 20_000))
        honest.push({ body, headers: vendor.sign(body) })
      })
      sessions.push({ session, wanted })
    }
    const forged = honest.map(({ body }) => ({
      body,
      headers: vendor.sign(body, { secret: "secret-of-another-server-0123456789" }),
      isForged: true,
    }))
    const all = shuffled([...honest, ...honest, ...forged], 42)
    for (let n = 0; n < all.length; n += AT_ONCE) {
      await Promise.all(
        all.slice(n, n + AT_ONCE).map(async (one) => {
          const [status, outcome] = await f.send(one.body, one.headers)
          if ("isForged" in one) expect([status, outcome]).toEqual([401, "invalid_signature"])
          else expect([status, ["applied", "ignored", "duplicate"].includes(outcome)]).toEqual([200, true])
        }),
      )
    }
    const ids = sessions.map(({ session }) => session.sessionId)
    const wanted = sessions.map((one) => one.wanted)
    await waitFor(async () => {
      const rows = await sql<{ session_id: string; status: string }[]>`
        select session_id, status from attestations where session_id = any(${ids})`
      const status = new Map(rows.map((row) => [row.session_id, row.status]))
      return ids.every((id, n) => status.get(id) === wanted[n])
    }, "every session to be as its vendor decided")
    // Each was attested at most once, and soon only verified wallets have a credential.
    const [attests] = await sql`
      select max(count)::int as most from (select count(*) from operations where kind = 'attest' group by wallet) each`
    expect(attests).toEqual({ most: 1 })
    await waitFor(async () => {
      const wrong = await sql`
        select from credentials c join attestations a on a.workspace_id = c.workspace_id and a.id = c.attestation_id
        where a.status <> 'verified'`
      return wrong.length === 0
    }, "credentials to be destroyed")
  } finally {
    await f.stop()
  }
})
