import { beforeAll, expect, test } from "vitest"
import type { TestKey } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { member } from "#test/fixtures/people.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: Awaited<ReturnType<typeof member>>
let key: TestKey

usesApp()
beforeAll(async () => {
  owner = await member(app)
  key = await app.key({ account: owner.account })
})

const read = async (procedure: string, input: object) => {
  const { data, error } = await owner.browser.query(procedure, input)
  expect(error).toBeUndefined()
  return data
}

/** A lost wallet with 5 tokens that is only barred so far. */
async function barred() {
  const recoveries = recoveryFixture(app, key)
  const tokens = tokenFixture(app, key)
  const person = await recoveries.person()
  const config = await tokens.config()
  await tokens.mint(config, person.lost, "5")
  const { json } = await recoveries.request(person.investor, { lost_wallet: person.lost })
  return { ...person, recoveries, tokens, config, id: json.recovery_id as string }
}

test("the view offers each other wallet of the investor, and says why one cannot be chosen", async () => {
  const { id, investor, externalId, fresh, tokens } = await barred()
  const view = await read("recovery.view", { id })
  expect(view).toMatchObject({
    investor: { investor_id: investor, external_id: externalId },
    ...{ is_barred: true, later: null, schemas: ["kyc_individual_v1"], approvals_needed: 0 },
    candidates: [{ user_pubkey: fresh, is_proved: false, refusal: null, states: [{ status: "verified" }] }],
  })
  await tokens.post("/token/freeze", { user_pubkey: fresh, ...grounds })
  const [candidate] = (await read("recovery.view", { id })).candidates
  expect(candidate.refusal).toBe(`${fresh} is frozen. Unfreeze it, or use another wallet.`)
})

test("a preview shows what would move, and what blocks the chosen wallet, before anything is requested", async () => {
  const { id, config, fresh, tokens, recoveries } = await barred()
  const position = { mint_config: config, amount: "5", status: "pending", blocked_by: null }
  expect((await read("recovery.preview", { id, new_wallet: fresh })).positions).toMatchObject([position])
  await tokens.post(`/mint-config/${config}/pause`, {})
  const { positions } = await read("recovery.preview", { id, new_wallet: fresh })
  expect(positions).toMatchObject([{ ...position, blocked_by: "mint_paused" }])
  expect(await recoveries.get(id)).toMatchObject({ state: "barred", new_wallet: null })
})

test("a later recovery of the same wallet is named, and the investor and the holders show the bar", async () => {
  const { id, investor, lost, config, recoveries, tokens } = await barred()
  const bar = { recovery_id: id, reason_code: "lost_wallet", reference: "Case 2026-118", since: expect.any(String) }
  const shown = await read("investor.view", { id: investor })
  expect(shown.has_recoveries).toBe(true)
  expect(shown.wallets.find((one: { user_pubkey: string }) => one.user_pubkey === lost).bar).toEqual(bar)
  expect(shown.tokens[0].wallets[0].bar).toEqual(bar)
  expect((await read("token.holders", { mint_config: config })).data[0].bar).toEqual(bar)

  await tokens.post(`/recovery/${id}/cancel`, {})
  expect((await read("token.holders", { mint_config: config })).data[0].bar).toBeNull()
  expect(await read("recovery.view", { id })).toMatchObject({ is_barred: false, later: null })
  const { json } = await recoveries.request(investor, { lost_wallet: lost })
  expect(await read("recovery.view", { id })).toMatchObject({ is_barred: true, later: json.recovery_id })
})
