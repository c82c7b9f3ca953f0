import { randomInt } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import type { MovementKind } from "#shared/movements.ts"
import { ruleOf } from "#shared/rules/rules.ts"
import { randomFrom } from "#test/chaos/random.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { member } from "#test/fixtures/people.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { type TestList, testList } from "#test/fixtures/screening.ts"
import { type TokenFixture, tokenFixture, verifiedFor } from "#test/fixtures/tokens.ts"

// A preflight, and then the request itself, in random situations: both must give the same answer, to the letter. Workers
// are stopped, so that nothing lands between the two.

/** VOUCH_PREFLIGHTS=5000 takes some minutes. VOUCH_PREFLIGHT_SEED repeats a failure. */
const ASKED = Number(process.env.VOUCH_PREFLIGHTS ?? 200)
/** After so many, the wanted answers that are missing fail the test. */
const MOST = Math.max(ASKED, 5000)

/** What the answers must include before the test ends. */
const WANTED = `200 202 amount_held approver_missing balance_limit_exceeded below_minimum chain_unavailable
  country_not_allowed hold_ended hold_not_found holder_consent_required holder_limit_reached insufficient_balance
  invalid_amount invalid_public_key investor_balance_limit_exceeded investor_limit_reached mint_paused not_accredited
  same_wallet sol_budget_exceeded supply_cap_exceeded transfers_locked unknown_mint_config validation_failed
  wallet_barred wallet_frozen wallet_not_verified wallet_sanctioned`.split(/\s+/)

let app: TestApp
let list: TestList
let key: TestKey
let tokens: TokenFixture
const listed = newWallet()

