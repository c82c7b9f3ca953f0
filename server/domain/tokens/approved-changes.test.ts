import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { approve, requireApproval } from "#test/fixtures/approvals.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import {
  type Case,
  checksUnderPolicy,
  entries,
  fund,
  key,
  officer,
  owner,
  page,
  requireTwo,
  rest,
  type Sent,
  tokens,
  usesPolicies,
} from "#test/fixtures/policies.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()
checksUnderPolicy([
  ["unpause", "a key", () => pausedBy((id) => rest("POST", `/mint-config/${id}/unpause`))],
  ["unpause", "a member", () => pausedBy((id) => page("mintConfig.unpause", { id }))],
  ["unfreeze", "a key", () => frozenBy((json) => rest("POST", "/token/unfreeze", json))],
  ["unfreeze", "a member", () => frozenBy((json) => page("token.unfreeze", json))],
  ["config_change", "a key", () => changedBy(({ id, rules }) => rest("PATCH", `/mint-config/${id}`, { rules }))],
  [
    "config_change",
    "a member",
    () => changedBy(({ rules, ...config }) => page("mintConfig.save", { ...config, rules })),
  ],
])

async function pausedBy(send: (id: string) => Promise<Sent>): Promise<Case> {
  const id = await tokens.config()
  const pause = () => rest("POST", `/mint-config/${id}/pause`)
  await pause()
  return {
    send: () => send(id),
    effects: () => entries(id, "mint_config.unpaused"),
    // The operator is bound by no policy. The token is then paused again for another reason.
    change: async () => {
      await sql`update mint_configs set paused = false where id = ${id}`
      await pause()
    },
  }
}

async function frozenBy(send: (json: object) => Promise<Sent>): Promise<Case> {
  const wallet = newWallet()
  const json = { user_pubkey: wallet, mint_config: fund, ...grounds }
  const freeze = () => rest("POST", "/token/freeze", json)
  await freeze()
  return {
    send: () => send(json),
    effects: () => entries(wallet, "wallet.unfrozen"),
    change: async () => {
      await sql`delete from wallet_freezes where wallet = ${wallet}`
      await freeze()
    },
  }
}

async function changedBy(send: (config: { id: string; rules: object }) => Promise<Sent>): Promise<Case> {
  const id = await tokens.config()
  const [row] = await sql`
    select id, name, symbol, decimals, required_schema, transfer_mode from mint_configs where id = ${id}`
  return {
    send: () => send({ ...(row as unknown as { id: string }), rules: { max_holders: 7 } }),
    effects: () => entries(id, "mint_config.changed"),
    change: () => sql`update mint_configs set rules = '{"max_holders": 3}' where id = ${id}`,
  }
}

test("a repeat with the same key gets the same approval, even if the first answer was lost, and acts once", async () => {
  await requireTwo("unfreeze")
  const json = { user_pubkey: newWallet(), mint_config: fund, reason_code: "other", reference: "r" }
  await rest("POST", "/token/freeze", json)
  const idempotencyKey = `unfreeze-${json.user_pubkey}`
  const send = () => app.request({ method: "POST", path: "/token/unfreeze", key: key.apiKey, json, idempotencyKey })
  const first = await send()
  expect(first.status).toBe(202)
  expect((await send()).text).toBe(first.text)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  expect(await send()).toMatchObject({ status: 202, json: { approval_id: first.json.approval_id } })
  expect((await approve(officer, first.json.approval_id)).status).toBe(200)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  expect(await send()).toMatchObject({ status: 202, json: { state: "approved" } })
  expect(await sql`select from approvals where subject = ${json.user_pubkey}`).toHaveLength(1)
  const again = { "idempotency-key": `page-${json.user_pubkey}` }
  await rest("POST", "/token/freeze", json)
  for (const _click of [1, 2])
    expect((await owner.browser.mutate("token.unfreeze", json, again)).error.error).toBe("awaiting_approval")
  expect(await sql`select from approvals where subject = ${json.user_pubkey}`).toHaveLength(2)
})

test("a policy about one token binds the lifting of a freeze for every token, and no other token's", async () => {
  await requireApproval(owner.account, ["unfreeze"], { mint_config: fund })
  const wallet = newWallet()
  const about = { user_pubkey: wallet, reason_code: "other", reference: "r" }
  await rest("POST", "/token/freeze", about)
  expect(await rest("POST", "/token/unfreeze", about)).toMatchObject({ status: 202 })
  const other = { ...about, mint_config: await tokens.config() }
  await rest("POST", "/token/freeze", other)
  expect(await rest("POST", "/token/unfreeze", other)).toEqual({ status: 200 })
})
