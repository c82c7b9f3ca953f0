import { afterAll, beforeAll, expect, test } from "vitest"
import { startVendorFixture, type VendorFixture } from "#test/vendor/fixture.ts"
import { completed, configuredSumsub, green, type SumsubDouble, startSumsub, WORKFLOW } from "#test/vendor/sumsub.ts"
import { sumsub } from "./sumsub.ts"

// A Sumsub workflow takes an applicant through several levels. Only the last one decides.
let vendor: SumsubDouble
let f: VendorFixture
beforeAll(async () => {
  vendor = await startSumsub()
  f = await startVendorFixture(sumsub, vendor)
})
afterAll(() => f.stop())

let people = 0
const newPerson = () => `person-${++people}`
const secondsAgo = (n: number) => new Date(Date.now() - n * 1000)

/** An investor who is approved at the first level of a workflow. */
async function inWorkflow(externalId = newPerson()) {
  const session = await f.handedOver({ externalId, schemaId: "kyc_business_v1" })
  const { investorId: userId } = session
  const at = (levelName: string, s: number) => ({ userId, levelName, at: secondsAgo(s) })
  await f.send(vendor.review("applicantPending", { ...at(WORKFLOW.entry, 100), reviewStatus: "pending" }))
  const passed = vendor.review("applicantReviewed", { ...at(WORKFLOW.entry, 90), ...completed(green) })
  await f.send(passed)
  return { session, userId, at, passed }
}

/** Moves the applicant to another level of the workflow, and reports it. */
const moves = (userId: string, levelName: string, previousLevelName: string) => {
  vendor.moveToLevel(userId, levelName)
  return f.send(
    vendor.webhook("applicantLevelChanged", {
      userId,
      levelName,
      previousLevelName,
      reviewStatus: "init",
    }),
  )
}

test("an approval at the first level of a workflow does not verify; one at the final level does", async () => {
  const { session, userId, at, passed } = await inWorkflow()
  await f.poll(session)
  expect(await f.statusOf(session)).toBe("pending")
  expect(await f.attests(session)).toBe(0)

  // Missing documents are requested at the applicant's current level.
  expect(await moves(userId, WORKFLOW.final, WORKFLOW.entry)).toEqual([200, "applied"])
  expect(await f.view(session)).toMatchObject({ state: "open", again: "resubmit" })
  await f.goOn(session)
  expect(vendor.linkedLevel(userId)).toBe(WORKFLOW.final)
  expect((await f.session(session.sessionId)).reference).toBe(session.reference)

  const done = { ...at(WORKFLOW.final, 0), ...completed(green) }
  expect(await f.send(vendor.review("applicantReviewed", done))).toEqual([200, "applied"])
  await f.waitForStatus(session, "verified")
  const ended = vendor.webhook("applicantWorkflowCompleted", { ...done, at: new Date() })
  expect(await f.send(ended)).toEqual([200, "ignored"])
  expect(await f.send(passed)).toEqual([200, "ignored"])
  expect(await f.attests(session)).toBe(1)
})

test("Vouch finds the end of a workflow by asking if its webhooks are lost", async () => {
  const { session, at } = await inWorkflow()
  vendor.review("applicantReviewed", { ...at(WORKFLOW.final, 0), ...completed(green) })
  await f.poll(session)
  await f.waitForStatus(session, "verified")
})

test("another wallet of a person who has finished a workflow is verified at once", async () => {
  const externalId = newPerson()
  const { session, at } = await inWorkflow(externalId)
  await f.send(vendor.review("applicantReviewed", { ...at(WORKFLOW.final, 0), ...completed(green) }))
  await f.waitForStatus(session, "verified")
  const second = await f.start({ externalId, schemaId: "kyc_business_v1" })
  expect((await f.goOn(second)).data).toMatchObject({ url: null })
  await f.waitForStatus(second, "verified")
})

test.each([
  ["applicantReviewed", "FINAL", "rejected"],
  ["applicantWorkflowFailed", "FINAL", "rejected"],
  ["applicantReviewed", "RETRY", "pending"],
])("%s with %s at a level in between counts for the workflow", async (type, reviewRejectType, status) => {
  const { session, at } = await inWorkflow()
  const red = { reviewAnswer: "RED", reviewRejectType, rejectLabels: ["LOW_QUALITY"], buttonIds: [] }
  const body = vendor.review(type, { ...at(WORKFLOW.between, 0), ...completed(red) })
  expect(await f.send(body)).toEqual([200, "applied"])
  expect(await f.statusOf(session)).toBe(status)
  if (status === "pending") expect(await f.view(session)).toMatchObject({ state: "open" })
})

test("an approval at a level in between does not verify, whatever else Sumsub reports", async () => {
  const { session, at } = await inWorkflow()
  for (const type of ["applicantReviewed", "applicantWorkflowCompleted"]) {
    const body = vendor.review(type, { ...at(WORKFLOW.between, 900), ...completed(green) })
    expect([type, ...(await f.send(body))]).toEqual([type, 200, "ignored"])
  }
  await f.poll(session)
  expect(await f.attests(session)).toBe(0)
})

test("an approved applicant who is moved on by a workflow that no setting names gets a review", async () => {
  const session = await f.handedOver()
  await f.send(vendor.decide(session, "approved", secondsAgo(60)))
  await f.waitForStatus(session, "verified")
  expect(await moves(session.investorId, "Extra questions", "basic-kyc-level")).toEqual([200, "applied"])
  expect(await f.findings(session)).toEqual(["case_opened"])
  expect(await f.statusOf(session)).toBe("verified")
})

test("with one level for all schemas, the end of a workflow counts without a setting for it", async () => {
  const { flow } = configuredSumsub({
    ...vendor.settings,
    VOUCH_SUMSUB_LEVELS: "basic-kyc-level",
    VOUCH_SUMSUB_FINAL_LEVELS: undefined,
  })
  if (flow.kind !== "redirect") throw new Error("Sumsub has its own page.")
  const session = await f.handedOver()
  const asked = { ...session, validityDays: 365, returnUrl: "", language: null, lastDecision: null }
  const says = (isFinal: boolean) => flow.readDecision(asked, session.reference!, { isFinal })
  const about = { userId: session.investorId, levelName: "Extra questions" }
  vendor.review("applicantReviewed", { ...about, ...completed(green) })
  // The workflow may continue.
  expect(await says(false)).toBe("submitted")
  expect(await says(true)).toMatchObject({ decision: "approved" })
  vendor.review("applicantReviewed", { ...about, at: secondsAgo(601), ...completed(green) })
  expect(await says(false)).toMatchObject({ decision: "approved" })
})
