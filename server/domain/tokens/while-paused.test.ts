import { getMint, getPausableConfig, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { verifyForced } from "#client/index.ts"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import type { Chain } from "#server/solana/chain.ts"
import { RpcUnavailable } from "#server/solana/rpc/errors.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember, requireApproval } from "#test/fixtures/approvals.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { lookUpPauses, stillPaused } from "./mint-pauses.ts"

let account: ProvenMember["account"]
let officer: ProvenMember
let key: TestKey
let tokens: TokenFixture

usesApp()
beforeAll(async () => {
  account = (await provenMember(app)).account
  officer = await provenMember(app, { role: "compliance", account })
  key = await app.key({ account })
  tokens = tokenFixture(app, key)
})
afterAll(() => waitFor(async () => (await differences()).length === 0, "the audit to be clean"))

const setPaused = (config: string, verb: "pause" | "unpause") => tokens.post(`/mint-config/${config}/${verb}`, {})
const statusOf = async (id: string) => (await tokens.get(`/token/operation/${id}`)).json.status
const confirmed = (id: string) => waitFor(async () => (await statusOf(id)) === "confirmed", "the operation to land")
const idle = () =>
  waitFor(
    async () => (await sql`select from operations where status in ('queued', 'submitted')`).length === 0,
    "every operation to end",
  )

const mintOf = (config: string) =>
  getMint(app.connection, assetMintOf(key.workspaceId, config), "confirmed", TOKEN_2022_PROGRAM_ID)
const isPausedOnChain = async (config: string) => getPausableConfig(await mintOf(config))?.paused ?? false

type Request = [path: string, json: object]
const burning = (mint_config: string, user_pubkey: string, amount = "2"): Request => [
  "/token/burn",
  { user_pubkey, mint_config, amount, ...grounds, holder_consent: true },
]
const forcing = (mint_config: string, from_pubkey: string, to_pubkey: string, amount = "3"): Request => [
  "/token/force-transfer",
  { from_pubkey, to_pubkey, mint_config, amount, ...grounds, document_sha256 },
]
const executing = (holdId: string, to_pubkey: string): Request => [
  `/token/hold/${holdId}/execute`,
  { to_pubkey, document_sha256 },
]

/** Asks for an act that passes a pause. Nothing is done yet. */
async function ask([path, json]: Request): Promise<{ approvalId: string; operationId: string }> {
  const answer = await tokens.post(path, { ...json, while_paused: true })
  expect([answer.status, answer.json.status], answer.text).toEqual([202, "awaiting_approval"])
  return { approvalId: answer.json.approval_id, operationId: answer.json.operation_id }
}
const allow = async (approvalId: string) => expect((await approve(officer, approvalId)).status).toBe(200)

async function begin(request: Request): Promise<string> {
  const { approvalId, operationId } = await ask(request)
  await allow(approvalId)
  return operationId
}

const mints: [name: string, mode: TransferMode, older: readonly MintExtension[] | null][] = [
  ["a token in agent mode", "agent", null],
  ["a token in holder mode", "holder", null],
  ["a token in agent mode of version 0.1.0", "agent", []],
  ["a token in holder mode of version 0.1.0", "holder", ["pausable"]],
  ["a token in holder mode that cannot be paused on chain", "holder", []],
]

describe.each(mints)("of %s", (_name, transfer_mode, older) => {
  const create = () => (older ? tokens.olderConfig(older, { transfer_mode }) : tokens.config({}, { transfer_mode }))
  /** Whether a pause reaches the mint. */
  const isOnChain = transfer_mode === "holder" && older?.length !== 0

  test("a paused token is burned, forced and taken from a hold once it is approved, and stays paused", async () => {
    const config = await create()
    const [from, to] = await tokens.wallets(2)
    await tokens.mint(config, from, "10")
    const placed = await tokens.post("/token/holds", {
      user_pubkey: from,
      mint_config: config,
      amount: "4",
      ...grounds,
    })
    const { hold_id } = placed.json
    await setPaused(config, "pause")
    await idle()
    expect(await isPausedOnChain(config)).toBe(isOnChain)

    const requests = [burning(config, from), forcing(config, from, to), executing(hold_id, to)]
    for (const [path, json] of requests) {
      const refused = await tokens.post(path, json)
      expect([refused.status, refused.json.error]).toEqual([403, "mint_paused"])
      expect((await tokens.post(path, { ...json, while_paused: false })).json.error).toBe("mint_paused")
    }
    const issuer = (await mintOf(config)).mintAuthority!.toBase58()
    for (const request of requests) {
      const id = await begin(request)
      await confirmed(id)
      expect(await isPausedOnChain(config)).toBe(isOnChain)
      const { json: operation } = await tokens.get(`/token/operation/${id}`)
      expect(await verifyForced(app.connection, { issuer, operation })).toMatchObject({ verified: true })
      const [entry] = await sql`
        select detail from audit_entries where subject = ${id} and action = ${`token.${operation.kind}_requested`}`
      expect(entry!.detail).toMatchObject({ while_paused: true, overrides: ["mint_paused"] })
    }
    expect([await tokens.onChain(config, to), await tokens.supply(config)]).toEqual([7n, 8n])
    expect((await tokens.get(`/token/hold/${hold_id}`)).json.state).toBe("executed")
    expect((await tokens.get(`/mint-config/${config}`)).json).toMatchObject({ paused: true, supply: "8" })
    expect((await tokens.mint(config, to, "1")).json.error).toBe("mint_paused")
    await setPaused(config, "unpause")
    expect((await tokens.transfer(config, to, from, "1")).status).toBe(200)
  })

  test("a pause that begins or ends while the act is on its way is kept as it was ordered", async () => {
    const config = await create()
    const [from, to] = await tokens.wallets(2)
    await tokens.mint(config, from, "20")
    const [before, early, late, after] = [
      await ask(burning(config, from, "1")),
      await ask(forcing(config, from, to, "2")),
      await ask(burning(config, from, "3")),
      await ask(forcing(config, from, to, "4")),
    ]
    await whileLedgerPaused(async () => {
      await allow(before.approvalId)
      await setPaused(config, "pause")
      await allow(early.approvalId)
    })
    for (const { operationId } of [before, early]) await confirmed(operationId)
    await idle()
    expect(await isPausedOnChain(config)).toBe(isOnChain)
    await whileLedgerPaused(async () => {
      await allow(late.approvalId)
      await setPaused(config, "unpause")
      await allow(after.approvalId)
    })
    for (const { operationId } of [late, after]) await confirmed(operationId)
    await idle()
    expect(await isPausedOnChain(config)).toBe(false)
    expect([await tokens.onChain(config, from), await tokens.onChain(config, to)]).toEqual([10n, 6n])
  })
})

describe("what the chain says about a pause", () => {
  async function passing() {
    const config = await tokens.config({}, { transfer_mode: "holder" })
    const { rpc } = deployment.chains.test!
    const read = () => rpc.accounts([assetMintOf(key.workspaceId, config)], { since: 0 })
    return { config, operations: [{ payload: { mint_config: config, while_paused: true } }], read }
  }
  const at = (chain: unknown = deployment.chains.test) => ({ workspaceId: key.workspaceId, chain: chain as Chain })

  test("is read again if a pause has begun or ended since", async () => {
    const { config, operations } = await passing()
    const seen = await lookUpPauses(operations, at())
    const still = () => stillPaused(sql, key.workspaceId, operations, seen)
    expect([seen!.isPaused.get(config), (await still())!.get(config)]).toEqual([false, false])
    await setPaused(config, "pause")
    await idle()
    expect(await still()).toBeNull()
    expect((await lookUpPauses(operations, at()))!.isPaused.get(config)).toBe(true)
  })

  test("counts only if two nodes answer and agree", async () => {
    const { config, operations, read } = await passing()
    const before = await read()
    await setPaused(config, "pause")
    await idle()
    const after = await read()
    const wrong = { ...before, slot: after.slot }
    const viewOf = (answer: unknown) => ({
      accounts: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
    })
    const of = async (...answers: unknown[]) => {
      const seen = await lookUpPauses(operations, at({ rpc: { views: answers.map(viewOf) } }))
      return (await stillPaused(sql, key.workspaceId, operations, seen))!.get(config)
    }
    expect(await of(after, after)).toBe(true)
    expect([await of(after, wrong), await of(after, new RpcUnavailable("down"))]).toEqual([null, null])
  })
})

describe("in holder mode, after the act was signed", () => {
  /** The transaction is lost until the returned function is called. */
  async function inFlight(request: Request) {
    const { approvalId, operationId } = await ask(request)
    await app.chain.hold(true)
    await allow(approvalId)
    await waitFor(async () => (await statusOf(operationId)) === "submitted", "the transaction to be sent")
    return async () => {
      await app.chain.hold(false)
      await confirmed(operationId)
      await idle()
    }
  }

  test.each(["unpause", "pause"] as const)("%s waits for it, and then stands", async (verb) => {
    const config = await tokens.config({}, { transfer_mode: "holder" })
    const [wallet] = await tokens.wallets(1)
    await tokens.mint(config, wallet, "10")
    if (verb === "unpause") await setPaused(config, "pause")
    await idle()
    const lands = await inFlight(burning(config, wallet))
    await setPaused(config, verb)
    await lands()
    expect(await isPausedOnChain(config)).toBe(verb === "pause")
    expect(await tokens.onChain(config, wallet)).toBe(8n)
  })

  test("it is planned again if it never lands and the pause has ended", async () => {
    const config = await tokens.config({}, { transfer_mode: "holder" })
    const [wallet] = await tokens.wallets(1)
    await tokens.mint(config, wallet, "10")
    await setPaused(config, "pause")
    await idle()
    const lands = await inFlight(burning(config, wallet))
    await setPaused(config, "unpause")
    await app.chain.pass(200)
    await lands()
    expect(await isPausedOnChain(config)).toBe(false)
    expect(await tokens.onChain(config, wallet)).toBe(8n)
  })
})

test("nothing passes the pause of a token whose balances are being counted", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, "10")
  const { approvalId } = await ask(burning(config, wallet))
  await whileLedgerPaused(async () => {
    // As after a change from holder mode.
    await sql`update mint_configs set counted_up_to = '' where id = ${config}`
    const [path, json] = burning(config, wallet)
    expect((await tokens.post(path, { ...json, while_paused: true })).json.error).toBe("mint_paused")
    await approve(officer, approvalId)
    const { json: approval } = await tokens.get(`/approval/${approvalId}`)
    expect(approval).toMatchObject({ state: "approved", outcome: { error: "mint_paused" } })
  })
})

