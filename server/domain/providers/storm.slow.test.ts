import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { receiveWebhook } from "#server/domain/kyc/webhook.ts"
import { Failure } from "#shared/errors.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import type { OurSession, Outcome, VendorDouble } from "#test/vendor/fixture.ts"
import { startOnfido } from "#test/vendor/onfido.ts"
import { startSumsub } from "#test/vendor/sumsub.ts"
import { startVeriff } from "#test/vendor/veriff.ts"

// Ten thousand shuffled webhooks of three vendors, a third of them forged and a third repeated. Each genuine one takes
// effect at most once. They arrive in rounds, so that outdated ones arrive after newer ones.
const ALL = 10_000
const PEOPLE = 20
const AT_ONCE = 8

/** A vendor's decisions about a person, one per round. An unchanged decision is reported again and has no effect. */
const histories: Outcome[][] = [
  ["in_review", "in_review", "approved", "approved"],
  ["resubmission_requested", "approved", "approved", "withdrawn"],
  ["approved", "approved", "withdrawn", "withdrawn"],
  ["rejected", "rejected", "rejected", "rejected"],
  ["resubmission_requested", "in_review", "rejected", "rejected"],
  ["in_review", "resubmission_requested", "in_review", "approved"],
]
const ROUNDS = 4
const statusAfter: Partial<Record<Outcome, string>> = {
  approved: "verified",
  withdrawn: "rejected",
  rejected: "rejected",
}

type Person = { vendor: string; session: OurSession; history: Outcome[]; at: Date }
type Sent = { name: string; headers: Record<string, string>; body: string }

let app: TestApp
let key: TestKey
const doubles: Record<string, VendorDouble> = {}

/** The same numbers for a seed, so that a failure can be repeated. */
function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
const random = randoms(20261123)
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

beforeAll(async () => {
  Object.assign(doubles, {
    sumsub: await startSumsub(),
    veriff: await startVeriff(),
    onfido: await startOnfido(),
  })
  const settings = Object.values(doubles).flatMap((double) => Object.entries(double.settings))
  const ofTestMode = settings.map(([name, value]) => [name.replace("VOUCH_", "VOUCH_TEST_"), value])
  app = await startTestApp({ ...Object.fromEntries(ofTestMode), VOUCH_TEST_PROVIDER: "sumsub" })
  key = await app.key()
})
afterAll(async () => {
  await app.stop()
  for (const double of Object.values(doubles)) await double.stop()
})

/** A person on a vendor's page. */
async function handOver(vendor: string, history: Outcome[]): Promise<Person> {
  const { test } = deployment.providers
  deployment.providers = { ...deployment.providers, test: { ...test, default: test.configured.get(vendor)! } }
  const { sessionId } = await app.startSession(key)
  const response = await fetch(`${app.origin}/api/trpc/verification.continue`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, consent: true }),
  })
  expect(response.status).toBe(200)
  const [session] = await sql<OurSession[]>`
    select session_id as "sessionId", id as "attestationId", investor_id as "investorId", schema_id as "schemaId",
      wallet, provider_reference as reference from attestations where session_id = ${sessionId}`
  return { vendor, session: session!, history, at: new Date() }
}

const signed = (name: string, body: string): Sent => ({ name, body, headers: doubles[name]!.sign(body) })

/** A webhook forged by an attacker who has seen genuine ones, but does not have the secret. */
function forged({ name, headers, body }: Sent): Sent {
  const better = body.replace(/"(RED|declined|error|review)"/, (_all, word) =>
    word === "RED" ? `"GREEN"` : `"approved"`,
  )
  const [signature] = Object.keys(headers).filter((one) => /digest$|signature$/.test(one))
  const { [signature!]: mac, ...others } = headers
  return oneOf<() => Sent>([
    () => ({ name, headers, body: better === body ? `${body} ` : better }),
    () => ({
      name,
      headers: doubles[name]!.sign(better, { secret: "guessed-secret-0123456789" }),
      body: better,
    }),
    () => ({ name, headers: others, body }),
    () => ({ name, headers: { ...others, [signature!]: mac!.slice(2) }, body }),
    () => ({
      name,
      headers: doubles[oneOf(Object.keys(doubles).filter((one) => one !== name))]!.sign(body),
      body,
    }),
  ])()
}

