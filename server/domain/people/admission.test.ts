import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { decide, requireFourEyes, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { admitByOperator } from "./admission.ts"

usesApp()

const idOf = async (browser: Browser): Promise<string> => (await browser.query("me.get")).data.user.id
const admit = async (browser: Browser, whom: Browser) => {
  const { status, error } = await browser.mutate("member.admit", { user_id: await idOf(whom) })
  return error?.error ?? status
}
const confirm = async (browser: Browser, reviewId: string) => {
  const { version } = (await browser.query("review.get", { review_id: reviewId })).data
  const { status, error } = await browser.mutate("review.confirm", { review_id: reviewId, version })
  return error?.error ?? status
}
const admissionOf = async (browser: Browser, whom: Browser) => {
  const [id, { data }] = await Promise.all([idOf(whom), browser.query("member.list")])
  return data.members.find((one: { user_id: string }) => one.user_id === id).admission
}

test("with four eyes on, an owner cannot decide with a second account", async () => {
  const { account, key, owner, officer } = await reviewTeam(app)
  await requireFourEyes(account)
  const { reviewId } = await vendorReview(app, key)
  await decide(owner, reviewId, { decision: "approve" })
  // The first owner invites.
  const own = await member(app, { account, role: "owner" })
  expect(await confirm(own.browser, reviewId)).toBe("second_person_required")
  expect((await own.browser.mutate("workspace.requireFourEyes", { required: false })).error.error).toBe(
    "second_person_required",
  )
  await owner.mutate("workspace.requireFourEyes", { required: false })
  expect((await own.browser.mutate("workspace.turnOffFourEyes", {})).error.error).toBe("second_person_required")
  // Neither of the owner's accounts can confirm the second one.
  expect(await admit(owner, own.browser)).toBe("second_person_required")
  expect(await admit(own.browser, own.browser)).toBe("second_person_required")
  const third = await member(app, { account, role: "developer" })
  const promoted = { user_id: await idOf(third.browser), role: "compliance" }
  expect((await owner.mutate("member.changeRole", promoted)).status).toBe(200)
  expect(await admit(owner, third.browser)).toBe("second_person_required")
  expect(await confirm(third.browser, reviewId)).toBe("second_person_required")
  // The third member still waits after a demotion and a promotion.
  await owner.mutate("member.changeRole", { ...promoted, role: "viewer" })
  await owner.mutate("member.changeRole", promoted)
  expect(await confirm(third.browser, reviewId)).toBe("second_person_required")
  expect(await Promise.all([owner, officer].map((one) => admissionOf(one, third.browser)))).toEqual(["waits", "yours"])
  expect(await admit(officer, third.browser)).toBe(200)
  expect(await admissionOf(officer, third.browser)).toBeNull()
  expect(await confirm(third.browser, reviewId)).toBe(200)
})

test("an owner who waits to be confirmed cannot let reviewers in, so they cannot confirm their own later", async () => {
  const { account, owner, officer } = await reviewTeam(app)
  await requireFourEyes(account)
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

test("the operator confirms a reviewer if no other is left, and turning four eyes on admits all current reviewers", async () => {
  const { account, key, owner, officer, second } = await reviewTeam(app)
  await requireFourEyes(account)
  for (const browser of [officer, second]) await owner.mutate("member.remove", { user_id: await idOf(browser) })
  const { browser, email } = await member(app, { account, role: "compliance" })
  const { reviewId } = await vendorReview(app, key)
  await decide(owner, reviewId, { decision: "approve" })
  expect(await confirm(browser, reviewId)).toBe("second_person_required")
  const { id: elsewhere } = (await member(app)).account
  expect(await admitByOperator({ accountId: elsewhere, email })).toBe(false)
  expect(await admitByOperator({ accountId: account.id, email })).toBe(true)
  expect(await admitByOperator({ accountId: account.id, email })).toBe(false)
  expect(await confirm(browser, reviewId)).toBe(200)
  const later = await member(app, { account, role: "compliance" })
  await sql`update accounts set four_eyes = false where id = ${account.id}`
  expect(await admissionOf(owner, later.browser)).toBeNull()
  await owner.mutate("workspace.requireFourEyes", { required: true })
  expect(await admissionOf(owner, later.browser)).toBeNull()
})
