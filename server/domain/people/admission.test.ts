import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { approve, provenMember } from "#test/fixtures/approvals.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { decide, requireReviewApproval, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { admitByOperator } from "./admission.ts"

usesApp()

const idOf = async (browser: Browser): Promise<string> => (await browser.query("me.get")).data.user.id
const admit = async (browser: Browser, whom: Browser) => {
  const { status, error } = await browser.mutate("member.admit", { user_id: await idOf(whom) })
  return error?.error ?? status
}
/** Asks for a decision, and returns its approval. */
const asked = async (browser: Browser, reviewId: string): Promise<string> =>
  (await decide(browser, reviewId, { decision: "approve" })).error.approvalId
const confirm = async (browser: Browser, approvalId: string) => {
  const { status, error } = await approve({ browser }, approvalId)
  return error?.error ?? status
}
const admissionOf = async (browser: Browser, whom: Browser) => {
  const [id, { data }] = await Promise.all([idOf(whom), browser.query("member.list")])
  return data.members.find((one: { user_id: string }) => one.user_id === id).admission
}

test("if several members decide reviews, an owner cannot decide with a second account", async () => {
  const { account, key, owner, officer } = await reviewTeam(app)
  await requireReviewApproval(account)
  const { reviewId } = await vendorReview(app, key)
  // The first owner invites, and then asks.
  const own = await provenMember(app, { account, role: "owner" })
  const reviewed = await asked(owner, reviewId)
  expect(await confirm(own.browser, reviewed)).toBe("second_person_required")
  const { apiKey } = await app.key({ account })
  await sql`update api_keys set created_by = ${await idOf(owner)} where workspace_id = ${key.workspaceId}`
  const [policy] = await sql`select id from approval_policies where workspace_id = ${key.workspaceId}`
  const off = await app.request({ method: "DELETE", path: `/approval-policy/${policy!.id}`, key: apiKey })
  expect(off.status).toBe(202)
  expect(await confirm(own.browser, off.json.approval_id)).toBe("second_person_required")
  // Neither of the owner's accounts can confirm the second one.
  expect(await admit(owner, own.browser)).toBe("second_person_required")
  expect(await admit(own.browser, own.browser)).toBe("second_person_required")
  const third = await provenMember(app, { account, role: "developer" })
  const promoted = { user_id: await idOf(third.browser), role: "compliance" }
  expect((await owner.mutate("member.changeRole", promoted)).status).toBe(200)
  expect(await admit(owner, third.browser)).toBe("second_person_required")
  expect(await confirm(third.browser, reviewed)).toBe("second_person_required")
  // The third member still waits after a demotion and a promotion.
  await owner.mutate("member.changeRole", { ...promoted, role: "viewer" })
  await owner.mutate("member.changeRole", promoted)
  expect(await confirm(third.browser, reviewed)).toBe("second_person_required")
  expect(await Promise.all([owner, officer].map((one) => admissionOf(one, third.browser)))).toEqual(["waits", "yours"])
  expect(await admit(officer, third.browser)).toBe(200)
  expect(await admissionOf(officer, third.browser)).toBeNull()
  // The owner promoted them after asking, so they can approve only what is asked from now on.
  expect(await confirm(third.browser, reviewed)).toBe("second_person_required")
  await owner.mutate("approval.withdraw", { id: reviewed })
  expect(await confirm(third.browser, await asked(owner, reviewId))).toBe(200)
})

test("an owner who waits to be confirmed cannot let reviewers in, so they cannot confirm their own later", async () => {
  const { account, owner, officer } = await reviewTeam(app)
  await requireReviewApproval(account)
  const late = await member(app, { account, role: "owner" })
  const developer = await member(app, { account, role: "developer" })
  const promotion = { user_id: await idOf(developer.browser), role: "compliance" }
  const letIn = async () => [
    await late.browser.mutate("member.changeRole", promotion),
    await late.browser.mutate("member.invite", { role: "compliance" }),
  ]
  const errors = (await letIn()).map(({ error }) => error.error)
  expect(errors).toEqual(["second_person_required", "second_person_required"])
  expect((await owner.query("member.list")).data.invitations).toEqual([])
  expect((await late.browser.mutate("member.invite", { role: "developer" })).status).toBe(200)
  expect(await admit(officer, late.browser)).toBe(200)
  expect((await letIn()).map(({ status }) => status)).toEqual([200, 200])
  expect(await admit(late.browser, developer.browser)).toBe("second_person_required")
  expect(await admit(owner, developer.browser)).toBe(200)
})

test("the operator confirms a reviewer if no other is left", async () => {
  const { account, key, owner, officer, second } = await reviewTeam(app)
  await requireReviewApproval(account)
  await owner.mutate("member.remove", { user_id: await idOf(second) })
  const { browser, email } = await provenMember(app, { account, role: "compliance" })
  const { reviewId } = await vendorReview(app, key)
  const approvalId = await asked(owner, reviewId)
  await owner.mutate("member.remove", { user_id: await idOf(officer) })
  expect(await confirm(browser, approvalId)).toBe("second_person_required")
  const { id: elsewhere } = (await member(app)).account
  expect(await admitByOperator({ accountId: elsewhere, email })).toBe(false)
  expect(await admitByOperator({ accountId: account.id, email })).toBe(true)
  expect(await admitByOperator({ accountId: account.id, email })).toBe(false)
  expect(await confirm(browser, approvalId)).toBe(200)
  const later = await member(app, { account, role: "compliance" })
  expect(await admissionOf(owner, later.browser)).toBe("waits")
  await sql`delete from approval_policies where workspace_id = ${key.workspaceId}`
  expect(await admissionOf(owner, later.browser)).toBeNull()
})