async function receive({ name, headers, body }: Sent): Promise<string> {
  try {
    return (await receiveWebhook({ name, webhook: { headers, body: Buffer.from(body) } })).outcome
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

function shuffled<T>(list: T[]): T[] {
  for (let n = list.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1))
    ;[list[n], list[other]] = [list[other]!, list[n]!]
  }
  return list
}

test("10,000 webhooks, a third forged, a third repeated, shuffled: no wrong state", async () => {
  const people: Person[] = []
  for (const vendor of Object.keys(doubles))
    for (let n = 0; n < PEOPLE; n++) people.push(await handOver(vendor, histories[n % histories.length]!))
  const before: Sent[] = []
  const came: Record<string, number> = {}
  const third = Math.floor(ALL / 3 / ROUNDS)
  let sent = 0

  for (let round = 0; round < ROUNDS; round++) {
    const fresh: Sent[] = []
    for (const person of people) {
      const { vendor, session, history } = person
      if (round === 0 || history[round] !== history[round - 1])
        person.at = new Date(Date.now() - (ROUNDS - round) * 10_000)
      const says = () => doubles[vendor]!.decide(session, history[round]!, person.at)
      for (let n = 0; n < Math.floor(third / people.length) - 4; n++) fresh.push(signed(vendor, says()))
      for (const body of doubles[vendor]!.silent(session).slice(0, 4)) fresh.push(signed(vendor, body))
    }
    before.push(...fresh)
    const repeated = Array.from({ length: third }, () => oneOf(before))
    const wrong = Array.from({ length: round < ROUNDS - 1 ? third : ALL - sent - fresh.length - third }, () =>
      forged(oneOf(before)),
    )
    const all = shuffled([
      ...[...fresh, ...repeated].map((webhook) => ({ webhook, isForged: false })),
      ...wrong.map((webhook) => ({ webhook, isForged: true })),
    ])
    sent += all.length
    let next = 0
    const work = async () => {
      for (let one = all[next++]; one !== undefined; one = all[next++]) {
        const outcome = await receive(one.webhook)
        if (one.isForged !== (outcome === "invalid_signature"))
          throw new Error(`${outcome}: ${one.webhook.name} ${one.webhook.body}`)
        came[outcome] = (came[outcome] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))

    for (const { session, history } of people) {
      const wanted = statusAfter[history[round]!] ?? "pending"
      await waitFor(
        async () => {
          const [row] = await sql`select status from attestations where id = ${session.attestationId}`
          return row!.status === wanted
        },
        `${history.slice(0, round + 1)} to be ${wanted}`,
      )
    }
  }

  expect(sent).toBe(ALL)
  expect(Object.keys(came).sort()).toEqual(["applied", "duplicate", "ignored", "invalid_signature"])
  expect(came.invalid_signature).toBeGreaterThan(ALL / 3 - ROUNDS)
  // Each change took effect once.
  const changes = ({ history }: Person) => history.filter((said, n) => said !== history[n - 1]).length
  for (const person of people) {
    const { attestationId } = person.session
    const [row] = await sql<{ applied: number; attests: number }[]>`
      select (select count(*)::int from webhook_events where attestation_id = ${attestationId} and outcome = 'applied') as applied,
        (select count(*)::int from operations where kind = 'attest' and payload->>'attestation_id' = ${attestationId}) as attests`
    expect([person.vendor, person.history, row]).toEqual([
      person.vendor,
      person.history,
      { applied: changes(person), attests: person.history.includes("approved") ? 1 : 0 },
    ])
  }
  expect(came.applied).toBe(people.reduce((sum, person) => sum + changes(person), 0))
})