test("a policy about it says who approves", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, "10")
  const policyId = await requireApproval(account, ["while_paused"], { mint_config: config })
  const { approvalId, operationId } = await ask(burning(config, wallet, "1"))
  const { json } = await tokens.get(`/approval/${approvalId}`)
  expect(json).toMatchObject({ action: "burn", policy_id: policyId })
  await allow(approvalId)
  await confirmed(operationId)
  const [path, body] = burning(config, wallet, "1")
  expect((await tokens.post(path, body)).status).toBe(200)
})

test("the approval says what is asked for, and what it overrides", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, "10")
  await setPaused(config, "pause")
  const asked = { kind: "burn", user_pubkey: wallet, mint_config: config, amount: "1", holder_consent: true }
  const refused = (await officer.browser.query("token.formPreflight", asked)).data
  expect(refused).toMatchObject({ answer: { status: 403, error: "mint_paused" }, approvals_needed: 0 })
  const passing = (await officer.browser.query("token.formPreflight", { ...asked, while_paused: true })).data
  expect(passing).toMatchObject({ answer: { status: 202, error: null }, approvals_needed: 1 })
  const overrides = { code: "mint_paused", outcome: "overridden", detail: "The token is paused." }
  expect(passing.rules).toContainEqual(overrides)

  const { approvalId } = await ask(burning(config, wallet, "1"))
  const { data } = await officer.browser.query("approval.detail", { id: approvalId })
  expect(data).toMatchObject({
    action: "burn",
    request: { while_paused: true },
    preflight: { answer: { status: 200 } },
  })
  expect(data.preflight.rules).toContainEqual(overrides)
})
