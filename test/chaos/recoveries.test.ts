import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { investorFixture } from "#test/fixtures/investors.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { type Recovery, recoveryFixture } from "#test/fixtures/recoveries.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { differences } from "#test/matchers/credential.ts"
import { newSeed, randomFrom } from "./random.ts"

// What changes a person or their wallets races a recovery, over two replicas. Tokens never get to another person, and never
// twice. `VOUCH_RECOVERY_RACES` sets how many races of each kind are run.

const RACES = Number(process.env.VOUCH_RECOVERY_RACES ?? 8)
const AT_ONCE = 8
/** A workspace verifies 500 wallets, and a race needs three at most. */
const RACES_PER_WORKSPACE = 96
const UNITS = 10n
const LIMIT_MS = 120_000 + RACES * 20_000

let app: TestApp
let replica: ShiftedServer
let key: TestKey
let tokens: TokenFixture
let agent: string
let holder: string
const seed = newSeed()
const random = randomFrom(seed)

const LIMITS = { VOUCH_MAX_CHANGES_PER_DAY: "1000000" }

beforeAll(async () => {
  app = await startTestApp(LIMITS)
  replica = await startShiftedServer(app, 0, LIMITS)
}, LIMIT_MS)
afterAll(async () => {
  await replica.kill()
  await app.stop()
})

async function openWorkspace(): Promise<void> {
  key = await app.key({ plan: "enterprise" })
  tokens = tokenFixture(app, key)
  agent = await tokens.config()
  holder = await tokens.config({}, { transfer_mode: "holder" })
}

const investors = investorFixture(() => ({ app, key }))
/** Sends a request to one of the servers, and again if it cannot say what became of it. */
const post = (path: string, json: object) => {
  const sent = { method: "POST", path, key: key.apiKey, json, idempotencyKey: crypto.randomUUID() } as const
  return waitFor(async () => {
    const answer = await (random.chance(0.5) ? app.request(sent) : replica.request(sent))
    return answer.status === 503 || answer.json.error === "idempotency_in_progress" ? null : answer
  }, `an answer to POST ${path}`)
}
const later = (most_ms: number, least_ms = 0) =>
  new Promise((resolve) => setTimeout(resolve, least_ms + random.below(most_ms)))

type Racer = Awaited<ReturnType<typeof racer>>
type Act = {
  /** Whether both wallets are the person's before the act. */
  isTheirs: boolean
  /** The request follows the act by this time, so that the act has begun. */
  lead_ms?: number
  prepare?: (one: Racer) => Promise<void>
  run: (one: Racer) => Promise<unknown>
}

/** A person whose lost wallet has units of both tokens. `fresh` is verified for no one yet unless the race needs it. */
async function racer(isTheirs: boolean) {
  const pair = Keypair.generate()
  const [lost, fresh, externalId] = [addressOf(pair.publicKey), newSigningWallet(), `racer-${crypto.randomUUID()}`]
  await investors.verify(lost, externalId)
  await investors.verify(fresh.address, isTheirs ? externalId : undefined)
  for (const config of [agent, holder]) expect((await tokens.mint(config, lost, String(UNITS))).status).toBe(200)
  const { investor_id: investor } = await investors.ownerOf(lost)
  return { pair, lost, fresh, externalId, investor: investor as string, session: "", mule: "" as Address }
}

const acts: Record<string, Act> = {
  merge: {
    isTheirs: false,
    lead_ms: 80,
    async prepare(one) {
      one.session = await investors.start(one.fresh.address, one.externalId)
    },
    run: (one) => investors.prove(one.session, one.fresh),
  },
  erasure: { isTheirs: true, run: ({ investor }) => post(`/investor/${investor}/erase`, {}) },
  revocation: {
    isTheirs: true,
    async run({ fresh }) {
      const { data } = await investors.get(`/attestations?pubkey=${fresh.address}`)
      await post(`/attestation/${data[0].attestation_id}/revoke`, { reason: "Race" })
    },
  },
  "another person": {
    isTheirs: true,
    async prepare(one) {
      one.session = await investors.start(one.fresh.address, `thief-${crypto.randomUUID()}`)
    },
    run: ({ session }) => investors.decide(session, "approved"),
  },
  "own transactions": {
    isTheirs: true,
    async prepare(one) {
      one.mule = (await tokens.wallets(1))[0]!
      await tokens.mint(holder, one.mule, "1")
      await app.connection.requestAirdrop(one.pair.publicKey, LAMPORTS_PER_SOL)
    },
    async run({ pair, mule }) {
      const mint = assetMintOf(key.workspaceId, holder)
      const [from, to] = [pair.publicKey, new PublicKey(mule)].map((one) => tokenAccountOf(mint, one)) as [
        PublicKey,
        PublicKey,
      ]
      for (let n = 0; n < 3; n++) {
        const move = createTransferCheckedInstruction(from, mint, to, pair.publicKey, 2n, 0, [], TOKEN_2022_PROGRAM_ID)
        await sendOwn(app.connection, [pair], move).catch(() => {})
      }
    },
  },
}

