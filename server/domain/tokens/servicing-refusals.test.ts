import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const grounds = {
  reason_code: "redemption",
  reference: "Redemption 7 of 2026",
  document_sha256: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
}
const burning = (user_pubkey: string, mint_config: string, amount = "1") => ({
  ...{ user_pubkey, mint_config, amount, ...grounds },
  holder_consent: true,
})
const forcing = (from_pubkey: string, to_pubkey: string, mint_config: string, amount = "1") => ({
  ...{ from_pubkey, to_pubkey, mint_config, amount, ...grounds },
})

test.each([
  ["an unknown reason", { reason_code: "boredom" }, 422, "validation_failed", /^reason_code: /],
  ["no reference", { reference: "" }, 422, "validation_failed", /^reference: /],
  ["a reference that no one can see", { reference: " \u200b" }, 422, "validation_failed", /^reference: /],
  ["a reference that reads backwards", { reference: "\u202e7102" }, 422, "validation_failed", /^reference: /],
  ["a reference of 201 characters", { reference: "x".repeat(201) }, 422, "validation_failed", /^reference: /],
  [
    "a hash of 42 characters",
    { document_sha256: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCg" },
    422,
    "validation_failed",
    /^document_sha256: /,
  ],
  [
    "a hash that is no SHA-256 in base64url",
    { document_sha256: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgh" },
    422,
    "validation_failed",
    /^document_sha256: /,
  ],
  ["neither consent nor its lack", { holder_consent: undefined }, 422, "validation_failed", /^holder_consent: /],
  [
    "neither consent nor a document",
    { holder_consent: false, document_sha256: undefined },
    422,
    "holder_consent_required",
    /^document_sha256: /,
  ],
  ["an amount of zero", { amount: "0" }, 422, "invalid_amount", /^amount: /],
  ["more than the balance", { amount: "11" }, 422, "insufficient_balance", /^amount: /],
  ["an unknown token", { mint_config: "no_such_fund" }, 422, "unknown_mint_config", /^mint_config: /],
  ["an unknown field", { to_pubkey: newWallet() }, 422, "validation_failed", /^to_pubkey: unknown field/],
])("a burn with %s is refused, and nothing has begun", async (_name, wrong, status, error, detail) => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, "10")
  const answer = await tokens.post("/token/burn", { ...burning(wallet, config), ...wrong })
  expect(answer.status).toBe(status)
  expect(answer.json).toMatchObject({ error, detail: expect.stringMatching(detail) })
  expect((await tokens.trace(config)).operations).toHaveLength(1)
})

test("a forced transfer needs a document and two wallets, and its receiver must meet the rules", async () => {
  const config = await tokens.config({ max_balance_per_wallet: "10", transfers_locked_until: "2099-01-01T00:00:00Z" })
  const [from, to] = await tokens.wallets(2)
  for (const wallet of [from, to]) await tokens.mint(config, wallet, "8")
  const force = (more: object) => tokens.post("/token/force-transfer", { ...forcing(from, to, config), ...more })
  const outcomes = [
    await force({ document_sha256: undefined }),
    await force({ to_pubkey: from }),
    await force({ to_pubkey: newWallet() }),
    await force({ amount: "3" }),
    await force({ amount: "9" }),
    await force({ amount: "2" }),
  ].map(({ status, json }) => json.error ?? status)
  const refusals = ["validation_failed", "same_wallet", "wallet_not_verified", "balance_limit_exceeded"]
  expect(outcomes).toEqual([...refusals, "balance_limit_exceeded", 200])
})

test("a pause stops burns and forced transfers", async () => {
  const config = await tokens.config()
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "8")
  await tokens.post(`/mint-config/${config}/pause`, {})
  const refused = [
    await tokens.post("/token/burn", burning(from, config)),
    await tokens.post("/token/force-transfer", forcing(from, to, config)),
  ]
  expect(refused.map(({ json }) => json.error)).toEqual(["mint_paused", "mint_paused"])
})

test("another workspace has neither the token nor the operation", async () => {
  const config = await tokens.config()
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "8")
  const stranger = tokenFixture(app, await app.key())
  const { json: burned } = await tokens.post("/token/burn", burning(from, config))
  expect((await stranger.get(`/token/operation/${burned.operation_id}`)).json.error).toBe("operation_not_found")
  expect((await stranger.post("/token/burn", burning(from, config))).json.error).toBe("unknown_mint_config")
  expect((await stranger.post("/token/force-transfer", forcing(from, to, config))).json.error).toBe(
    "unknown_mint_config",
  )
})

test("200 burns, transfers and forced transfers at once of a balance of 100 take 100", async () => {
  const config = await tokens.config()
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "100")
  const acts = [
    () => tokens.post("/token/burn", burning(from, config, "3")),
    () => tokens.transfer(config, from, to, "2"),
    () => tokens.post("/token/force-transfer", forcing(from, to, config, "5")),
  ]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => acts[i % acts.length]!()))
  const taken = answers.filter(({ status }) => status === 200).map(({ json }) => Number(json.amount))
  expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(100)
  for (const { status, json } of answers) if (status !== 200) expect(json.error).toBe("insufficient_balance")
  const burned = answers.filter(({ json }) => json.kind === "burn").length * 3
  const left = 100 - taken.reduce((sum, one) => sum + one, 0)
  expect(left).toBeLessThan(2)
  expect(await tokens.onChain(config, from)).toBe(BigInt(left))
  expect(await tokens.supply(config)).toBe(BigInt(100 - burned))
  expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([])
})

test("the audit log has the request with its reason and the rules that it set aside, and its end", async () => {
  const config = await tokens.config({ transfers_locked_until: "2099-01-01T00:00:00Z" })
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "8")
  const { json } = await tokens.post("/token/force-transfer", forcing(from, to, config))
  const entries = await sql`
    select action, actor, detail from audit_entries where subject = ${json.operation_id} order by seq`
  expect(entries.map((row) => ({ ...row }))).toEqual([
    {
      action: "token.force_transfer_requested",
      actor: "key",
      detail: {
        ...{ mint_config: config, amount: "1", from, to, ...grounds, holder_consent: false },
        overrides: ["transfers_locked"],
      },
    },
    { action: "token.force_transfer_confirmed", actor: "system", detail: { mint_config: config, ...grounds } },
  ])
})

test("a holder who has moved the tokens away leaves nothing to take", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "8")
  const burned = await tokens.post("/token/burn", burning(from, config, "9"))
  const taken = await tokens.post("/token/force-transfer", forcing(from, to, config, "9"))
  expect([burned.json.error, taken.json.error]).toEqual(["insufficient_balance", "insufficient_balance"])
  expect([await tokens.onChain(config, from), await tokens.onChain(config, to)]).toEqual([8n, 0n])
})
