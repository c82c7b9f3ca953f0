import { expect, test } from "vitest"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

const config = (id: string, required_schema: string) => ({
  ...{ id, name: `Fund ${id}`, symbol: "FND", decimals: 2, transfer_mode: "agent", rules: {} },
  required_schema,
})

test("a schema lists the tokens that require it and its provider, for every member of its workspace only", async () => {
  const owner = await member(app)
  const { apiKey } = await app.key({ account: owner.account })
  const create = (path: string, json: object) => app.request({ method: "POST", path, key: apiKey, json })
  expect((await create("/schemas", { id: "residency_v1", name: "Residency", validity_days: 30 })).status).toBe(200)
  for (const [id, schema] of [
    ["fund_one", "residency_v1"],
    ["fund_two", "kyc_individual_v1"],
  ] as const)
    expect((await create("/mint-configs", config(id, schema))).status).toBe(200)
  const viewer = await member(app, { role: "viewer", account: owner.account })
  for (const { browser } of [owner, viewer]) {
    expect((await browser.query("schema.view", { id: "residency_v1" })).data).toMatchObject({
      id: "residency_v1",
      name: "Residency",
      validity_days: 30,
      tokens: [{ id: "fund_one", name: "Fund fund_one", symbol: "FND", transfer_mode: "agent", paused: false }],
      provider: { label: expect.any(String), chosen: "mode", setting: "VOUCH_TEST_PROVIDER" },
    })
  }
  expect((await owner.browser.query("schema.view", { id: "kyc_individual_v1" })).data.tokens).toContainEqual(
    expect.objectContaining({ id: "fund_two" }),
  )
  const stranger = await member(app)
  const { status, error } = await stranger.browser.query("schema.view", { id: "residency_v1" })
  expect([status, error.error]).toEqual([404, "schema_not_found"])
})
