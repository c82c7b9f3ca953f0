import { randomInt } from "node:crypto"
import { expect, test } from "vitest"
import { sql, type Transaction } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { sealClaims } from "#server/domain/deployment/sealed-claims.ts"
import { auditInvestors, followMerge, followVerification } from "#server/domain/token-investors/index.ts"
import type { Audited } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import type { Claims } from "#shared/claims.ts"
import type { Between } from "#shared/movements.ts"
import { randomFrom } from "#test/chaos/random.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { InvestorModel, type ModelMove, type ModelPerson, type ModelWallet } from "#test/fixtures/investor-model.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { burn } from "./operations/burn.ts"
import { mint } from "./operations/mint.ts"
import { transfer } from "./operations/transfer.ts"
import { Reservations } from "./reservations.ts"

// Random mints, transfers, burns, merges and changes of owner, which the server and a second description of the limits
// must answer alike. Nothing is sent to a chain: an operation lands or fails when the test says so.

usesCustomer({ key: { plan: "enterprise" } })

/** VOUCH_INVESTOR_ACTS=10000 takes some minutes. VOUCH_INVESTOR_SEED repeats a failure. */
const ACTS = Number(process.env.VOUCH_INVESTOR_ACTS ?? 1000)
const WALLETS = 30
const UNDER_WAY = 6
const SCHEMA = "kyc_individual_v1"
const kinds = { mint, transfer, burn }

const limits = { investors: 6, byCountry: { JP: 2, US: 3 }, nonAccredited: 3, perInvestor: 60, least: 5 }
const rules = {
  max_investors: limits.investors,
  max_investors_by_country: limits.byCountry,
  max_non_accredited_investors: limits.nonAccredited,
  max_balance_per_investor: String(limits.perInvestor),
  min_balance: String(limits.least),
}

test(`${ACTS} random acts agree with a second description of the limits`, async () => {
  const config = await tokens.config(rules)
  const { wallet: first } = await app.verifiedWallet(key)
  const [{ seq: _, ...template }] = (await sql`select * from attestations where wallet = ${first}`) as [
    Record<string, unknown>,
  ]
  await whileLedgerPaused(() => act(config, template))
})

