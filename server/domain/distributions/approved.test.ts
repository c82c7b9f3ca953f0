import { beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { approve } from "#test/fixtures/approvals.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { boss, fund, officer, owner, requireTwo, tokens, usesPolicies } from "#test/fixtures/policies.ts"

usesPolicies()
const dist = distributionFixture(() => tokens)
let supply = 0

beforeAll(async () => {
  const [wallet] = await tokens.wallets(1)
  expect((await tokens.mint(fund, wallet, 5)).status).toBe(200)
  supply = 5
})

/** A distribution that waits for approval. */
async function asked(settlement = "in_kind") {
  const { json } = await dist.draft(fund, { settlement, total: "10" }, supply)
  const sent = await dist.act(json.distribution_id, "start")
  expect([sent.status, sent.json]).toMatchObject([202, { state: "awaiting_approval", approval_id: expect.any(String) }])
  return { id: json.distribution_id as string, approvalId: sent.json.approval_id as string }
}

const operations = (id: string) => sql`
  select o.id from payouts p join operations o on o.payload ->> 'payout_id' = p.id where p.distribution_id = ${id}`

test("nothing is paid until another member approves, and then once", async () => {
  await requireTwo("distribution")
  const { id, approvalId } = await asked()
  // A second start joins the first one.
  expect((await dist.act(id, "start")).json).toMatchObject({ state: "awaiting_approval", approval_id: approvalId })
  expect(await operations(id)).toHaveLength(0)
  expect((await approve(owner, approvalId)).error.error).toBe("second_person_required")
  const answers = await Promise.all([officer, boss, officer].map((by) => approve(by, approvalId)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await dist.untilState(id, "completed")).toMatchObject({ paid: "10", approval_id: approvalId })
  expect(await operations(id)).toHaveLength(1)
  supply += 10
})

test("a policy about mints binds a distribution in kind, and no other", async () => {
  await requireTwo("mint")
  const { id } = await asked()
  expect((await dist.act(id, "cancel")).json.state).toBe("cancelled")
  const { json } = await dist.draft(fund, { settlement: "external", total: "10" }, supply)
  expect((await dist.act(json.distribution_id, "start")).json.state).toBe("paying")
})

test("a rejected distribution is a draft again, and a cancelled one ends its approval", async () => {
  await requireTwo("distribution")
  const { id, approvalId } = await asked("external")
  const { json } = await tokens.get(`/approval/${approvalId}`)
  const rejection = { approval_id: approvalId, digest: json.digest, reason: "Wrong quarter" }
  expect((await officer.browser.mutate("approval.reject", rejection)).status).toBe(200)
  expect(await dist.get(id)).toMatchObject({ state: "draft", approval_id: null })
  const again = await dist.act(id, "start")
  expect(again.json).toMatchObject({ state: "awaiting_approval" })
  expect(again.json.approval_id).not.toBe(approvalId)
  expect((await dist.act(id, "cancel")).json.state).toBe("cancelled")
  expect((await tokens.get(`/approval/${again.json.approval_id}`)).json.state).toBe("void")
  expect((await approve(officer, again.json.approval_id)).error.error).toBe("approval_ended")
})

beforeEach(() => sql`delete from approval_policies`)