/** Lets a recovery end. One that waits for what does not come is stopped. */
async function ended(id: string): Promise<Recovery> {
  const { get } = recoveryFixture(app, key)
  const isOver = async () => {
    const { state, positions } = await get(id)
    return state !== "in_progress" || (positions.some((one) => one.blocked_by !== null) && !(await isBusy(id)))
  }
  await waitFor(isOver, "the recovery to end or to wait")
  if ((await get(id)).state === "in_progress") await post(`/recovery/${id}/cancel`, {})
  return recoveryFixture(app, key).untilEnded(id)
}
const isBusy = async (id: string) =>
  (await sql`select from operations where payload ->> 'recovery_id' = ${id} and status in ('queued', 'submitted')`)
    .length > 0

async function expectSound(kind: string, one: Racer, record: Recovery | null): Promise<string> {
  const { lost, fresh, mule } = one
  const about = JSON.stringify({ seed, kind, lost, record })
  for (const config of [agent, holder]) {
    const at = async (wallet: string) =>
      wallet === "" || (config === agent && wallet === mule) ? 0n : tokens.onChain(config, wallet)
    const [left, moved] = [await at(lost), await at(fresh.address)]
    const gone = mule === "" || config === agent ? 0n : (await at(mule)) - 1n
    expect(left + moved + gone, about).toBe(UNITS)
    // A position moves whole or not at all.
    expect(left === 0n || moved === 0n, about).toBe(true)
    const operations = await sql<{ amount: string }[]>`
      select payload ->> 'amount' as amount from operations
      where mint_config = ${config} and from_wallet = ${lost} and payload ->> 'recovery_id' is not null and status = 'confirmed'`
    expect(
      operations.map(({ amount }) => BigInt(amount)),
      about,
    ).toEqual(moved === 0n ? [] : [moved])
    if (moved > 0n) await expectTheirs(about, one, record!)
  }
  return record === null ? "refused" : record.state
}

/** The wallet was this person's when the tokens moved: another one was approved after that at the earliest. */
async function expectTheirs(about: string, { investor, fresh }: Racer, { recovery_id }: Recovery): Promise<void> {
  const others = await sql`
    select from attestations a join recoveries r on r.workspace_id = a.workspace_id and r.id = ${recovery_id}
      join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
    where a.wallet = ${fresh.address} and i.id <> ${investor} and i.erased_at is null and i.merged_into is null
      and (a.approved_at is not null or a.wallet_proved_at is not null)
      and (r.ended_at is null or least(a.approved_at, a.wallet_proved_at) < r.ended_at)`
  expect(others.length, about).toBe(0)
}

test.each(Object.entries(acts))(
  `${RACES} races of a recovery against: %s`,
  async (kind, act) => {
    const outcomes: Record<string, number> = {}
    for (let race = 0; race < RACES; race += AT_ONCE) {
      if (race % RACES_PER_WORKSPACE === 0) await openWorkspace()
      const racers = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, RACES - race) }, () => racer(act.isTheirs)),
      )
      await Promise.all(racers.map((one) => act.prepare?.(one)))
      const records = await Promise.all(
        racers.map(async (one) => {
          const request = async () => {
            await later(60, act.lead_ms)
            const json = {
              lost_wallet: one.lost,
              new_wallet: one.fresh.address,
              reason_code: "lost_wallet",
              reference: "Race",
            }
            return post(`/investor/${one.investor}/recoveries`, json)
          }
          const run = async () => {
            await later(act.lead_ms ? 60 : 200)
            await act.run(one)
          }
          const [{ status, json }] = await Promise.all([request(), run()])
          return status === 202 || status === 200 ? ended(json.recovery_id) : null
        }),
      )
      for (const [i, one] of racers.entries()) {
        const outcome = await expectSound(kind, one, records[i]!)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
    }
    console.log(JSON.stringify({ seed, kind, races: RACES, outcomes }))
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
  },
  LIMIT_MS,
)