async function act(config: string, template: Record<string, unknown>): Promise<void> {
  const { workspaceId } = key
  const seed = Number(process.env.VOUCH_INVESTOR_SEED ?? randomInt(2 ** 31))
  const random = randomFrom(seed)
  const model = new InvestorModel(limits)
  const done: Record<string, number> = {}

  const claims = (): Claims => ({
    ...random.pick([{ country: "JP" }, { country: "US" }, { country: "US" }, { country: "DE" }, {}]),
    accredited: random.pick([true, false]),
  })

  async function person(): Promise<ModelPerson> {
    const id = newId("inv")
    await sql`
      insert into investors (workspace_id, id, external_id, created_at) values (${workspaceId}, ${id}, ${id}, now())`
    return { id, claims: {} }
  }

  /** Verifies a wallet for a person, and ends what others have verified with it. */
  async function verify(sql: Transaction, wallet: string, investor: ModelPerson, said: Claims): Promise<void> {
    const id = newId("att")
    await sql`
      update attestations set status = 'expired', ended_at = now()
      where workspace_id = ${workspaceId} and wallet = ${wallet} and status = 'verified'`
    const row = {
      ...template,
      ...{ id, wallet, session_id: newId("sess"), investor_id: investor.id, external_id: investor.id },
      claims: sealClaims(id, said),
    }
    await sql`insert into attestations ${sql(row)}`
    await followVerification(sql, { workspaceId, schemaId: SCHEMA, wallet: wallet as Address })
  }

  async function request({ kind, from, to, amount }: ModelMove) {
    const movement = { kind, from: from?.address ?? null, to: to?.address ?? null } as Between<Address>
    const forced =
      kind === "burn" ? ({ reason_code: "redemption", reference: "R", holder_consent: true } as const) : null
    const [outcome] = await sql.begin((sql) =>
      new Reservations(sql, workspaceId, [
        {
          ...{ config, movement, forced, amount: String(amount), idempotency: null, author: theOperator },
          disclosure: { claims: true, attestations: true },
        },
      ]).make(),
    )
    return outcome!
  }

  async function move(one: ModelMove): Promise<string> {
    const expected = model.ask(one)
    const outcome = await request(one)
    const code = "refusal" in outcome ? outcome.refusal.code : null
    expect(code, describe(one)).toBe(expected.code)
    if ("operationId" in outcome) model.begin(outcome.operationId, one, expected.lent)
    return code ?? (expected.lent ? "handed on" : one.kind)
  }

  async function finish(): Promise<string> {
    const one = random.pick(model.underWay)
    const hasLanded = random.below(4) > 0
    const definition = kinds[one.kind]
    await sql.begin(async (sql) => {
      const [row] = await sql<{ payload: object; columns: object }[]>`
        update operations set status = ${hasLanded ? "confirmed" : "failed"}, finished_at = now()
        where workspace_id = ${workspaceId} and id = ${one.id}
        returning payload, jsonb_strip_nulls(jsonb_build_object('mint_config', mint_config, 'wallet', wallet, 'from_wallet', from_wallet)) as columns`
      const ended = { id: one.id, workspaceId, attempts: 0, redo: false, landing: null }
      const payload = definition.payload.parse({ ...row!.payload, ...row!.columns })
      const operations = [{ ...ended, payload }] as never
      if (hasLanded) await definition.settle!(sql, operations, workspaceId)
      else await definition.release!(sql, operations, workspaceId)
    })
    model.end(one, hasLanded)
    return hasLanded ? "landed" : "failed"
  }

  async function merge(): Promise<string> {
    const persons = [...new Set(model.wallets.map((one) => one.person))]
    const [from, into] = [random.pick(persons), random.pick(persons)]
    if (from === into) return "none"
    await sql.begin(async (sql) => {
      await sql`select merge_investors(${workspaceId}, ${from.id}, ${into.id}, null)`
      await followMerge(sql, workspaceId, { from: from.id, into: into.id })
    })
    model.merge(from, into)
    return "merged"
  }

  async function pass(): Promise<string> {
    const wallet = random.pick(model.wallets)
    const to = random.below(3) === 0 ? random.pick(model.wallets).person : await person()
    const said = claims()
    await sql.begin((sql) => verify(sql, wallet.address, to, said))
    model.pass(wallet, to, said)
    return "passed on"
  }

  /** All that a person has to someone who has none: what a full token still allows. */
  async function handOn(): Promise<string> {
    const owned = model.wallets.map((one) => ({ ...one, all: model.owned(one.person), one }))
    const idle = owned.filter((each) => each.balance > 0 && each.balance === each.all && each.outgoing === 0)
    const [from, to] = [random.pick(idle), random.pick(owned.filter(({ all }) => all === 0))]
    return from && to ? move({ kind: "transfer", from: from.one, to: to.one, amount: from.balance }) : "none"
  }

  async function next(): Promise<string> {
    const [kind, amount] = [random.below(100), 1 + random.below(random.pick([8, 60]))]
    const [from, to] = [random.pick(model.wallets), random.pick(model.wallets)]
    if (model.underWay.length >= UNDER_WAY || (kind < 30 && model.underWay.length > 0)) return finish()
    if (kind < 33) return merge()
    if (kind < 42) return pass()
    if (kind < 60) return move({ kind: "mint", from: null, to, amount })
    const holder = random.pick(model.wallets.filter(({ balance }) => balance > 0)) ?? from
    if (kind < 70) return handOn()
    const whole = random.below(2) === 0 && holder.balance > 0 ? holder.balance : amount
    if (kind < 92) return holder === to ? "none" : move({ kind: "transfer", from: holder, to, amount: whole })
    return move({ kind: "burn", from: holder, to: null, amount: whole })
  }

  const describe = (one: ModelMove) =>
    `seed ${seed}: ${one.kind} of ${one.amount} from ${one.from?.address} to ${one.to?.address}`

  for (let i = 0; i < WALLETS; i++) {
    const wallet: ModelWallet = {
      ...{ address: newWallet(), person: await person(), claims: claims(), balance: 0, incoming: 0, outgoing: 0 },
    }
    await sql.begin((sql) => verify(sql, wallet.address, wallet.person, wallet.claims))
    model.wallets.push(wallet)
  }
  // Every kind of act and answer must have happened, or the test proves less than it says. Chance decides when.
  const wanted = [
    ...["mint", "transfer", "burn", "merged", "passed on", "handed on", "landed", "failed"],
    ...["investor_limit_reached", "investor_balance_limit_exceeded", "insufficient_balance", "below_minimum"],
  ]
  const isComplete = () => wanted.every((one) => done[one] !== undefined)
  for (let n = 0; n < ACTS || (!isComplete() && n < 10 * ACTS); n++) {
    const what = await next()
    done[what] = (done[what] ?? 0) + 1
    const [row] = await sql`select investors from mint_configs where workspace_id = ${workspaceId} and id = ${config}`
    expect(row!.investors, `seed ${seed}, act ${n}: ${what}`).toEqual(model.counts())
    if (n % 100 === 99) await compare()
  }
  while (model.underWay.length > 0) await finish()
  await compare()
  expect(Object.keys(done)).toEqual(expect.arrayContaining(wanted))

  /** Whose each holding is, what it is, and that the audit finds nothing. */
  async function compare(): Promise<void> {
    const rows = await sql`
      select wallet, investor, balance, incoming, outgoing from holdings
      where workspace_id = ${workspaceId} and mint_config = ${config} and (balance > 0 or incoming > 0) order by wallet`
    const expected = model.wallets
      .filter(({ balance, incoming }) => balance + incoming > 0)
      .map(({ address, person, balance, incoming, outgoing }) => ({
        ...{ wallet: address, investor: person.id },
        ...{ balance: String(balance), incoming: String(incoming), outgoing: String(outgoing) },
      }))
      .sort((a, b) => (a.wallet < b.wallet ? -1 : 1))
    expect(rows.map((row) => ({ ...row })).sort((a, b) => (a.wallet < b.wallet ? -1 : 1))).toEqual(expected)
    const report = { differences: [] as unknown[] }
    await auditInvestors({ workspaceId, report } as unknown as Audited)
    expect(report.differences, `seed ${seed}`).toEqual([])
  }
}