beforeAll(async () => {
  list = await testList("ofac.txt", [listed])
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
  const { account } = await member(app)
  await member(app, { account, role: "compliance" })
  key = await app.key({ account, plan: "enterprise" })
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

const later = { headers: { prefer: "respond-async" } }
const post = async (path: string, json: object) => {
  const response = await tokens.post(path, json, later)
  expect(response.status, `${path} ${response.text}`).toBeLessThan(300)
  return response.json
}

type Token = { config: string; holder: Address }
type Hold = { id: string; config: string; wallet: Address }

async function situation() {
  const claims = [
    { country: "US", accredited: true },
    { country: "US", accredited: false },
    { country: "JP", accredited: true },
    { country: "JP", accredited: true },
    { country: "DE" },
  ]
  const verified = await Promise.all(
    claims.map((one) => verifiedFor(app, key, { externalId: newWallet(), claims: one })),
  )
  const [us, other, jp] = verified as [Address, Address, Address]
  const recoveries = recoveryFixture(app, key)
  const { investor, lost, fresh } = await recoveries.person()
  const of = async (holder: Address, rules: object, more: object = {}): Promise<Token> => {
    const config = await tokens.config(rules, more)
    expect((await tokens.mint(config, holder, "100")).status).toBe(200)
    return { config, holder }
  }
  const configs = await Promise.all([
    of(us, {}, { decimals: 2 }),
    of(us, { max_supply: "300", max_holders: 2, max_balance_per_wallet: "120" }),
    of(us, { allowed_countries: ["US", "DE"], require_accredited: true, min_balance: "20" }),
    of(us, { transfers_locked_until: "2999-01-01T00:00:00Z" }),
    of(other, { transfers_locked_until: "2001-01-01T00:00:00Z", blocked_countries: ["JP"], min_balance: "20" }),
    of(us, { max_investors: 2, max_investors_by_country: { JP: 1 }, max_balance_per_investor: "150" }),
    of(jp, { max_non_accredited_investors: 1, min_balance: "20" }),
    of(us, { blocked_countries: ["DE"] }, { transfer_mode: "holder" }),
  ])
  return { configs, wallets: [...verified, lost, fresh, listed, newWallet()], lost, fresh, investor, recoveries }
}

test(`the request answers what ${ASKED} preflights in random situations foretold`, async () => {
  const seed = Number(process.env.VOUCH_PREFLIGHT_SEED ?? randomInt(2 ** 31))
  const random = randomFrom(seed)
  const { configs, wallets, lost, fresh, investor, recoveries } = await situation()
  const { mint: ours } = (await tokens.get(`/mint-config/${configs[0]!.config}`)).json
  const holds: Hold[] = [{ id: "hold_2Lc7HdZKx8vPq3mNbR5tYw", config: configs[0]!.config, wallet: configs[0]!.holder }]
  const { workspaceId } = key
  const anyConfig = () => random.pick(configs).config

  const changes: (() => Promise<unknown>)[] = [
    ...(["freeze", "unfreeze", "unfreeze"] as const).map((verb) => () => {
      const one = { user_pubkey: random.pick(wallets), ...(random.chance(0.7) && { mint_config: anyConfig() }) }
      return post(`/token/${verb}`, { ...one, ...grounds })
    }),
    ...(["pause", "unpause", "unpause", "unpause", "unpause"] as const).map(
      (verb) => () => post(`/mint-config/${anyConfig()}/${verb}`, {}),
    ),
    ...[1, 2, 3].map(() => async () => {
      const { config, holder: wallet } = random.pick(configs)
      const one = { user_pubkey: wallet, mint_config: config, amount: random.pick(["5", "30", "80"]) }
      const { status, json } = await tokens.post("/token/holds", { ...one, ...grounds }, later)
      if (status < 300) holds.push({ id: json.hold_id, config, wallet })
    }),
    () => tokens.post(`/token/hold/${random.pick(holds).id}/release`, {}, later),
    async () => {
      await sql`delete from approval_policies where workspace_id = ${workspaceId}`
      if (random.chance(0.5)) return
      const actions = [random.pick(["mint", "transfer", "burn", "force_transfer", "hold_execute"])]
      const about = random.chance(0.5) && { mint_config: anyConfig(), min_amount: random.pick([null, "10"]) }
      const policy = { actions, ...about, approvals: 1, roles: ["owner", "compliance"] }
      const { status, json } = await tokens.post("/approval-policies", policy)
      if (status === 200 && random.chance(0.5))
        await sql`update approval_policies set approvals = 3 where id = ${json.policy_id}`
    },
  ]

  /** Stops the workspace for one request. */
  const stops = [
    {
      begin: () => sql`update workspaces set budget = 0 where id = ${workspaceId}`,
      end: () => sql`update workspaces set budget = null where id = ${workspaceId}`,
    },
    {
      begin: () => sql`insert into quarantines (workspace_id, since, differences) values (${workspaceId}, now(), '[]')`,
      end: () => sql`delete from quarantines where workspace_id = ${workspaceId}`,
    },
  ]

  function request(): { kind: MovementKind; path: string; json: Record<string, unknown> } {
    const kind = random.pick(["mint", "transfer", "burn", "force_transfer"] as const)
    const named = random.chance(0.25) ? random.pick(holds) : null
    const { config, holder } = random.pick(configs)
    const mint_config = random.chance(0.02) ? "none_v1" : (named?.config ?? config)
    const whole = random.pick(["1", "5", "12", "40", "60", "90", "100", "150", "250", "1000"])
    const amount = random.chance(0.05) ? random.pick(["0", "1.5", "1.234"]) : whole
    const common = { mint_config, amount }
    const wallet = () => (random.chance(0.02) ? ours : random.chance(0.02) ? "no wallet" : random.pick(wallets))
    const sender = () => (random.chance(0.3) ? wallet() : (named?.wallet ?? holder))
    const between = () => ({ ...common, from_pubkey: sender(), to_pubkey: wallet() })
    const servicing = () => ({
      ...grounds,
      ...(named && { holds: [named.id] }),
      ...(random.chance(0.25) && { while_paused: true }),
    })
    if (kind === "mint")
      return { kind, path: "/token/mint", json: { ...common, user_pubkey: random.chance(0.5) ? holder : wallet() } }
    if (kind === "transfer") return { kind, path: "/token/transfer", json: between() }
    if (kind === "force_transfer")
      return { kind, path: "/token/force-transfer", json: { ...between(), ...servicing(), document_sha256 } }
    const consent = { holder_consent: random.chance(0.8), ...(random.chance(0.2) && { document_sha256 }) }
    return { kind, path: "/token/burn", json: { ...common, user_pubkey: sender(), ...servicing(), ...consent } }
  }

  const seen: Record<string, number> = {}
  const missing = () => WANTED.filter((one) => !(one in seen))
  async function compare(what: string): Promise<void> {
    const { kind, path, json } = request()
    const stop = random.chance(0.04) ? random.pick(stops) : null
    await stop?.begin()
    const foretold = await tokens.post("/token/preflight", { kind, ...json })
    const actual = await tokens.post(path, json, later)
    await stop?.end()
    const { error, detail } = actual.status < 300 ? { error: null, detail: null } : actual.json
    const isWaiting = actual.json.status === "awaiting_approval"
    const status = actual.status === 202 && !isWaiting ? 200 : actual.status
    const about = `${what}: ${JSON.stringify({ kind, ...json })}`
    if (foretold.status !== 200) {
      // What cannot be read is refused first, and a stopped workspace refuses everything.
      if (stop && actual.status !== 422) expect(foretold.status, about).toBe(422)
      else expect([foretold.status, foretold.json.error, foretold.json.detail], about).toEqual([status, error, detail])
    } else {
      const { allowed, answer, rules, approvals_needed } = foretold.json
      expect({ allowed, ...answer }, about).toEqual({ allowed: error === null, status, error, detail })
      const refusing = rules.filter(({ outcome }: { outcome: string }) => outcome === "refused")
      if (error === null) expect([refusing, approvals_needed > 0], about).toEqual([[], isWaiting])
      else if (ruleOf(error)) expect(refusing, about).toContainEqual({ code: error, outcome: "refused", detail })
    }
    const name = error ?? String(status)
    seen[name] = (seen[name] ?? 0) + 1
  }

  await whileLedgerPaused(async () => {
    const about = { lost_wallet: lost, new_wallet: fresh, document_sha256 }
    expect((await recoveries.request(investor, about)).status).toBeLessThan(300)
    for (let i = 0; i < ASKED || (i < MOST && missing().length > 0); i++) {
      if (random.chance(0.4)) await random.pick(changes)()
      await compare(`seed ${seed}, request ${i}`)
    }
  })
  expect(missing(), `seed ${seed}: ${JSON.stringify(seen)}`).toEqual([])
})
